import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../bench/random.js";
import type { SlimSaver } from "../../../src/index.js";
import { compiled } from "../../airline/compile.js";
import { Outside, THREAD, carryOut, openErrand } from "./errand.js";
import type { Errand } from "./errand.js";

const run = promisify(execFile);

const thorough = process.env.WAYPOINT_FULL === "1";
const seed = Number(process.env.WAYPOINT_SEED ?? Math.floor(Math.random() * 1e6));
/** How many boundaries are tried under each durability, spread over the run, when not all are. */
const SAMPLE = 12;
const LANES = 2;
const MINUTE = 60_000;

interface Life {
  readonly boundaries: number;
  readonly log: string[];
}

describe.each([
  ["async", false],
  ["sync", false],
  ["sync", true],
] as const)("R21: a run killed at any statement boundary, under %s, all outside: %s", (durability, roomy) => {
  let scratch: string;
  let program: string;
  let whole: Life;
  let writes: Map<string, string[]>;

  beforeAll(async () => {
    process.stderr.write(`Kills at statement boundaries: seed ${seed} (WAYPOINT_SEED sets it)\n`);
    scratch = mkdtempSync(join(tmpdir(), "waypoint-kill-"));
    program = await compiled(join(import.meta.dirname, "fixtures/mortal.ts"), scratch);
    const folder = folderFor("whole");
    whole = (await live({ folder, durability, roomy }))!;
    writes = await reading({ folder, roomy }, writesThatWereTakenUp);
  }, 2 * MINUTE);

  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  it("left alone, asks, pays twice, and ends", async () => {
    expect(whole.log).toHaveLength(14);
    expect(whole.boundaries).toBeGreaterThan(100);
    await expectEnded(join(scratch, "whole"));
  });

  it(
    "leaves a database that is whole, and a thread that a next life, killed as well, and a last one bring to the same end",
    { timeout: thorough ? 60 * MINUTE : 5 * MINUTE },
    async () => {
      const random = seededRandom(seed);
      const below = (end: number): number => 1 + Math.floor(random() * end);
      const all = Array.from({ length: whole.boundaries }, (_, index) => index + 1);
      const every = thorough ? 1 : Math.ceil(all.length / SAMPLE);
      const offset = below(every) - 1;
      const deaths = all.filter((boundary) => boundary % every === offset % every);
      const plans = deaths.map((first) => ({ first, second: below(whole.boundaries) }));
      const lanes = Array.from({ length: LANES }, async () => {
        for (let plan = plans.pop(); plan !== undefined; plan = plans.pop()) await dieTwice(plan);
      });
      await Promise.all(lanes);
      expect(deaths.length).toBeGreaterThan(SAMPLE / 2);
    },
  );

  async function dieTwice({ first, second }: { first: number; second: number }): Promise<void> {
    const which = `killed at ${first}, then at ${second} of what was left, seed ${seed}`;
    const folder = folderFor(`${first}`);
    expect(await live({ folder, durability, roomy, deathAt: first }), which).toBeUndefined();
    await expectWhole(folder, which);
    await live({ folder, durability, roomy, deathAt: second });
    await expectWhole(folder, which);
    const saver = openErrand({ folder, roomy });
    expect(await carryOut(saver, { folder, durability, roomy }), which).toEqual(whole.log);
    await saver.close();
    await expectEnded(folder, which);
    rmSync(folder, { recursive: true });
  }

  /** Looks at a copy, so that the next life finds what the death has left: a log that nobody has folded in. */
  async function expectWhole(folder: string, which: string): Promise<void> {
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    await reading({ folder: copy, roomy }, async (saver) => {
      expect(await saver.verify(), which).toMatchObject({ ok: true });
      const { threads } = await saver.listThreads();
      const newest = await saver.getTuple(THREAD);
      expect(threads.length, which).toBe(newest === undefined ? 0 : 1);
      // Whatever was written at a checkpoint is there before the one that follows it.
      for (const [place, found] of await writesThatWereTakenUp(saver)) expect(found, which).toEqual(writes.get(place));
    });
    rmSync(copy, { recursive: true });
  }

  async function expectEnded(folder: string, which?: string): Promise<void> {
    expect(new Outside(folder).calls, which).toEqual(["inner", "outer"]);
    await reading({ folder, roomy }, async (saver) => {
      expect(await saver.verify(), which).toMatchObject({ ok: true });
      const { state, effects } = (await saver.position("t"))!;
      expect(state, which).toBe("done");
      expect(effects.map(({ key, state: outcome }) => [key, outcome])).toEqual([
        ["inner", "SUCCEEDED"],
        ["outer", "SUCCEEDED"],
      ]);
    });
  }

  /** Undefined for a life that ended by SIGKILL. */
  async function live(errand: Errand & { deathAt?: number }): Promise<Life | undefined> {
    try {
      const { stdout } = await run(process.execPath, [program, JSON.stringify(errand)]);
      return JSON.parse(stdout) as Life;
    } catch (error) {
      if ((error as { signal?: string }).signal === "SIGKILL") return undefined;
      throw error;
    }
  }

  function folderFor(name: string): string {
    const folder = join(scratch, name);
    mkdirSync(folder);
    return folder;
  }
});

async function reading<T>(
  errand: Pick<Errand, "folder" | "roomy">,
  read: (saver: SlimSaver) => Promise<T>,
): Promise<T> {
  const saver = openErrand(errand);
  try {
    return await read(saver);
  } finally {
    await saver.close();
  }
}

/** The channels that tasks wrote to, of each checkpoint that another one follows; by namespace and step. */
async function writesThatWereTakenUp(saver: SlimSaver): Promise<Map<string, string[]>> {
  const found = new Map<string, { place: string; channels: string[] }>();
  const followed = new Map<string, string[]>();
  for await (const { checkpoint, config, metadata, parentConfig, pendingWrites } of saver.list(THREAD)) {
    const ns = String(config.configurable?.checkpoint_ns);
    const place = `${ns.replaceAll(/:[^|]*/g, "")} ${String(metadata?.step)}`;
    const channels = (pendingWrites ?? []).map(([, channel]) => channel).filter((name) => !/^__(?!pregel)/.test(name));
    found.set(`${ns} ${checkpoint.id}`, { place, channels: channels.sort() });
    const parent = found.get(`${ns} ${String(parentConfig?.configurable?.checkpoint_id)}`);
    if (parent !== undefined) throw new Error("A list begins with the newest: a parent never comes before its child.");
    followed.set(`${ns} ${String(parentConfig?.configurable?.checkpoint_id)}`, []);
  }
  return new Map([...found].filter(([id]) => followed.has(id)).map(([, { place, channels }]) => [place, channels]));
}
