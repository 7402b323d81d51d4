import { answerTask } from "../child.js";
import { Stopwatch } from "../stopwatch.js";
import { openThread } from "./graph.js";
import { SAVERS } from "./savers.js";
import type { BenchSaver, SaverName } from "./savers.js";

/** `getState` of a finished thread, in a process that has not seen it. */
export interface StateTask {
  readonly saver: SaverName;
  readonly file: string;
}

export interface StateAnswer {
  /** Opening the saver and one `getState`; loading modules and compiling the graph do not count. */
  readonly ms: number;
  readonly messages: number;
}

await answerTask(async ({ saver: name, file }: StateTask): Promise<StateAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const watch = new Stopwatch();
  const { checkpointer, close } = await watch.time(() => saver.open(file));
  const thread = openThread(checkpointer, saver.channel, () => "");
  const messages = await watch.time(() => thread.messageCount());
  await close();
  return { ms: watch.ms, messages };
});
