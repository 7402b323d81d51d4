/** Stores a checkpoint and carries an effect out, and writes a mark to its standard output before and after each. */
import { writeSync } from "node:fs";
import { SlimSaver, effect, ledgerOf } from "../../src/index.js";
import { LOOP, checkpointOf, thread } from "../checkpointer/checkpoints.js";

const { file } = JSON.parse(process.argv[2] ?? "{}") as { file: string };
const mark = (text: string): number => writeSync(1, `${text}\n`);

const saver = SlimSaver.fromConnString(file);
const checkpoint = checkpointOf({ a: 1 });
mark("CHECKPOINT BEGINS");
await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
mark("CHECKPOINT ENDS");

const pay = effect({
  name: "pay",
  key: ({ order }: { order: string }) => order,
  ledger: ledgerOf(saver),
  run: () => Promise.resolve(mark("OUTSIDE CALL")),
});
mark("EFFECT BEGINS");
await pay({ order: "7" });
mark("EFFECT ENDS");
await saver.close();
