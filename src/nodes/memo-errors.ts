import { WaypointError } from "../shared/errors.js";

/** One name was used with two different arguments in one visit; no old value is handed out. */
export class MemoConflictError extends WaypointError {
  readonly code = "MEMO_CONFLICT";
}

/** A memo was used where its value could not be told from another, or not be found again. */
export class MemoUseError extends WaypointError {
  readonly code = "MEMO_USE";
}
