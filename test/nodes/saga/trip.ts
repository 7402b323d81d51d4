/** A trip of three effects on a database file, and an agency that is a file: a line for each raw call, nothing de-duplicated. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SlimSaver, absent, compensate, effect, ledgerOf, succeeded } from "../../../src/index.js";
import type { CompensationReport } from "../../../src/index.js";
import { chain, on } from "../effect/support.js";

export interface Trip {
  readonly folder: string;
  /** Whether the effects can find out that they were taken back. */
  readonly lookupUndo: boolean;
  /** Dies in the undo of the hotel: before or after it reached the agency. */
  readonly die?: "before" | "after";
}

const BOOKED = ["flight", "hotel", "car"];

export function callsOf(folder: string): string[] {
  const file = join(folder, "agency.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function perish(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

function effectsOf({ folder, lookupUndo, die }: Trip) {
  const say = (line: string): void => appendFileSync(join(folder, "agency.txt"), `${line}\n`);
  return BOOKED.map((name) =>
    effect<{ id: string }, string>({
      name,
      key: ({ id }) => `${name} ${id}`,
      run: async (_, { key }) => (say(`book ${key}`), `ticket of ${key}`),
      undo: async (_, ticket, { key }) => {
        if (name === "hotel" && die === "before") await perish();
        say(`${key} with ${ticket}`);
        if (name === "hotel" && die === "after") await perish();
      },
      ...(lookupUndo
        ? {
            lookupUndo: async (_, ticket, { key }) =>
              callsOf(folder).includes(`${key} with ${ticket}`) ? succeeded(undefined) : absent(),
          }
        : {}),
    }),
  );
}

export function openTrip(folder: string): SlimSaver {
  return SlimSaver.fromConnString(join(folder, "agent.db"));
}

export async function bookTrip(saver: SlimSaver, trip: Trip): Promise<void> {
  const nodes = effectsOf(trip).map((book, at) => [BOOKED[at]!, async () => ({ log: [await book({ id: "7" })] })]);
  await chain(saver, Object.fromEntries(nodes) as never).invoke({}, on("trip"));
}

export async function takeTripBack(saver: SlimSaver, trip: Trip): Promise<CompensationReport> {
  effectsOf(trip);
  return compensate(ledgerOf(saver), "trip", { reason: "rain" });
}
