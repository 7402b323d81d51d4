import { AsyncLocalStorage } from "node:async_hooks";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { EffectContext, EffectDefinition } from "./definition.js";
import { callEffect, effect, type CallOptions, type Effect } from "./effect.js";
import type { AutoKey } from "./key.js";

/** What one call brings along that a definition cannot hold. */
export interface GivenRun<A, R> {
  readonly key: () => string | AutoKey;
  readonly run: (args: A, context: EffectContext) => Promise<R>;
}

/**
 * An effect of which each call brings its own `key` and `run`: a node's or a tool's, which work on the state and the
 * config of this very pass. Name, lookup, undo and limits are registered once, for other processes.
 */
export function effectWithGivenRun<A, R>(
  definition: Omit<EffectDefinition<A, R>, "key" | "run">,
): (given: GivenRun<A, R>, args: A, config: RunnableConfig, options: CallOptions) => Promise<R> {
  const current = new AsyncLocalStorage<GivenRun<A, R>>();
  const given = (): GivenRun<A, R> => current.getStore() as GivenRun<A, R>;
  const made: Effect<A, R> = effect<A, R>({
    ...definition,
    key: () => given().key(),
    run: (args, context) => given().run(args, context),
  });
  return (call, args, config, options) => current.run(call, () => callEffect(made, args, config, options));
}
