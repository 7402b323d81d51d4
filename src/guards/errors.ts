import { WaypointError } from "../shared/errors.js";

/** Options of a guard contradict each other or have the wrong shape; the guard was not made, or the override not used. */
export class LoopOptionsError extends WaypointError {
  readonly code = "LOOP_OPTIONS";
}

/** An agent repeated itself until the guard stopped it. The thread keeps its state; nothing was lost. */
export class LoopTrippedError extends WaypointError {
  readonly code = "LOOP_TRIPPED";
}
