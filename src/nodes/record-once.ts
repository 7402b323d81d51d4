import type { RunnableConfig } from "@langchain/core/runnables";
import { parse, stringify } from "../checkpointer/codec.js";
import { canonicalize, hashOf } from "../shared/canonical.js";
import { systemClock, type Clock } from "../shared/clock.js";
import { askedNowhere, outsideTask, runningTask, type RunningTask } from "../shared/langgraph.js";
import { barrier } from "./barrier.js";
import { stopOrReturn } from "./latch.js";
import { findLedger, type Ledger } from "./ledger.js";
import { MemoConflictError, MemoUseError } from "./memo-errors.js";
import { MemoTable, type MemoKey, type MemoKind, type MemoRow } from "./memo-table.js";
import { insideMemo, isNested, memosAround, taskAround } from "./run-scope.js";
import { deskOf, type Desk } from "./slots.js";
import { visitOf } from "./visit.js";

/** A value to be taken once in a visit. */
export interface Wanted {
  readonly kind: MemoKind;
  readonly name: string;
  readonly args: unknown;
  /** Whether a second call of the same attempt is to be refused, since it could not be told from the first. */
  readonly once: boolean;
}

/** Takes the value. The clock is the ledger's; `args` is a copy of what was given. */
export type Take<R> = (args: unknown, clock: Clock) => R | Promise<R>;

/**
 * The value that a visit recorded, or takes now and records. It is handed out as text inside, so that everybody makes a
 * value of their own from it.
 */
export async function recordOnce<R>(wanted: Wanted, take: Take<R>, config: RunnableConfig | undefined): Promise<R> {
  const args = wanted.args === undefined ? "null" : canonicalize(wanted.args, "args");
  const task = runningTask(config) ?? taskAround();
  if (task === undefined) return restore(store(await take(JSON.parse(args), systemClock), wanted));
  const ledger = findLedger(undefined, task);
  const desk = deskOf(ledger, task);
  const visit = visitOf(task);
  const key = { threadId: task.threadId, visit: visit.id, kind: wanted.kind, name: wanted.name };
  const id = JSON.stringify([visit.id, wanted.kind, wanted.name]);
  const nth = desk.ordinal(`memo:${id}`);
  const call: Call = { wanted, args, argsHash: hashOf(args), take, task, ledger, desk, key, id, nth };
  return desk.track(async () => {
    // Inside an effect or another memo, the outer one is what stops the run.
    if (task.checkpointer === undefined || !visit.inTool || isNested()) return restore(await textOf(call));
    const scope = { ledger, desk, task, visit, place: `memo:${id}:${nth}` };
    return restore(await stopOrReturn(scope, () => textOf(call)));
  });
}

interface Call {
  readonly wanted: Wanted;
  readonly args: string;
  readonly argsHash: string;
  readonly take: Take<unknown>;
  readonly task: RunningTask;
  readonly ledger: Ledger;
  readonly desk: Desk;
  readonly key: MemoKey;
  /** The key, as far as it differs within one attempt. */
  readonly id: string;
  /** How often it was called before in this attempt. */
  readonly nth: number;
}

interface Taking {
  readonly args: string;
  readonly argsHash: string;
  readonly row: Promise<MemoRow>;
}

/**
 * What is being taken, by attempt. Calls of one attempt wait for each other. A later attempt does not wait for one that
 * was given up and may hang; the value that is recorded first is that of both.
 */
const takings = new WeakMap<Desk, Map<string, Taking>>();

async function textOf(call: Call): Promise<string> {
  if (call.task.inTool && call.task.toolCallId === undefined) throw unknownCall(call);
  if (call.wanted.once && call.nth > 0) throw unnamedTwice(call);
  const recorded = new MemoTable(call.ledger.store).find(call.key);
  const row = recorded ?? (await takenOnce(call));
  refuseOtherArgs(row, call);
  return row.value;
}

