import type { Command } from "commander";
import { APP } from "../app.js";
import type { Terminal } from "../terminal.js";
import { decideAndPrint, NOT_WOKEN } from "./decision.js";
import type { DecidingOptions } from "./decision.js";
import { databaseCommand } from "./options.js";

/** `waypoint approve <approval>` */
export function approveCommand(terminal: Terminal): Command {
  return databaseCommand("approve", "approves an action that waits for a person")
    .argument("<approval>", "the approval's id, as `waypoint show` prints it")
    .requiredOption("--by <name>", "who approves")
    .option(...APP)
    .addHelpText("after", NOT_WOKEN)
    .action((id: string, options: DecidingOptions) => decideAndPrint(terminal, id, { type: "approve" }, options));
}
