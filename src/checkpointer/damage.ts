import { WaypointError } from "../shared/errors.js";
import { isDatabaseError } from "../store/errors.js";
import { CorruptObjectError } from "./errors.js";

/**
 * Runs what makes values from stored rows. Whatever it trips over is damage in the database, and said to be; but a
 * database that does not answer is no damage: its errors stay what they are.
 *
 * @throws CorruptObjectError
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (WaypointError.is(error) || isDatabaseError(error)) throw error;
    throw damaged(what, error);
  }
}

export function damaged(what: string, cause?: unknown): CorruptObjectError {
  return new CorruptObjectError(
    `${what} cannot be read: what is stored of it is damaged, and no older state is handed out in its place. ` +
      `Restore the database from a backup, or continue from another checkpoint of the thread.`,
    { cause, details: { what } },
  );
}
