import type { Command } from "commander";
import { EffectTable } from "../../nodes/effect-table.js";
import { ledgerOf } from "../../nodes/ledger.js";
import { withDatabase } from "../database.js";
import { CommandFailure } from "../failure.js";
import { renderActions } from "../render-actions.js";
import type { ActionsOfThread } from "../render-actions.js";
import { shownAction } from "../shown-actions.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand, NO_REDACT } from "./options.js";
import type { ShowingOptions } from "./options.js";

/** `waypoint actions <thread>` */
export function actionsCommand(terminal: Terminal): Command {
  return databaseCommand("actions", "a thread's effects on the outside world: attempts, outcomes, evidence")
    .argument("<thread>", "the thread's id")
    .option(...NO_REDACT)
    .action(async (threadId: string, options: ShowingOptions) => {
      const shown = await read(threadId, options);
      print(terminal, { text: renderActions(shown, terminal.colors), json: shown }, options);
    });
}

/** The ledger keeps effects of a thread whose checkpoints were deleted, so either makes a thread known. */
async function read(threadId: string, options: ShowingOptions): Promise<ActionsOfThread> {
  return withDatabase(options, async (saver) => {
    const table = new EffectTable(ledgerOf(saver).store);
    const rows = table.all(threadId);
    if (rows.length === 0 && (await saver.position(threadId)) === undefined) {
      throw new CommandFailure(`There is no thread "${threadId}" in "${options.db}".`);
    }
    const actions = rows.map((row) => shownAction(row, table.attempts(row.id), options.redact));
    return { threadId, redacted: options.redact, actions };
  });
}
