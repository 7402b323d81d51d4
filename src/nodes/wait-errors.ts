import { WaypointError } from "../shared/errors.js";

/** As many attempts as `retryLater` allows have failed. */
export class RetriesExhaustedError extends WaypointError {
  readonly code = "RETRIES_EXHAUSTED";
}
