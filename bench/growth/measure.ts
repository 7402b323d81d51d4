import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { inChild } from "../child.js";
import { inScratchFolder } from "../scratch-folder.js";
import { MESSAGES_A_TURN } from "./graph.js";
import type { Measurement } from "./plan.js";
import type { RunAnswer, RunTask } from "./run-process.js";
import { SAVERS } from "./savers.js";
import type { StateAnswer, StateTask } from "./state-process.js";
import type { TextKind } from "./text.js";

/** What one thread under one saver came to; the database's figures are missing where there is none. */
export interface Sample extends Measurement {
  readonly ms: number;
  readonly cpuMs: number;
  readonly textBytes: number;
  readonly messages: number;
  readonly database?: { readonly bytes: number; readonly walBytes: number; readonly getStateMs: number };
}

const RUN = join(import.meta.dirname, "run-process.ts");
const STATE = join(import.meta.dirname, "state-process.ts");

/** Runs the thread in a fresh process, reads it in another, and removes its database at once: some reach a gigabyte. */
export async function measure(measurement: Measurement, text: TextKind, scratch: string): Promise<Sample> {
  return inScratchFolder(scratch, async (folder) => {
    const { saver, turns, seed } = measurement;
    const file = join(folder, `${saver}.db`);
    const { walBytes, ...run } = await inChild<RunAnswer>(RUN, { saver, file, turns, text, seed } satisfies RunTask);
    expectMessages(run.messages, measurement, "the process that ran it");
    const sample = { ...measurement, ...run };
    if (!SAVERS[saver].onDisk) return sample;
    const bytes = bytesIn(folder);
    const state = await inChild<StateAnswer>(STATE, { saver, file } satisfies StateTask);
    expectMessages(state.messages, measurement, "a fresh process");
    return { ...sample, database: { bytes, walBytes, getStateMs: state.ms } };
  });
}

function expectMessages(found: number, { saver, turns }: Measurement, where: string): void {
  const expected = turns * MESSAGES_A_TURN;
  if (found === expected) return;
  throw new Error(`${SAVERS[saver].label} after ${turns} turns: ${found} messages in ${where}, not ${expected}.`);
}

/** The database and whatever its saver left beside it. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
