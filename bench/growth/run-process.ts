import { statSync } from "node:fs";
import { answerTask } from "../child.js";
import { Stopwatch } from "../stopwatch.js";
import { MESSAGES_A_TURN, openThread } from "./graph.js";
import { SAVERS } from "./savers.js";
import type { BenchSaver, SaverName } from "./savers.js";
import { messageTexts } from "./text.js";
import type { TextKind } from "./text.js";

/** A whole thread, from the first turn to the last, in a process of its own. */
export interface RunTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly turns: number;
  readonly text: TextKind;
  readonly seed: number;
}

export interface RunAnswer {
  /** From opening the saver to its close, all turns between. */
  readonly ms: number;
  /** The same on the processor, garbage collection included. */
  readonly cpuMs: number;
  readonly textBytes: number;
  /** The largest write-ahead log after any turn. */
  readonly walBytes: number;
  readonly messages: number;
}

await answerTask(async ({ saver: name, file, turns, text, seed }: RunTask): Promise<RunAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const texts = messageTexts(text, seed, turns * MESSAGES_A_TURN);
  const unsaid = texts.values();
  const say = (): string => unsaid.next().value!;
  const watch = new Stopwatch();
  let walBytes = 0;

  const { checkpointer, close } = await watch.time(() => saver.open(file));
  const thread = openThread(checkpointer, saver.channel, say);
  for (let turn = 0; turn < turns; turn += 1) {
    await watch.time(() => thread.turn(say()));
    walBytes = Math.max(walBytes, sizeOf(`${file}-wal`));
  }
  const messages = await thread.messageCount();
  await watch.time(close);
  return { ms: watch.ms, cpuMs: watch.cpuMs, textBytes: Buffer.byteLength(texts.join("")), walBytes, messages };
});

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
