import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { Keep } from "../../checkpointer/index.js";
import type { Duration } from "../../shared/clock.js";
import { withDatabase } from "../database.js";
import { renderPrune } from "../render-storage.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand } from "./options.js";
import type { CommonOptions } from "./options.js";

interface PruneCommandOptions extends CommonOptions {
  readonly keep: Keep;
  readonly olderThan?: Duration;
  readonly thread?: string[];
  readonly dryRun?: boolean;
}

/** `waypoint prune` */
export function pruneCommand(terminal: Terminal): Command {
  return databaseCommand("prune", "removes checkpoints that are no longer needed, and what only they used")
    .requiredOption("--keep <what>", "latest, anchors, or how many of the newest", keepOf)
    .option("--older-than <duration>", "only checkpoints older than this: 12h, 30d")
    .option("--thread <id...>", "only these threads")
    .option("--dry-run", "say what would go, and remove nothing")
    .action(async (options: PruneCommandOptions) => {
      const { keep, olderThan, thread: threads, dryRun = false } = options;
      const report = await withDatabase(options, (saver) =>
        saver.prune({
          keep,
          dryRun,
          ...(olderThan === undefined ? {} : { olderThan }),
          ...(threads === undefined ? {} : { threads }),
        }),
      );
      print(terminal, { text: renderPrune(report, dryRun, terminal.colors), json: { ...report, dryRun } }, options);
    });
}

function keepOf(text: string): Keep {
  if (text === "latest" || text === "anchors") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return { last: Number(text) };
  throw new InvalidArgumentError('Say "latest", "anchors", or a whole number from 1.');
}
