import { answerTask } from "../child.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { Stopwatch } from "../stopwatch.js";
import { openAskingThread } from "./thread.js";

/** Reads a thread that waits, or answers it, in a process that has not seen it. */
export interface ContinueTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly what: "getState" | "resume";
}

export interface ContinueAnswer {
  /** Opening the saver and one call; loading modules and compiling the graph do not count. */
  readonly ms: number;
  /** The same on the processor. */
  readonly cpuMs: number;
  readonly messages: number;
  /** Whether the question is there before it is answered. */
  readonly asks: boolean;
}

/** What the model and the tool say after the answer: short, so that reading the thread is what is measured. */
const REPLY = "done";

await answerTask(async ({ saver: name, file, what }: ContinueTask): Promise<ContinueAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const watch = new Stopwatch();
  const { checkpointer, close } = await watch.time(() => saver.open(file));
  const thread = openAskingThread(checkpointer, saver.channel, () => REPLY);
  const answer = await watch.time(async () =>
    what === "getState" ? thread.state() : { messages: await thread.resume(), asks: false },
  );
  await close();
  return { ms: watch.ms, cpuMs: watch.cpuMs, ...answer };
});
