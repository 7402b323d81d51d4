import { answerTask } from "../child.js";
import { MESSAGES_A_TURN } from "../growth/graph.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { messageTexts } from "../growth/text.js";
import { openAskingThread } from "./thread.js";

/** Runs a thread up to its question, for other processes to read and to continue. */
export interface BuildTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly turns: number;
  readonly seed: number;
}

export interface BuildAnswer {
  readonly built: true;
}

await answerTask(async ({ saver: name, file, turns, seed }: BuildTask): Promise<BuildAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const texts = messageTexts("words", seed, turns * MESSAGES_A_TURN).values();
  const { checkpointer, close } = saver.open(file);
  await openAskingThread(checkpointer, saver.channel, () => texts.next().value!).run(turns);
  await close();
  return { built: true };
});
