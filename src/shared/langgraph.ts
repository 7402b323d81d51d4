/**
 * The only file that reads what LangGraph does not document: the `__pregel_*` keys of `configurable`, the scratchpad
 * and the names of its internal channels. `test/shared/langgraph.test.ts` pins each of them against the installed
 * version, so that a release which moves one is noticed there and mended here.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import { ERROR, INTERRUPT, RESUME, TASKS } from "@langchain/langgraph-checkpoint";
import { START, interrupt, isGraphInterrupt } from "@langchain/langgraph";
import { processWide } from "./process-wide.js";
import { slotUsed } from "./slot-use.js";

/** Channels of pending writes that carry control, not state. */
export const CONTROL = { error: ERROR, interrupt: INTERRUPT, resume: RESUME, tasks: TASKS } as const;

/** The task id LangGraph gives to writes that belong to no task (a plain `Command({ resume })`). */
export const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

/** What a running node or tool can know of itself. */
export interface RunningTask {
  readonly threadId: string;
  /** The task's own namespace: `node:taskId`, `parent:id|child:id` in a subgraph. */
  readonly checkpointNs: string;
  readonly taskId: string;
  /** Checkpoint id by namespace, for every level above this task that keeps checkpoints. */
  readonly checkpointMap: Readonly<Record<string, string>>;
  readonly checkpointer: BaseCheckpointSaver | undefined;
  /** The same object for every attempt of one scheduled run; its interrupt counter starts anew with each attempt. */
  readonly scratchpad: Scratchpad;
  readonly toolCallId: string | undefined;
  /** Whether an error would become advice for a model instead of ending the node. */
  readonly inTool: boolean;
  readonly durability: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** True when the run started from an old checkpoint (time travel). */
  readonly replaying: boolean;
  /**
   * Which attempt of a `retryPolicy` this is, from 1; unknown in a tool that was not handed the config. It starts anew
   * with each resume, so it is no budget.
   */
  readonly attempt: number | undefined;
  /** Rises each time LangGraph starts the task from the top with this scratchpad. */
  readonly pass: number;
  /** What the node or tool was called with. */
  readonly config: RunnableConfig;
}

/** LangGraph's per-task scratchpad, as far as it is read here. */
export interface Scratchpad {
  /** Index of the last `interrupt()` of this attempt; −1 before the first. */
  readonly interruptCounter: number;
  /** Answers by slot, as far as LangGraph has them. */
  readonly resume?: readonly unknown[];
  /** The value of a plain `Command({ resume })` that no task has taken yet. */
  readonly nullResume?: unknown;
  readonly currentTaskInput?: unknown;
}

interface Configurable {
  readonly thread_id?: unknown;
  readonly checkpoint_ns?: unknown;
  readonly checkpoint_map?: Record<string, string>;
  readonly __pregel_task_id?: string;
  readonly __pregel_checkpointer?: BaseCheckpointSaver;
  readonly __pregel_scratchpad?: Scratchpad;
  readonly __pregel_replay_state?: unknown;
  readonly __pregel_durability?: string;
  readonly __pregel_resume_map?: Record<string, unknown>;
}

interface ToolConfig extends RunnableConfig {
  readonly toolCallId?: string;
  readonly toolCall?: { readonly id?: string };
  readonly durability?: string;
  readonly executionInfo?: { readonly nodeAttempt?: number };
}

