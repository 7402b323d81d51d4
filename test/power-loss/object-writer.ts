/** Puts an object into a folder, and writes a mark to its standard output before and after. */
import { writeSync } from "node:fs";
import { fileObjects } from "../../src/index.js";

const { dir } = JSON.parse(process.argv[2] ?? "{}") as { dir: string };
const mark = (text: string): number => writeSync(1, `${text}\n`);

const store = fileObjects(dir);
mark("PUT BEGINS");
await store.put(`${"a".repeat(32)}/${"b".repeat(64)}`, new Uint8Array(100_000).fill(7));
mark("PUT ENDS");
