import type { Command } from "commander";
import { APP } from "../app.js";
import type { Terminal } from "../terminal.js";
import { decideAndPrint, NOT_WOKEN } from "./decision.js";
import type { DecidingOptions } from "./decision.js";
import { databaseCommand } from "./options.js";

interface RejectOptions extends DecidingOptions {
  readonly reason?: string;
}

/** `waypoint reject <approval>` */
export function rejectCommand(terminal: Terminal): Command {
  return databaseCommand("reject", "rejects an action that waits for a person")
    .argument("<approval>", "the approval's id, as `waypoint show` prints it")
    .requiredOption("--by <name>", "who rejects")
    .option("--reason <text>", "why; the model reads it")
    .option(...APP)
    .addHelpText("after", NOT_WOKEN)
    .action((id: string, options: RejectOptions) => {
      const { reason } = options;
      return decideAndPrint(terminal, id, { type: "reject", ...(reason === undefined ? {} : { reason }) }, options);
    });
}
