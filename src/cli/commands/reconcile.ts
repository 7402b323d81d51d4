import type { Command } from "commander";
import { EffectTable } from "../../nodes/effect-table.js";
import { ledgerOf, type Ledger } from "../../nodes/ledger.js";
import { reconcile } from "../../nodes/reconcile.js";
import { APP, withApp, type AppOptions } from "../app.js";
import { withDatabase } from "../database.js";
import { renderReconciled } from "../render-reconciled.js";
import type { ShownReconciled, ShownReport } from "../render-reconciled.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { hidden } from "../terminal-text.js";
import { databaseCommand, NO_REDACT } from "./options.js";
import type { ShowingOptions } from "./options.js";

interface ReconcileOptions extends ShowingOptions, AppOptions {
  readonly thread?: string;
}

/** `waypoint reconcile` */
export function reconcileCommand(terminal: Terminal): Command {
  return databaseCommand("reconcile", "asks the lookup of every effect whose outcome is open")
    .option("--thread <id>", "only this thread's effects")
    .option(...APP)
    .option(...NO_REDACT)
    .addHelpText("after", NEEDS_APP)
    .action(async (options: ReconcileOptions) => {
      const report = await withDatabase(options, (saver) =>
        withApp(options, saver, terminal, (app) => reported(ledgerOf(saver), app !== undefined, options)),
      );
      print(terminal, { text: renderReconciled(report, terminal.colors), json: report }, options);
      if (report.effects.some(({ now }) => now === "unknown" || now === "not asked")) terminal.exitCode = 1;
    });
}

const NEEDS_APP =
  "\nAn effect's lookup is your code: --app loads it, with every module that it imports. Without --app nobody is asked, and\n" +
  "nothing is changed. Threads that wait for an outcome go on when they are resumed. Exit code 1: something is still open.";

async function reported(ledger: Ledger, asked: boolean, { thread, redact }: ReconcileOptions): Promise<ShownReport> {
  const effects = asked
    ? (await reconcile(ledger, thread === undefined ? {} : { threadId: thread })).effects
    : open(ledger, thread);
  return { asked, redacted: redact, effects: redact ? effects.map(redacted) : effects };
}

function open({ store }: Ledger, thread: string | undefined): ShownReconciled[] {
  return new EffectTable(store)
    .open(thread)
    .map(({ id, name, key, threadId }) => ({ effectId: id, name, key, threadId, now: "not asked" }));
}

/** Why something is unknown may quote what a service said. */
function redacted({ key, why, ...effect }: ShownReconciled): ShownReconciled {
  return { ...effect, key: hidden(key), ...(why === undefined ? {} : { why: hidden(why) }) };
}