async function takenOnce(call: Call): Promise<MemoRow> {
  const open = takings.get(call.desk) ?? new Map<string, Taking>();
  takings.set(call.desk, open);
  if (memosAround().includes(call.id)) throw callsItself(call);
  const other = open.get(call.id);
  // A memo inside another one waits for nobody: two that call each other would wait for ever.
  if (other === undefined || memosAround().length > 0) return taken(call, open);
  refuseOtherArgs(other, call);
  return other.row;
}

async function taken(call: Call, open: Map<string, Taking>): Promise<MemoRow> {
  const row = take(call);
  const taking = { args: call.args, argsHash: call.argsHash, row };
  if (!open.has(call.id)) open.set(call.id, taking);
  try {
    return await row;
  } finally {
    if (open.get(call.id) === taking) open.delete(call.id);
  }
}

async function take({ wanted, args, argsHash, take, task, ledger, key, id }: Call): Promise<MemoRow> {
  await barrier(task, task.config, ledger);
  const refuse = (): never => {
    throw new MemoUseError(
      `A LangGraph task, or a graph that was handed the node's config, was called inside the function of ${called(wanted)}. LangGraph ` +
        `finds those after it again by their place, which moves as soon as the memo is skipped. Call the task in the node itself; ` +
        `call the graph without the config, and it is one of its own.`,
      where(task, wanted),
    );
  };
  const { clock } = ledger.store;
  const work = (): unknown => take(JSON.parse(args), clock);
  try {
    const value = await insideMemo(wanted.name, id, task, () => outsideTask(task, refuse, work));
    return new MemoTable(ledger.store).record(key, { args, argsHash, value: store(value, wanted) });
  } catch (error) {
    throw askedNowhere(error) ? askedInside(wanted, task, error) : error;
  }
}

function refuseOtherArgs({ args, argsHash }: Pick<MemoRow, "args" | "argsHash">, call: Call): void {
  if (argsHash !== call.argsHash) throw conflict(args, call);
}

function store(value: unknown, wanted: Wanted): string {
  return stringify(value, `The value of ${called(wanted)}`);
}

function restore<R>(text: string): R {
  return parse(text) as R;
}

function called({ kind, name }: Wanted): string {
  if (kind === "memo") return `memo "${name}"`;
  return name === "" ? `${kind}()` : `${kind}("${name}")`;
}

const LONGEST = 200;

function conflict(before: string, { wanted, args, task }: Call): MemoConflictError {
  const [old, now] = [before, args].map((text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text));
  return new MemoConflictError(
    `In one visit of thread "${task.threadId}", ${called(wanted)} was called with two different arguments: ${old} before, ${now} ` +
      `now. The value of before is not handed out. Put what tells them apart into the name, and take arguments from the ` +
      `state, not from what changes between two passes.`,
    where(task, wanted),
  );
}

function unnamedTwice({ wanted, task }: Call): MemoUseError {
  return new MemoUseError(
    `${wanted.kind}() was called twice without a name in one visit of thread "${task.threadId}". The order of calls may change ` +
      `from pass to pass, so that only a name tells them apart: ${wanted.kind}("what it is for").`,
    where(task, wanted),
  );
}

function unknownCall({ wanted, task }: Call): MemoUseError {
  return new MemoUseError(
    `In a tool on thread "${task.threadId}", it cannot be told which tool call ${called(wanted)} belongs to, so that two calls ` +
      `would share one value. Pass the config that the tool was given as the last argument.`,
    where(task, wanted),
  );
}

function callsItself({ wanted, task }: Call): MemoUseError {
  return new MemoUseError(`The function of ${called(wanted)} calls the same memo again.`, where(task, wanted));
}

function askedInside(wanted: Wanted, task: RunningTask, cause: unknown): MemoUseError {
  return new MemoUseError(
    `The function of ${called(wanted)} called interrupt(), or a graph that did. It is skipped once its value is recorded, ` +
      `and the answers to later questions would go astray. Ask in the node itself, and hand the answer to the memo.`,
    { cause, ...where(task, wanted) },
  );
}

function where({ threadId, checkpointNs }: RunningTask, { name }: Wanted) {
  return { details: { threadId, checkpointNs, name } };
}
