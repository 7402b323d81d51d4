import { Option } from "commander";
import type { Command } from "commander";
import { EffectTable } from "../../nodes/effect-table.js";
import { ledgerOf } from "../../nodes/ledger.js";
import type { Resolution } from "../../nodes/resolution.js";
import { resolve } from "../../nodes/resolve.js";
import { APP, withApp, type AppOptions } from "../app.js";
import { withDatabase } from "../database.js";
import { CommandFailure } from "../failure.js";
import { renderResolution } from "../render-decision.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { wakeThread, type Woken } from "../woken.js";
import { NOT_WOKEN } from "./decision.js";
import { databaseCommand } from "./options.js";
import type { CommonOptions } from "./options.js";

interface ResolveOptions extends CommonOptions, AppOptions {
  readonly as: Resolution["as"];
  readonly evidence: string;
  readonly by: string;
  readonly result?: string;
}

const OUTCOMES = ["succeeded", "failed", "retry"] as const satisfies readonly Resolution["as"][];

/** `waypoint resolve <effect>` */
export function resolveCommand(terminal: Terminal): Command {
  return databaseCommand("resolve", "settles an effect whose outcome is unknown")
    .argument("<effect>", "the effect's id, as `waypoint show` and `waypoint actions` print it")
    .addOption(new Option("--as <outcome>", "what happened").choices(OUTCOMES).makeOptionMandatory())
    .requiredOption("--evidence <text>", "how that is known")
    .requiredOption("--by <name>", "who says so")
    .option("--result <json>", "with --as succeeded: what the call returned")
    .option(...APP)
    .addHelpText("after", NOT_WOKEN)
    .action(async (id: string, options: ResolveOptions) => {
      const { as } = options;
      const { name, threadId, woken } = await settle(id, options, terminal);
      const json = { resolved: true, woken: woken.woken, message: woken.message, effect: { id, name, threadId, as } };
      print(terminal, { text: renderResolution({ name, threadId, as }, woken, terminal.colors), json }, options);
      if (woken.failed) terminal.exitCode = 1;
    });
}

interface Settled {
  readonly name: string;
  readonly threadId: string;
  readonly woken: Woken;
}

async function settle(id: string, options: ResolveOptions, terminal: Terminal): Promise<Settled> {
  const { as, evidence, by, result } = options;
  const value = result === undefined ? {} : { result: parsed(result) };
  return withDatabase(options, (saver) =>
    withApp(options, saver, terminal, async (app) => {
      const ledger = ledgerOf(saver);
      await resolve(ledger, id, { as, evidence, by, ...value });
      const table = new EffectTable(ledger.store);
      const threadId = (table.find(id) ?? table.findLatch(id))?.threadId ?? "";
      return { name: table.find(id)?.name ?? "the matter", threadId, woken: await wakeThread(app, threadId, ledger) };
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`--result must be JSON; got ${text}`);
  }
}
