import { answerTask } from "../child.js";
import { compileLoop, MESSAGES_A_TURN, threadOf } from "../growth/graph.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { messageTexts } from "../growth/text.js";
import { Stopwatch } from "../stopwatch.js";

/** Threads that run at once in one process, each turn after turn, all on one database. */
export interface RunTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly threads: number;
  readonly turns: number;
  readonly seed: number;
}

export interface RunAnswer {
  /** From opening the saver to its close, all threads between. */
  readonly ms: number;
  readonly cpuMs: number;
  /** Of each thread at its end. */
  readonly messages: number[];
}

await answerTask(async ({ saver: name, file, threads, turns, seed }: RunTask): Promise<RunAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const unsaid = messageTexts("words", seed, threads * turns * MESSAGES_A_TURN).values();
  const say = (): string => unsaid.next().value!;
  const watch = new Stopwatch();
  const { checkpointer, close } = await watch.time(() => saver.open(file));
  const app = compileLoop(checkpointer, saver.channel, say);
  const all = Array.from({ length: threads }, (_, index) => threadOf(app, `thread-${index}`));
  await watch.time(() =>
    Promise.all(
      all.map(async (thread) => {
        for (let turn = 0; turn < turns; turn += 1) await thread.turn(say());
      }),
    ),
  );
  const messages: number[] = [];
  for (const thread of all) messages.push(await thread.messageCount());
  await watch.time(close);
  return { ms: watch.ms, cpuMs: watch.cpuMs, messages };
});
