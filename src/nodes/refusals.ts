import { isGraphBubbleUp } from "@langchain/langgraph";
import type { EffectRow, Latch } from "./effect-row.js";
import type { Intent } from "./effect-table.js";
import {
  CompensatedError,
  EffectDefinitionError,
  EffectFailedError,
  EffectInProgressError,
  EffectLatchedError,
  EffectNotDueError,
  IdempotencyConflictError,
  StaleFenceError,
  UnknownOutcomeError,
  type RecordedError,
} from "./errors.js";
import type { Move } from "./next-move.js";

type Why = Extract<Move, { do: "refuse" }>["why"];

const UNRECORDED: RecordedError = { class: "persistent", name: "Error", message: "refused" };

/** The error of a call that the row forbids; `recorded` is the refusal that its visit got. */
export function refusal(why: Why, row: EffectRow, recorded: RecordedError | undefined): Error {
  const { id, name, key, threadId } = row;
  const details = { effectId: id, name, key, threadId };
  const which = `Effect "${name}" with key "${key}"`;
  switch (why) {
    case "failed":
      return new EffectFailedError(recorded ?? UNRECORDED, details);
    case "conflict":
      return new IdempotencyConflictError(
        `${which} is recorded (${row.state}, thread "${threadId}") with other arguments. Nothing was done. Two different ` +
          `actions need two keys: put what tells them apart into the key.`,
        { details },
      );
    case "busy":
      return new EffectInProgressError(
        `${which} is being carried out right now (attempt ${row.attempt}, since ${new Date(row.since).toISOString()}` +
          `, thread "${threadId}"). Nothing was done. Run again later, or set whenBusy: "wait".`,
        { details },
      );
    case "compensated":
      return new CompensatedError(
        `${which} is ${row.state}: it was taken back, or is being taken back. A new business action needs a new key.`,
        { details },
      );
  }
}

/** What `run` threw; LangGraph cannot work with a thrown value that is no object. */
export function asError(thrown: unknown, { message }: RecordedError): unknown {
  if (typeof thrown === "object" && thrown !== null) return thrown;
  return new Error(message, { cause: thrown });
}

export function latched(latch: Latch, { id, name, key }: Intent): EffectLatchedError {
  return new EffectLatchedError(
    `Thread "${latch.threadId}" is held up by an open matter (${latch.code}: ${latch.message}), so effect "${name}" was not ` +
      `carried out. Settle it by answering its question, or with resolve(ledger, "${latch.matter}", { as, by, evidence }).`,
    { details: { threadId: latch.threadId, matter: latch.matter, effectId: id, key } },
  );
}

export function notDue({ id, name, key, threadId, error }: EffectRow, until: number): EffectNotDueError {
  const due = new Date(until).toISOString();
  return new EffectNotDueError(
    `Effect "${name}" with key "${key}" did not get through (${error?.message ?? "transient failure"}) and may be tried again ` +
      `from ${due} on. Nothing was done; run the node again then.`,
    { details: { effectId: id, key, threadId, dueAt: due } },
  );
}

export function unknownOutcome({ id, name, key, threadId, evidence }: EffectRow, cause?: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `It is not known whether effect "${name}" with key "${key}" happened (${evidence ?? "no evidence"}), and nobody can be ` +
      `asked here. It is not repeated. Find out, then call resolve(ledger, "${id}", { as, by, evidence }), or give the ` +
      `effect a lookup.`,
    { cause, details: { effectId: id, key, threadId } },
  );
}

/** The effect happened, and the ledger does not know. */
export function unrecorded({ id, name, key, threadId }: EffectRow, cause: Error): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `Effect "${name}" with key "${key}" happened, but that could not be recorded. ${cause.message} It is not repeated ` +
      `blindly: the next run looks it up or asks.`,
    { cause, details: { effectId: id, key, threadId } },
  );
}

export function staleFence({ id, name, key, threadId, attempt, fence }: EffectRow, came: string): StaleFenceError {
  return new StaleFenceError(
    `Somebody else took over effect "${name}" with key "${key}" while attempt ${attempt} was under way. What it brought ` +
      `(${came}) was kept as evidence and changed nothing; run the node again to get what the ledger has.`,
    { details: { effectId: id, key, threadId, fence } },
  );
}

/** Whether LangGraph stops the run by this error. */
export function isBubbleUp(error: unknown): boolean {
  return typeof error === "object" && error !== null && isGraphBubbleUp(error);
}

export function brokenOff({ id, name, key, threadId }: EffectRow, cause: unknown): EffectDefinitionError {
  return new EffectDefinitionError(
    `The run of effect "${name}" called interrupt(), which breaks it off in the middle; whether it had done something by ` +
      `then is unknown. Ask before the effect, not inside it, then settle this one with resolve(ledger, "${id}", …).`,
    { cause, details: { effectId: id, key, threadId } },
  );
}
