import type { Command } from "commander";
import type { SlimSaver } from "../../checkpointer/index.js";
import { withDatabase } from "../database.js";
import { CommandFailure } from "../failure.js";
import { renderStats, renderVerify } from "../render-storage.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand } from "./options.js";
import type { CommonOptions } from "./options.js";

interface ThreadOptions extends CommonOptions {
  readonly thread?: string;
}

const ONE_THREAD = ["--thread <id>", "only this thread"] as const;

/** `waypoint stats` */
export function statsCommand(terminal: Terminal): Command {
  return databaseCommand("stats", "how much is stored: threads, checkpoints, objects, bytes")
    .option(...ONE_THREAD)
    .action(async (options: ThreadOptions) => {
      const stats = await withDatabase(options, async (saver) => saver.stats(await scopeOf(saver, options)));
      print(terminal, { text: renderStats(stats, terminal.colors), json: stats }, options);
    });
}

/** `waypoint verify`: exits with 1 when something is missing or damaged. */
export function verifyCommand(terminal: Terminal): Command {
  return databaseCommand("verify", "reads everything that is referred to, and checks it against its hash")
    .option(...ONE_THREAD)
    .action(async (options: ThreadOptions) => {
      const report = await withDatabase(options, async (saver) => saver.verify(await scopeOf(saver, options)));
      print(terminal, { text: renderVerify(report, terminal.colors), json: report }, options);
      if (!report.ok) terminal.exitCode = 1;
    });
}

/** `waypoint compact` */
export function compactCommand(terminal: Terminal): Command {
  return databaseCommand("compact", "gives freed pages back to the operating system").action(
    async (options: CommonOptions) => {
      const stats = await withDatabase(options, async (saver) => {
        await saver.compact();
        return saver.stats();
      });
      print(terminal, { text: renderStats(stats, terminal.colors), json: stats }, options);
    },
  );
}

async function scopeOf(saver: SlimSaver, { thread, db }: ThreadOptions): Promise<{ threadId?: string }> {
  if (thread === undefined) return {};
  if ((await saver.position(thread)) === undefined)
    throw new CommandFailure(`There is no thread "${thread}" in "${db}".`);
  return { threadId: thread };
}
