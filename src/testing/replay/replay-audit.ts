import { randomUUID } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command } from "@langchain/langgraph";
import { InvalidInputError } from "../../shared/errors.js";
import { compareCalls } from "./compare.js";
import type { ReplayFinding } from "./compare.js";
import { Recording } from "./recording.js";
import { watchOutside } from "./watch.js";

/** What `replayAudit` has to know of a compiled graph. */
export interface ReplayableGraph {
  invoke(input: never, config?: RunnableConfig): Promise<unknown>;
  getState(config: RunnableConfig): Promise<{
    readonly tasks: readonly { readonly interrupts: readonly { readonly id?: string }[] }[];
  }>;
}

export interface ReplayOptions {
  /** The config of the run; its `thread_id` is a fresh one when it has none. */
  readonly config?: RunnableConfig;
  /** Calls that are known to do no harm. */
  readonly ignore?: (finding: ReplayFinding) => boolean;
}

let isRunning = false;

/**
 * Runs a graph to its questions, answers them, and says what its nodes did twice because LangGraph runs a node again from
 * its first line after every answer.
 *
 * - Records `fetch`, `http`, `https`, `fs`, child processes, clocks and randomness, as far as a node's own code calls them.
 * - What `effect()`, `memo()`, `now()`, `random()` and `task()` record happens once, and is not reported.
 * - A node that is scheduled anew may do again what it did: only what belongs to one visit is compared.
 * - Everything really happens. Give the graph a fake outside.
 * - Takes its recorder away whatever happens. Works in any test runner.
 *
 * @param app compiled with a checkpointer
 * @param answers one for each question in the order in which they are asked; those that are asked together take one each
 * @throws InvalidInputError when there are more answers than questions, or another replay is running in this process
 * @example
 * const findings = await replayAudit(app, { order: "7" }, [true]);
 * expect(findings).toEqual([]);
 */
export async function replayAudit(
  app: ReplayableGraph,
  input: unknown,
  answers: readonly unknown[],
  { config = {}, ignore = () => false }: ReplayOptions = {},
): Promise<ReplayFinding[]> {
  if (isRunning)
    throw new InvalidInputError("A replay is running in this process already. Await it before the next.", {
      details: {},
    });
  const thread = { ...config, configurable: { thread_id: randomUUID(), ...config.configurable } };
  const recording = new Recording();
  isRunning = true;
  const restore = watchOutside(recording);
  try {
    await runThrough(app, input, answers, thread, recording);
  } finally {
    restore();
    isRunning = false;
  }
  return compareCalls(recording.calls).filter((finding) => !ignore(finding));
}

async function runThrough(
  app: ReplayableGraph,
  input: unknown,
  answers: readonly unknown[],
  config: RunnableConfig,
  recording: Recording,
): Promise<void> {
  const left = [...answers];
  await app.invoke(input as never, config);
  while (left.length > 0) {
    const ids = await openQuestions(app, config);
    if (ids.length === 0) {
      throw new InvalidInputError(
        `The graph asked ${answers.length - left.length} questions, but was given ${answers.length} answers.`,
        { details: {} },
      );
    }
    const given = ids.slice(0, left.length).map((id) => [id, left.shift()] as const);
    recording.pass += 1;
    await app.invoke(new Command({ resume: Object.fromEntries(given) }) as never, config);
  }
}

async function openQuestions(app: ReplayableGraph, config: RunnableConfig): Promise<string[]> {
  const { tasks } = await app.getState(config);
  return tasks.flatMap(({ interrupts }) => interrupts.flatMap(({ id }) => (id === undefined ? [] : [id])));
}
