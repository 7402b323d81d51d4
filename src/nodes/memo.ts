import { randomUUID } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import type { MemoKind } from "./memo-table.js";
import { recordOnce, type Take } from "./record-once.js";

const MAX_LENGTH = 200;

/**
 * Takes a value once in a visit, and returns it on every re-run of that visit.
 *
 * - A visit is one scheduled run of a node, or one tool call, through all its interrupts, retries and crashes. A loop, a
 *   new input, a fork and a replay of an old checkpoint are new visits, and take new values.
 * - The value is found by `name` and `args`, never by the order of calls. The same name with other arguments in one visit
 *   is an error that names both; in a loop within a node, put the item into the name.
 * - Calls of one memo that run at the same time call `fn` once. Where two attempts or two processes run one visit, the value
 *   that is recorded first is that of both.
 * - What comes back is made from the record, also the first time: changing it changes no record. An error of `fn` is not
 *   recorded; the next call takes the value anew.
 * - Before `fn` is called, the visit's checkpoint is stored, so that a crash finds the record again.
 * - `fn` may call models and read; it may not call effects, approvals, waits, `interrupt()` or LangGraph's `task()`. A graph
 *   that it invokes is one of its own, and must not be handed the node's config.
 *
 * Outside a graph there is no visit to run again: `fn` is called each time and nothing is recorded.
 *
 * @param name 1 to 200 characters, unique in the visit
 * @param args plain JSON that decides the value; `fn` gets a copy
 * @param fn what to do once; the value may be anything that a graph's state may hold
 * @param config the node's or tool's config; optional where async-local storage works
 * @throws MemoConflictError, MemoUseError, InvalidInputError for arguments that are not plain JSON, UnstorableValueError for
 *   a value that cannot be stored, NoLedgerError, NotDurableError, StaleCheckpointError, StaleFenceError; what `fn` throws
 * @example
 * const draft = await memo("draft", { topic }, ({ topic }) => model.invoke(`Write about ${topic}`), config);
 */
export async function memo<A, R>(
  name: string,
  args: A,
  fn: (args: A) => R | Promise<R>,
  config?: RunnableConfig,
): Promise<R> {
  if (typeof name !== "string" || name === "" || name.length > MAX_LENGTH) {
    throw new InvalidInputError(`memo needs a name of 1 to ${MAX_LENGTH} characters: it finds the value again.`);
  }
  if (typeof fn !== "function") throw new InvalidInputError(`memo "${name}" needs a function that takes the value.`);
  return recordOnce({ kind: "memo", name, args, once: false }, (given) => fn(given as A), config);
}

/**
 * The time, by the ledger's clock, as it was when this visit first asked. See `memo`.
 *
 * @param name tells several apart; without one, it may be called once in a visit
 * @throws MemoUseError for a second call without a name; as `memo`
 * @example const dueAt = new Date((await now()).getTime() + 3_600_000);
 */
export async function now(name?: string, config?: RunnableConfig): Promise<Date> {
  return simple("now", name, (_, clock) => new Date(clock.now()), config);
}

/**
 * A random number from 0 up to 1, the same on every re-run of this visit. See `memo`.
 *
 * @param name tells several apart; without one, it may be called once in a visit
 * @throws MemoUseError for a second call without a name; as `memo`
 * @example const variant = (await random("variant")) < 0.5 ? "a" : "b";
 */
export async function random(name?: string, config?: RunnableConfig): Promise<number> {
  return simple("random", name, () => Math.random(), config);
}

/**
 * A random UUID, the same on every re-run of this visit. See `memo`.
 *
 * @param name tells several apart; without one, it may be called once in a visit
 * @throws MemoUseError for a second call without a name; as `memo`
 * @example const requestId = await uuid("request");
 */
export async function uuid(name?: string, config?: RunnableConfig): Promise<string> {
  return simple("uuid", name, () => randomUUID(), config);
}

function simple<R>(
  kind: MemoKind,
  name: string | undefined,
  take: Take<R>,
  config: RunnableConfig | undefined,
): Promise<R> {
  if (name !== undefined && (typeof name !== "string" || name === "" || name.length > MAX_LENGTH)) {
    throw new InvalidInputError(`The name of ${kind}() must have 1 to ${MAX_LENGTH} characters, or be left out.`);
  }
  return recordOnce({ kind, name: name ?? "", args: null, once: name === undefined }, take, config);
}
