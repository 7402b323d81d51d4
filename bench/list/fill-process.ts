import { answerTask } from "../child.js";
import { MESSAGES_A_TURN, openThread } from "../growth/graph.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { messageTexts } from "../growth/text.js";
import { recordTurn, replayTurn } from "./recorded-turn.js";
import { LONG_THREAD } from "./lists.js";

/** Fills a database: with many threads of one turn, or with one thread of many turns. */
export interface FillTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly what: "threads" | "turns";
  readonly count: number;
  readonly seed: number;
}

export interface FillAnswer {
  readonly filled: number;
}

await answerTask(async ({ saver: name, file, what, count, seed }: FillTask): Promise<FillAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const { checkpointer, close } = saver.open(file);
  const texts = messageTexts("words", seed, count * MESSAGES_A_TURN);
  if (what === "threads") {
    const turn = await recordTurn();
    for (let thread = 0; thread < count; thread += 1) {
      const from = thread * MESSAGES_A_TURN;
      await replayTurn(turn, checkpointer, `thread-${thread}`, texts.slice(from, from + MESSAGES_A_TURN));
    }
  } else {
    const unsaid = texts.values();
    const say = (): string => unsaid.next().value!;
    const thread = openThread(checkpointer, saver.channel, say, LONG_THREAD);
    for (let turn = 0; turn < count; turn += 1) await thread.turn(say());
  }
  await close();
  return { filled: count };
});
