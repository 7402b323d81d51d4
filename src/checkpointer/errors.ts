import { WaypointError } from "../shared/errors.js";

/** The configuration names no thread, or names it with something that cannot be an id. */
export class ThreadIdError extends WaypointError {
  readonly code = "THREAD_ID";
}

/** Another run has moved this thread on; this run's checkpoint was refused and nothing of it was stored. */
export class StaleCheckpointError extends WaypointError {
  readonly code = "STALE_CHECKPOINT";
}

/** Somebody else owns the thread, or took the effect over; what came late changed nothing. */
export class StaleFenceError extends WaypointError {
  readonly code = "STALE_FENCE";
}

/** A value in the state cannot be stored (a cycle, a function, nesting beyond 500 levels, a getter that throws); nothing was written. */
export class UnstorableValueError extends WaypointError {
  readonly code = "UNSTORABLE_VALUE";
}

/** What is stored of a checkpoint is missing or damaged; nothing older is handed out in its place. */
export class CorruptObjectError extends WaypointError {
  readonly code = "CORRUPT_OBJECT";
}

/** The checkpoint that names this visit is not on disk (yet, or ever, under `durability: "exit"`). */
export class NotDurableError extends WaypointError {
  readonly code = "NOT_DURABLE";
}

/** A checkpoint that was imported does not read back as the other checkpointer gives it; it was taken out again. */
export class ImportMismatchError extends WaypointError {
  readonly code = "IMPORT_MISMATCH";
}

/** This thread may not read this artifact: it does not hold it, or `authorize` refused. Which of the two is not said. */
export class ArtifactDeniedError extends WaypointError {
  readonly code = "ARTIFACT_DENIED";
}

/** The content or the label of an artifact is missing or damaged; nothing else is handed out in its place. */
export class ArtifactCorruptError extends WaypointError {
  readonly code = "ARTIFACT_CORRUPT";
}
