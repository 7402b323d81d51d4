import { WaypointError } from "../shared/errors.js";
import { hidden, printable } from "./terminal-text.js";

/** What was asked for cannot be done; the message is for the terminal, and the exit code is 1. */
export class CommandFailure extends Error {}

/** One line about what went wrong; the key of an effect is a value, and values are hidden. */
export function failureLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const key = WaypointError.is(error) ? error.details.key : undefined;
  return printable(typeof key === "string" ? message.replaceAll(`"${key}"`, hidden(key)) : message);
}
