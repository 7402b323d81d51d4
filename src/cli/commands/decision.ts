import type { DecisionInput } from "../../nodes/approval.js";
import { decide } from "../../nodes/decide.js";
import { ledgerOf } from "../../nodes/ledger.js";
import { withDatabase } from "../database.js";
import { renderDecision } from "../render-decision.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import type { CommonOptions } from "./options.js";

export interface DecidingOptions extends CommonOptions {
  readonly by: string;
}

/** Decides an approval and prints what came of it; the exit code is 1 when it changed nothing. */
export async function decideAndPrint(
  terminal: Terminal,
  id: string,
  decision: DecisionInput,
  options: DecidingOptions,
): Promise<void> {
  const decided = await withDatabase(options, (saver) => decide(ledgerOf(saver), id, decision, { by: options.by }));
  const { applied, woken, reason, message, approval } = decided;
  const { threadId, action, state } = approval;
  const json = { applied, woken, reason, message, approval: { id, threadId, action, state } };
  print(terminal, { text: renderDecision(decided, terminal.colors), json }, options);
  if (!applied) terminal.exitCode = 1;
}

export const NOT_WOKEN =
  "\nThe decision is recorded and synced to disk; the thread goes on when your program calls resume(app, config).";
