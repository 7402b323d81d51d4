import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { mergeConfigs } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { isGraphInterrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { isUnanswered, type RunningTask } from "../shared/langgraph.js";

/** Notices when a graph or a functional task that is called here stops to ask. */
class Watch extends BaseCallbackHandler {
  readonly name = "langgraph-waypoint.interrupts";
  override awaitHandlers = true;
  hasInterrupt = false;

  override handleChainError(error: unknown): void {
    this.hasInterrupt ||= isGraphInterrupt(error);
  }
}

/**
 * Runs the work of a node, and tells whether something in it stopped to ask: its own `interrupt()`, which LangGraph counts,
 * or that of a graph or task below it, which only their callbacks tell.
 */
export async function watched<T>(
  task: RunningTask,
  config: LangGraphRunnableConfig,
  work: (config: LangGraphRunnableConfig) => T | Promise<T>,
): Promise<{ readonly result: T; readonly stoppedToAsk: boolean }> {
  const watch = new Watch();
  const callbacks = [watch] as unknown as CallbackManager;
  const heard = mergeConfigs(config, { callbacks }) as LangGraphRunnableConfig;
  const result = await AsyncLocalStorageProviderSingleton.runWithConfig(heard, async () => work(heard));
  return { result: result as T, stoppedToAsk: watch.hasInterrupt || isUnanswered(task.scratchpad) };
}
