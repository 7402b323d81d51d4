import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { actionsCommand } from "./commands/actions.js";
import { approveCommand } from "./commands/approve.js";
import { exportCommand } from "./commands/export.js";
import { importCommand } from "./commands/import.js";
import { auditCommand } from "./commands/audit.js";
import { loopsCommand } from "./commands/loops.js";
import { pruneCommand } from "./commands/prune.js";
import { reconcileCommand } from "./commands/reconcile.js";
import { rejectCommand } from "./commands/reject.js";
import { resolveCommand } from "./commands/resolve.js";
import { showCommand } from "./commands/show.js";
import { compactCommand, statsCommand, verifyCommand } from "./commands/storage.js";
import { threadsCommand } from "./commands/threads.js";
import { failureLine } from "./failure.js";
import type { Terminal } from "./terminal.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

const COMMANDS = [
  showCommand,
  threadsCommand,
  actionsCommand,
  approveCommand,
  rejectCommand,
  reconcileCommand,
  resolveCommand,
  statsCommand,
  verifyCommand,
  pruneCommand,
  compactCommand,
  importCommand,
  exportCommand,
  auditCommand,
  loopsCommand,
];

/** Runs one command. Whatever is wrong becomes one line on stderr and an exit code of 1, never a stack. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await programFor(terminal).parseAsync(args, { from: "user" });
  } catch (error) {
    // What is wrong with the arguments, commander has printed already.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.err(`waypoint: ${failureLine(error)}\n`);
    return 1;
  }
  return terminal.exitCode;
}

function programFor(terminal: Terminal): Command {
  const program = new Command("waypoint")
    .description("Where LangGraph threads stand, and what waits for a person.")
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });
  for (const make of COMMANDS) program.addCommand(make(terminal).copyInheritedSettings(program));
  return program;
}
