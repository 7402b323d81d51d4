import type { Command } from "commander";
import { pendingApprovals } from "../../nodes/decide.js";
import { ledgerOf } from "../../nodes/ledger.js";
import { systemClock } from "../../shared/clock.js";
import { withDatabase } from "../database.js";
import { CommandFailure } from "../failure.js";
import { renderPosition } from "../render-position.js";
import { fullPosition, redactedPosition } from "../shown-position.js";
import type { ShownPosition } from "../shown-position.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand, NO_REDACT } from "./options.js";
import type { ShowingOptions } from "./options.js";

/** `waypoint show <thread>` */
export function showCommand(terminal: Terminal): Command {
  return databaseCommand("show", "where a thread stands: state, steps, todos, effects, what it waits for")
    .argument("<thread>", "the thread's id")
    .option(...NO_REDACT)
    .action(async (threadId: string, options: ShowingOptions) => {
      const shown = await read(threadId, options);
      const text = renderPosition(shown, { colors: terminal.colors, now: systemClock.now() });
      print(terminal, { text, json: shown }, options);
    });
}

async function read(threadId: string, options: ShowingOptions): Promise<ShownPosition> {
  return withDatabase(options, async (saver) => {
    const position = await saver.position(threadId);
    if (position === undefined) throw new CommandFailure(`There is no thread "${threadId}" in "${options.db}".`);
    const approvals = await pendingApprovals(ledgerOf(saver), { threadId });
    return options.redact ? redactedPosition(position, approvals) : fullPosition(position, approvals);
  });
}
