import type { DecisionInput } from "../../nodes/approval.js";
import { decide } from "../../nodes/decide.js";
import { ledgerOf } from "../../nodes/ledger.js";
import { withApp, type AppOptions } from "../app.js";
import { withDatabase } from "../database.js";
import { renderDecision } from "../render-decision.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { wakeThread } from "../woken.js";
import type { CommonOptions } from "./options.js";

export interface DecidingOptions extends CommonOptions, AppOptions {
  readonly by: string;
}

/** Decides an approval and prints what came of it; the exit code is 1 when it changed nothing, or the run failed. */
export async function decideAndPrint(
  terminal: Terminal,
  id: string,
  decision: DecisionInput,
  options: DecidingOptions,
): Promise<void> {
  const [decided, woken] = await withDatabase(options, (saver) =>
    // A graph that cannot be loaded decides nothing.
    withApp(options, saver, terminal, async (app) => {
      const ledger = ledgerOf(saver);
      const result = await decide(ledger, id, decision, { by: options.by });
      const { approval, applied } = result;
      return [result, applied ? await wakeThread(app, approval.threadId, ledger) : { woken: false }] as const;
    }),
  );
  const { applied, reason, approval } = decided;
  const { threadId, action, state } = approval;
  const message = decided.message ?? woken.message;
  const json = { applied, woken: woken.woken, reason, message, approval: { id, threadId, action, state } };
  print(terminal, { text: renderDecision(decided, woken, terminal.colors), json }, options);
  if (!applied || woken.failed) terminal.exitCode = 1;
}

export const NOT_WOKEN =
  "\nThe decision is recorded and synced to disk. With --app the thread goes on here, until it asks again or ends; without,\n" +
  "it goes on when your program calls resume(app, config).";
