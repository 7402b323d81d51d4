import { Command, InvalidArgumentError } from "commander";
import type { DatabaseOptions } from "../database.js";

/** What every command takes. */
export interface CommonOptions extends DatabaseOptions {
  readonly json?: boolean;
}

/** What commands take that show values. */
export interface ShowingOptions extends CommonOptions {
  readonly redact: boolean;
}

/** A command with the options that all of them have. */
export function databaseCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption("--db <file>", "the database that the agent's SlimSaver writes")
    .option("--tenant <name>", "the tenant that the SlimSaver is bound to")
    .option("--key-file <file>", "the key of a sealed database (or WAYPOINT_KEY): 32 bytes, hex or base64")
    .option("--objects <folder>", "the folder that the SlimSaver's fileObjects keeps large contents in")
    .option("--json", "print one line of JSON");
}

export const NO_REDACT = ["--no-redact", "show keys, arguments, messages and evidence as they are"] as const;

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
