import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import type { RunningTask } from "../shared/langgraph.js";
import { barrier } from "./barrier.js";
import { stopOrReturn } from "./latch.js";
import { findLedger, type Ledger } from "./ledger.js";
import { taskFor } from "./request-approval.js";
import { claimSlot } from "./slot-claims.js";
import { deskOf, type Desk } from "./slots.js";
import { visitOf, type Visit } from "./visit.js";
import type { WaitKind } from "./wait.js";
import { WaitTable } from "./wait-table.js";

/** Where a wait is asked for. */
export interface WaitScope {
  readonly task: RunningTask;
  readonly visit: Visit;
  readonly ledger: Ledger;
  readonly desk: Desk;
  readonly table: WaitTable;
}

/**
 * The scope of a call that waits.
 *
 * @throws InvalidInputError outside a graph or without a checkpointer: nobody could go on with it; NoLedgerError,
 *   EffectDefinitionError inside an effect, MemoUseError inside a memo
 */
export function waitScope(what: string, config: RunnableConfig | undefined): WaitScope {
  const task = taskFor(what, config);
  if (task.checkpointer === undefined) {
    throw new InvalidInputError(
      `${what} was called in a graph without a checkpointer, so nothing could go on with it later. Compile the graph with one.`,
      { details: { threadId: task.threadId } },
    );
  }
  const ledger = findLedger(undefined, task);
  return { task, visit: visitOf(task), ledger, desk: deskOf(ledger, task), table: new WaitTable(ledger.store) };
}

/** The slot of a wait, among those of its kind and name in this visit. To be called before anything is awaited. */
export function waitSlot({ desk, table, visit }: WaitScope, kind: WaitKind, name: string, asked: string): string {
  const rows = table.ofVisit(visit.threadId, visit.id);
  const slotted = rows.map((row) => ({ slot: row.slot, action: actionOf(row.kind, row.name), argsHash: row.asked }));
  return claimSlot(desk, "wait", slotted, { action: actionOf(kind, name), argsHash: asked });
}

function actionOf(kind: WaitKind, name: string): string {
  return `${kind}:${name}`;
}

/** Runs a wait as one of the visit's operations; in a tool, what must not become advice for the model stops the run. */
export async function inScope<T>(scope: WaitScope, place: string, work: () => Promise<T>): Promise<T> {
  const { desk, visit } = scope;
  return desk.track(() => (visit.inTool ? stopOrReturn({ ...scope, place }, work) : work()));
}

/** The last moment that a date can name. */
const END_OF_TIME = 8.64e15;

/** @throws InvalidInputError for a moment that no date can name */
export function momentAfter(delay: number, { ledger }: WaitScope): number {
  const moment = Math.ceil(ledger.store.clock.now() + delay);
  if (moment <= END_OF_TIME) return moment;
  throw new InvalidInputError(
    `A wait of ${delay} ms ends after the last moment that a date can name. Nothing was done.`,
  );
}

/** The visit's checkpoint is stored before the row that belongs to it; the row's commit syncs both. */
export async function beforeRow({ task, ledger }: WaitScope, config: RunnableConfig | undefined): Promise<void> {
  await barrier(task, config ?? task.config, ledger);
}
