import type { Command } from "commander";
import { importThreads } from "../../checkpointer/index.js";
import { withNewDatabase } from "../database.js";
import { withSource } from "../import-from.js";
import { progressBar } from "../progress-bar.js";
import { renderImport } from "../render-import.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand } from "./options.js";
import type { CommonOptions } from "./options.js";

interface ImportCommandOptions extends CommonOptions {
  readonly thread?: string[];
  readonly schema: string;
}

/** `waypoint import <source>`: exits with 1 when something of the source was left there. */
export function importCommand(terminal: Terminal): Command {
  return databaseCommand("import", "brings threads over from a SqliteSaver or a PostgresSaver")
    .argument("<source>", "the file of a SqliteSaver, or the postgres:// URL of a PostgresSaver")
    .option("--thread <id...>", "only these threads")
    .option("--schema <name>", "where the PostgresSaver keeps its tables", "public")
    .addHelpText("after", STOP_FIRST)
    .action(async (source: string, options: ImportCommandOptions) => {
      const { thread: threads, schema } = options;
      const bar = progressBar(terminal.progress);
      const report = await withSource({ source, schema }, (from) =>
        withNewDatabase(options, (to) =>
          importThreads(from, to, {
            ...(threads === undefined ? {} : { threads }),
            onProgress: (progress) => {
              bar.show(progress);
            },
          }),
        ),
      ).finally(() => {
        bar.stop();
      });
      print(terminal, { text: renderImport(report, terminal.colors), json: report }, options);
      if (report.left.length > 0 || report.unreadable.length > 0) terminal.exitCode = 1;
    });
}

const STOP_FIRST =
  "\nStop the runs of the threads first. The source is only read; a database that is not there yet is created. An import " +
  "that was broken off goes on where it was.";
