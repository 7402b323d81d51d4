import { answerTask } from "../child.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { Stopwatch } from "../stopwatch.js";
import { LISTINGS } from "./lists.js";
import type { Listing, ListingName } from "./lists.js";

/** One listing, in a process that has read nothing yet. */
export interface ListTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly listing: ListingName;
}

export interface ListAnswer {
  /** Opening the saver and listing; loading modules does not count. */
  readonly ms: number;
  /** The same on the processor. */
  readonly cpuMs: number;
  readonly found: string[];
}

await answerTask(async ({ saver: name, file, listing }: ListTask): Promise<ListAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const { list }: Listing = LISTINGS[listing];
  const watch = new Stopwatch();
  const { checkpointer, close } = await watch.time(() => saver.open(file));
  const found = await watch.time(() => list(checkpointer, saver.channel));
  await close();
  return { ms: watch.ms, cpuMs: watch.cpuMs, found };
});
