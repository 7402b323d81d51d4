import { WaypointError } from "../shared/errors.js";

export { StaleFenceError } from "../checkpointer/errors.js";

/** There is nowhere to write the intent down, so nothing was done. */
export class NoLedgerError extends WaypointError {
  readonly code = "NO_LEDGER";
}

/** The definition of an effect is wrong, or is used where it cannot work. */
export class EffectDefinitionError extends WaypointError {
  readonly code = "EFFECT_DEFINITION";
}

/** `autoKey` was used where no stable visit gives the key; nothing was done. */
export class AutoKeyError extends WaypointError {
  readonly code = "AUTO_KEY";
}

/** The key stands for other arguments already; nothing was done, and no old result is handed out. */
export class IdempotencyConflictError extends WaypointError {
  readonly code = "IDEMPOTENCY_CONFLICT";
}

/** Another call, here or in another process, is carrying this effect out right now; nothing was done. */
export class EffectInProgressError extends WaypointError {
  readonly code = "EFFECT_IN_PROGRESS";
}

/** It is not known whether the effect happened. It is not repeated until that is settled. */
export class UnknownOutcomeError extends WaypointError {
  readonly code = "UNKNOWN_OUTCOME";
}

/** The effect was undone, or is being undone; a new business action needs a new key. */
export class CompensatedError extends WaypointError {
  readonly code = "COMPENSATED";
}

/** An open matter of this thread holds up its effects until it is settled; nothing was done. */
export class EffectLatchedError extends WaypointError {
  readonly code = "EFFECT_LATCHED";
}

/** An attempt took longer than its `timeout` and was given up; whether it happened is looked up, or asked. */
export class EffectTimeoutError extends WaypointError {
  readonly code = "EFFECT_TIMEOUT";
}

/** A transient failure is to be tried again, but not yet; nothing was done. */
export class EffectNotDueError extends WaypointError {
  readonly code = "EFFECT_NOT_DUE";
}

/** The other side keeps failing, so the effect is held back for a while; nothing was done. */
export class CircuitOpenError extends WaypointError {
  readonly code = "CIRCUIT_OPEN";
}

/** The effect happened, but what it returned cannot be stored and so cannot be handed out again. */
export class ResultNotStorableError extends WaypointError {
  readonly code = "RESULT_NOT_STORABLE";
}

/** The ledger's database cannot be written: a full disk, a closed store, a lock that does not end. */
export class LedgerUnavailableError extends WaypointError {
  readonly code = "LEDGER_UNAVAILABLE";
}

/** A node went on although it, or something that it called, had stopped to ask; nothing that it deferred was carried out. */
export class InterruptSwallowedError extends WaypointError {
  readonly code = "INTERRUPT_SWALLOWED";
}

/** No effect or matter has this id. */
export class EffectNotFoundError extends WaypointError {
  readonly code = "EFFECT_NOT_FOUND";
}

/** The outcome is known already; the resolution changed nothing. */
export class EffectClosedError extends WaypointError {
  readonly code = "EFFECT_CLOSED";
}

/** What is kept of an error after a definite refusal. */
export interface RecordedError {
  readonly class: string;
  readonly name: string;
  readonly message: string;
}

/**
 * The recorded refusal of an effect, thrown again when the same visit runs again.
 *
 * `name` and `message` are those of the original error, so that a model reads the same text on every pass; the code is
 * always `EFFECT_FAILED`.
 */
export class EffectFailedError extends WaypointError {
  readonly code = "EFFECT_FAILED";
  readonly recorded: RecordedError;

  constructor(recorded: RecordedError, details: { effectId: string; name: string; key: string }) {
    super(recorded.message, { details: { ...details, class: recorded.class } });
    this.recorded = recorded;
    this.name = recorded.name;
  }
}
