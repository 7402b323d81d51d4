import type { Command } from "commander";
import type { SlimSaver } from "../../checkpointer/index.js";
import { counted } from "../counted.js";
import { withDatabase } from "../database.js";
import { withNewFile } from "../export-file.js";
import { exportedCheckpoint } from "../exported-checkpoint.js";
import { CommandFailure } from "../failure.js";
import { aligned, cell } from "../layout.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { jsonLine } from "../terminal-text.js";
import { databaseCommand, NO_REDACT } from "./options.js";
import type { ShowingOptions } from "./options.js";

interface ExportOptions extends ShowingOptions {
  readonly thread?: string[];
  readonly out?: string;
}

interface Exported {
  readonly threads: number;
  readonly checkpoints: number;
}

/** `waypoint export` */
export function exportCommand(terminal: Terminal): Command {
  return databaseCommand("export", "threads as JSON Lines: one line for each checkpoint, newest first")
    .option("--thread <id...>", "only these threads")
    .option("--out <file>", "into a new file instead of the terminal")
    .option(...NO_REDACT)
    .action(async (options: ExportOptions) => {
      await withDatabase(options, async (saver) => {
        const threads = await known(saver, options);
        if (options.out === undefined) {
          await exportTo((line) => written(terminal, line), saver, threads, options);
          return;
        }
        const { out } = options;
        const exported = await withNewFile(out, (write) => exportTo(write, saver, threads, options));
        print(
          terminal,
          { text: said(exported, options, terminal), json: { ...exported, out, redacted: options.redact } },
          options,
        );
      });
    });
}

function written(terminal: Terminal, line: string): Promise<void> | void {
  terminal.out(line);
  return terminal.drained?.();
}

/** Each thread once; all of the database where none is named. @throws CommandFailure for one that is not there */
async function known(saver: SlimSaver, { thread, db }: ExportOptions): Promise<(string | undefined)[]> {
  if (thread === undefined) return [undefined];
  const threads = [...new Set(thread)];
  for (const name of threads) {
    const { done } = await saver.list({ configurable: { thread_id: name } }, { limit: 1 }).next();
    if (done === true) throw new CommandFailure(`There is no thread "${name}" in "${db}".`);
  }
  return threads;
}

/** One checkpoint at a time, whatever their number. */
async function exportTo(
  write: (line: string) => Promise<void> | void,
  saver: SlimSaver,
  threads: readonly (string | undefined)[],
  { redact }: ExportOptions,
): Promise<Exported> {
  const found = new Set<string>();
  let checkpoints = 0;
  for (const thread of threads) {
    for await (const tuple of saver.list(thread === undefined ? {} : { configurable: { thread_id: thread } })) {
      const exported = exportedCheckpoint(tuple, redact);
      await write(`${jsonLine(exported)}\n`);
      found.add(exported.thread);
      checkpoints += 1;
    }
  }
  return { threads: found.size, checkpoints };
}

function said({ threads, checkpoints }: Exported, { out = "", redact }: ExportOptions, { colors }: Terminal): string {
  const counts = `${counted(threads, "thread")}, ${counted(checkpoints, "checkpoint")} to ${out}`;
  const note = redact ? ["", colors.dim("Values are hidden; --no-redact exports them.")] : [];
  return [...aligned([[cell("exported", colors.green), cell(counts)]]), ...note].join("\n");
}