/** The configuration of the node or tool that is running in this asynchronous context, if one is. */
export function ambientConfig(): RunnableConfig | undefined {
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/**
 * What is running: from `config` where it was handed on, else from the asynchronous context.
 * Undefined outside a graph.
 */
export function runningTask(config?: RunnableConfig): RunningTask | undefined {
  const ambient = ambientConfig();
  const source = isRunning(config) ? config : isRunning(ambient) ? ambient : undefined;
  if (source === undefined) return undefined;
  const configurable = source.configurable as Configurable;
  const scratchpad = configurable.__pregel_scratchpad as Scratchpad;
  const tool = source as ToolConfig;
  const toolCallId = tool.toolCallId ?? tool.toolCall?.id ?? scheduledToolCall(scratchpad);
  const calls = toolCallId === undefined && isInsideNode(tool) ? requestedToolCalls(scratchpad) : [];
  return {
    threadId: asText(configurable.thread_id),
    checkpointNs: asText(configurable.checkpoint_ns),
    taskId: configurable.__pregel_task_id as string,
    checkpointMap: ownLevels(configurable.checkpoint_map ?? {}),
    checkpointer: configurable.__pregel_checkpointer,
    scratchpad,
    toolCallId: toolCallId ?? (calls.length === 1 ? calls[0]?.id : undefined),
    inTool: toolCallId !== undefined || calls.length > 0,
    durability: tool.durability ?? (ambient as ToolConfig | undefined)?.durability ?? configurable.__pregel_durability,
    signal: source.signal,
    replaying: isReplaying(source),
    attempt: tool.executionInfo?.nodeAttempt,
    pass: passOf(scratchpad),
    config: source,
  };
}

/**
 * The levels of a checkpoint map that have checkpoints of their own. A task that a functional `task()` call schedules has
 * an entry for its caller too, which names the checkpoint of the level above that one.
 */
export function ownLevels(map: Readonly<Record<string, string>>): Record<string, string> {
  const byDepth = Object.entries(map).sort(([one], [other]) => one.length - other.length);
  return Object.fromEntries(byDepth.filter(([, id], at) => byDepth.findIndex(([, other]) => other === id) === at));
}

/**
 * Something that is the same object whenever one run of a graph calls its checkpointer, and in no other run: LangGraph
 * makes the `metadata` of a run's configuration once and hands it on. Undefined where nobody runs.
 */
export function markOfRun({ metadata }: RunnableConfig): object | undefined {
  return metadata;
}

/**
 * Whether a checkpoint is the first that a run stores for new input. Under durability "exit" it is the only one, and its
 * source says "loop"; that there was input shows in the channel for it.
 */
export function bringsInput(
  config: RunnableConfig,
  source: unknown,
  newVersions: ChannelVersions | undefined,
): boolean {
  if (source === "input") return true;
  const { durability } = config as ToolConfig;
  return durability === "exit" && newVersions !== undefined && Object.hasOwn(newVersions, START);
}

/** Whether a `Send` scheduled the node that runs with this configuration: its input is then no state of the graph. */
export function isSent({ metadata }: RunnableConfig): boolean {
  const triggers: unknown = metadata?.langgraph_triggers;
  return Array.isArray(triggers) && triggers.includes("__pregel_push");
}

/** Whether the run, or the run that a subgraph belongs to, started from an old checkpoint (time travel). */
export function isReplaying({ configurable }: RunnableConfig): boolean {
  return (configurable as Configurable | undefined)?.__pregel_replay_state !== undefined;
}

/** How many tasks and subgraphs this attempt has called: LangGraph finds those of an earlier pass again by their number. */
export function callsCounted(scratchpad: Scratchpad): number {
  const { callCounter = 0, subgraphCounter = 0 } = scratchpad as { callCounter?: number; subgraphCounter?: number };
  return callCounter + subgraphCounter;
}

/** Whether the next `interrupt()` of this attempt would return an answer instead of asking. */
export function hasAnswer({ interruptCounter, resume = [], nullResume }: Scratchpad): boolean {
  return interruptCounter + 1 < resume.length || nullResume !== undefined;
}

/** Whether an `interrupt()` of this attempt had no answer, so that it must have ended the attempt. */
export function isUnanswered({ interruptCounter, resume = [] }: Scratchpad): boolean {
  return interruptCounter >= resume.length;
}

/**
 * Takes away the value of an earlier plain `Command({ resume })` in a run that answers by interrupt id. LangGraph keeps
 * such a value beside the checkpoint after it was taken, and would give it to the next question that comes.
 */
export function forgetStaleAnswer({ config, scratchpad }: RunningTask): void {
  if ((config.configurable as Configurable).__pregel_resume_map === undefined) return;
  delete (scratchpad as { nullResume?: unknown }).nullResume;
}

/** Calls `interrupt(payload)` as this task, also where the asynchronous context was lost or belongs to another task. */
export function interruptIn(task: RunningTask, payload: unknown): unknown {
  const here = ambientConfig()?.configurable as Configurable | undefined;
  if (here?.__pregel_scratchpad === task.scratchpad) return interrupt(payload);
  return AsyncLocalStorageProviderSingleton.runWithConfig<unknown>(task.config, () =>
    interrupt<unknown, unknown>(payload),
  );
}

/** Keys of `configurable` that say on which thread, and where in it, a task runs. */
const WHERE_IT_RUNS = new Set(["thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"]);

interface Outside {
  readonly scratchpad: Scratchpad;
  readonly refuse: () => never;
}

const outside = processWide("outside-task", () => new AsyncLocalStorage<Outside>());
const guarded = processWide("guarded-scratchpads", () => new WeakSet<Scratchpad>());

/**
 * Runs `work` as code that belongs to no task: `interrupt()` has nowhere to ask, and a graph that it invokes is one of its own.
 * LangGraph's `task()`, and a graph that is handed the task's config, would be counted as the task's: they do what `refuse`
 * does. Callbacks, signal, store and the caller's own keys stay.
 */
export function outsideTask<T>(task: RunningTask, refuse: () => never, work: () => T): T {
  const entries = Object.entries(task.config.configurable ?? {});
  const own = entries.filter(([key]) => !key.startsWith("__pregel_") && !WHERE_IT_RUNS.has(key));
  const configurable = { ...Object.fromEntries(own), __pregel_call: refuse };
  guardGraphs(task.scratchpad);
  return outside.run({ scratchpad: task.scratchpad, refuse }, () =>
    AsyncLocalStorageProviderSingleton.runWithConfig<T>({ ...task.config, configurable }, work),
  );
}

/** LangGraph counts the graphs that a task calls on its scratchpad, and names their checkpoints by that. */
function guardGraphs(scratchpad: Scratchpad & { subgraphCounter?: number }): void {
  if (guarded.has(scratchpad)) return;
  guarded.add(scratchpad);
  let count = scratchpad.subgraphCounter;
  Object.defineProperty(scratchpad, "subgraphCounter", {
    get: () => count,
    set: (next: number) => {
      const here = outside.getStore();
      if (here?.scratchpad === scratchpad) here.refuse();
      count = next;
    },
    enumerable: true,
    configurable: true,
  });
}

/** Whether an error is that of an `interrupt()` which had nowhere to ask. */
export function askedNowhere(error: unknown): boolean {
  const { lc_error_code: code } = (error ?? {}) as { lc_error_code?: unknown };
  return isGraphInterrupt(error) || code === "MISSING_CHECKPOINTER";
}

/** The id of the interrupt that a task asks when it has taken `answered` answers. LangGraph does not export it. */
export function interruptIdOf(checkpointNs: string, answered: number): string | undefined {
  const scratchpad = { interruptCounter: answered - 1, resume: new Array<unknown>(answered) };
  const configurable = { checkpoint_ns: checkpointNs, __pregel_checkpointer: {}, __pregel_scratchpad: scratchpad };
  try {
    AsyncLocalStorageProviderSingleton.runWithConfig<unknown>({ configurable }, () => interrupt(null));
    return undefined;
  } catch (error) {
    return isGraphInterrupt(error) ? error.interrupts[0]?.id : undefined;
  }
}

function asText(id: unknown): string {
  return typeof id === "string" ? id : "";
}

function isRunning(config: RunnableConfig | undefined): config is RunnableConfig {
  const configurable = config?.configurable as Configurable | undefined;
  return configurable?.__pregel_task_id !== undefined && configurable.__pregel_scratchpad !== undefined;
}

const passes = processWide("passes", () => new WeakMap<Scratchpad, { pass: number; counter: number }>());

/** Before each retry LangGraph sets the counter of the same scratchpad to −1; nothing else tells in every context. */
function passOf(scratchpad: Scratchpad): number {
  const known = passes.get(scratchpad);
  if (known !== undefined) return known.pass;
  const seen = { pass: 1, counter: scratchpad.interruptCounter };
  passes.set(scratchpad, seen);
  Object.defineProperty(scratchpad, "interruptCounter", {
    get: () => seen.counter,
    set: (counter: number) => {
      if (counter === -1) seen.pass += 1;
      else slotUsed();
      seen.counter = counter;
    },
    enumerable: true,
    configurable: true,
  });
  return seen.pass;
}

/** A node has LangGraph's own keys in its configuration; what it calls (a tool, a chain) has lost them on the way. */
function isInsideNode(config: ToolConfig): boolean {
  return config.executionInfo === undefined;
}

interface LooseMessage {
  readonly tool_calls?: readonly { readonly id?: string }[];
  readonly tool_call_id?: string;
}

/** The tool calls that a `ToolNode` of a StateGraph works on: those of the last AI message that have no answer yet. */
function requestedToolCalls({ currentTaskInput }: Scratchpad): readonly { readonly id?: string }[] {
  const messages: unknown = Array.isArray(currentTaskInput)
    ? currentTaskInput
    : (currentTaskInput as { messages?: unknown } | undefined)?.messages;
  if (!Array.isArray(messages)) return [];
  const answered = new Set(messages.map((message: LooseMessage | null) => message?.tool_call_id));
  const last = (messages as (LooseMessage | null)[]).findLast((message) => Array.isArray(message?.tool_calls));
  return last?.tool_calls?.filter(({ id }) => id === undefined || !answered.has(id)) ?? [];
}

/** `createAgent` schedules one task per tool call and puts the call into the task's input. */
function scheduledToolCall(scratchpad: Scratchpad): string | undefined {
  const input = scratchpad.currentTaskInput as { lg_tool_call?: { id?: string } } | undefined;
  return input?.lg_tool_call?.id;
}

const BRANCH = "branch:to:";

/** The nodes that a checkpoint would run next, as its trigger channels and scheduled sends say. */
export function scheduledNodes(checkpoint: Pick<Checkpoint, "channel_values">): string[] {
  const values = checkpoint.channel_values;
  const triggered = Object.keys(values)
    .filter((name) => name.startsWith(BRANCH))
    .map((name) => name.slice(BRANCH.length));
  const sends = Array.isArray(values[TASKS]) ? (values[TASKS] as { node?: unknown }[]) : [];
  const start = Object.hasOwn(values, "__start__") ? ["__start__"] : [];
  return [...new Set([...start, ...triggered, ...sends.map((send) => String(send.node))])];
}

/** Channels that hold what the graph's author declared, without LangGraph's own. */
export function isUserChannel(name: string): boolean {
  return !name.startsWith("__") && !name.startsWith(BRANCH) && name !== "jumpTo";
}
