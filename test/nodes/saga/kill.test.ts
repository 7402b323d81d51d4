import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompensationReport } from "../../../src/nodes/compensate.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { resolve } from "../../../src/nodes/resolve.js";
import { compiled } from "../../airline/compile.js";
import { became } from "./support.js";
import { bookTrip, callsOf, openTrip, takeTripBack, type Trip } from "./trip.js";

const run = promisify(execFile);
const MINUTE = 60_000;
const thorough = process.env.WAYPOINT_FULL === "1";
/** How many boundaries are tried, spread over the walk, when not all are. */
const SAMPLE = 12;

const UNDOS = ["car", "hotel", "flight"].map((name) => `undo:${name} 7 with ticket of ${name} 7`);

interface Life {
  readonly boundaries: number;
  readonly report: CompensationReport;
}

let scratch: string;
let program: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "waypoint-saga-"));
  program = await compiled(join(import.meta.dirname, "fixtures/rollback.ts"), scratch);
  const folder = join(scratch, "booked");
  mkdirSync(folder);
  const saver = openTrip(folder);
  await bookTrip(saver, { folder, lookupUndo: true });
  await saver.close();
}, MINUTE);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function folderFor(name: string): string {
  const folder = join(scratch, name);
  cpSync(join(scratch, "booked"), folder, { recursive: true });
  return folder;
}

/** Undefined for a life that ended by SIGKILL. */
async function live(trip: Trip & { deathAt?: number }): Promise<Life | undefined> {
  try {
    const { stdout } = await run(process.execPath, [program, JSON.stringify(trip)]);
    return JSON.parse(stdout) as Life;
  } catch (error) {
    if ((error as { signal?: string }).signal === "SIGKILL") return undefined;
    throw error;
  }
}

const undosIn = (folder: string): string[] => callsOf(folder).filter((call) => call.startsWith("undo:"));

describe("a process that is killed while it takes a trip back", () => {
  it.each(["before", "after"] as const)(
    "%s the call reached the other side, is followed by one that takes each back once",
    async (die) => {
      const trip = { folder: folderFor(`die ${die}`), lookupUndo: true };
      expect(await live({ ...trip, die })).toBeUndefined();
      const next = await live(trip);
      expect(next?.report).toMatchObject({ compensated: 3, done: true });
      expect(undosIn(trip.folder)).toEqual(UNDOS);
    },
  );

  it.each(["before", "after"] as const)(
    "%s the call reached the other side, without a lookup, is followed by one that repeats nothing and asks",
    async (die) => {
      const trip = { folder: folderFor(`blind ${die}`), lookupUndo: false };
      expect(await live({ ...trip, die })).toBeUndefined();
      const next = await live(trip);
      expect(became(next!.report)).toEqual(["car 7: compensated", "hotel 7: unknown", "flight 7: waiting"]);
      expect(undosIn(trip.folder)).toEqual(UNDOS.slice(0, die === "before" ? 1 : 2));
      const saver = openTrip(trip.folder);
      const { undoId } = next!.report.steps.find(({ now }) => now === "unknown")!;
      const as = die === "before" ? "retry" : "succeeded";
      await resolve(ledgerOf(saver), undoId!, { as, by: "ada", evidence: "asked the hotel" });
      expect(await takeTripBack(saver, trip)).toMatchObject({ compensated: 3, done: true });
      await saver.close();
      expect(undosIn(trip.folder)).toEqual(UNDOS);
    },
  );

  it(
    "at any statement boundary, and again, leaves what the next one brings to the same end, with no undo twice",
    { timeout: thorough ? 20 * MINUTE : 3 * MINUTE },
    async () => {
      const whole = (await live({ folder: folderFor("whole"), lookupUndo: true }))!;
      expect(whole.report).toMatchObject({ compensated: 3, done: true });
      expect(whole.boundaries).toBeGreaterThan(SAMPLE);
      const every = thorough ? 1 : Math.ceil(whole.boundaries / SAMPLE);
      for (let deathAt = 1 + (whole.boundaries % every); deathAt <= whole.boundaries; deathAt += every) {
        const trip = { folder: folderFor(`boundary ${deathAt}`), lookupUndo: true };
        expect(await live({ ...trip, deathAt }), `${deathAt}`).toBeUndefined();
        await live({ ...trip, deathAt: Math.ceil(deathAt / 2) });
        expect((await live(trip))?.report, `${deathAt}`).toMatchObject({ compensated: 3, done: true });
        expect(undosIn(trip.folder), `${deathAt}`).toEqual(UNDOS);
        rmSync(trip.folder, { recursive: true });
      }
    },
  );
});
