import type { Command } from "commander";
import type { ListThreadsOptions } from "../../checkpointer/index.js";
import { systemClock } from "../../shared/clock.js";
import { withDatabase } from "../database.js";
import { renderThreads } from "../render-storage.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { databaseCommand, wholeNumber } from "./options.js";
import type { CommonOptions } from "./options.js";

/** `waypoint threads` */
export function threadsCommand(terminal: Terminal): Command {
  return databaseCommand("threads", "the threads, last changed first, with state and step")
    .option("--limit <n>", "at most so many", wholeNumber)
    .option("--cursor <cursor>", "go on where the page before ended")
    .option("--state <state>", "only those that are working, waiting, failed or done")
    .option("--search <text>", "only those whose id contains this")
    .action(async (options: CommonOptions & ListThreadsOptions) => {
      const { limit, cursor, state, search } = options;
      const asked = {
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
        ...(state === undefined ? {} : { state }),
        ...(search === undefined ? {} : { search }),
      };
      const page = await withDatabase(options, (saver) => saver.listThreads(asked));
      print(terminal, { text: renderThreads(page, terminal.colors, systemClock.now()), json: page }, options);
    });
}
