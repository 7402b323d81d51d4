import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compiled } from "./compile.js";
import { drillInLanes, lanesOf } from "./drill.js";
import type { Errand } from "./errand.js";
import { evidenceOf } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { findRecording } from "./find-recording.js";
import type { Sabotage } from "./guarded-agent.js";
import { recordedHistory } from "./history.js";
import type { Said } from "./history.js";
import { planKills } from "./kill-plan.js";
import type { KillPlan } from "./kill-plan.js";
import { changesTheWorld, Recording, refusalIn } from "./recording.js";
import { referenceHistories } from "./reference.js";
import { rehearse } from "./rehearsal.js";

const thorough = process.env.WAYPOINT_FULL === "1";
const seed = Number(process.env.WAYPOINT_SEED ?? Math.floor(Math.random() * 1e6));
const MINUTE = 60_000;

interface Drill extends KillPlan, Pick<Errand, "durability" | "together"> {}

const usual: KillPlan = { seed, steps: 1, stepMoments: ["unsaved", "saved"], callMoments: ["sent"] };
const everyMoment: KillPlan = { ...usual, steps: 3, callMoments: ["intended", "sent", "looked-up"] };
const drills: Drill[] = thorough
  ? [
      { ...everyMoment, durability: "async", together: false },
      { ...everyMoment, seed: seed + 1, durability: "sync", together: false },
      // A checkpoint that was just saved may be the last deed of a process that another conversation kills.
      { ...everyMoment, seed: seed + 2, stepMoments: ["unsaved"], durability: "async", together: true },
    ]
  : [{ ...usual, durability: "async", together: false }];

const file = findRecording();

describe.skipIf(file === undefined)("the 50 recorded airline conversations", () => {
  let scratch: string;
  let recording: Recording;
  let program: string;
  let reference: Map<string, Said[]>;
  let rehearsal: Awaited<ReturnType<typeof rehearse>>;

  beforeAll(async () => {
    process.stderr.write(`Airline conversations: seed ${seed} (WAYPOINT_SEED sets it)\n`);
    scratch = mkdtempSync(join(tmpdir(), "waypoint-airline-"));
    recording = Recording.read(file ?? "");
    program = await compiled(join(import.meta.dirname, "fixtures/agent-process.ts"), scratch);
    reference = await referenceHistories(recording);
    rehearsal = await rehearse(recording, folder("rehearsal"));
  }, 5 * MINUTE);

  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  it("are said by the plain agent as they were recorded", () => {
    expect(recording.conversations).toHaveLength(50);
    for (const conversation of recording.conversations) {
      expect(reference.get(conversation.id), conversation.id).toEqual(recordedHistory(conversation));
    }
  });

  it("are the same with safe tools, which ask once for each world-changing call and make it once", () => {
    expectTheReference(rehearsal);
    expectEachCallOnce(rehearsal);
    expect(rehearsal.approvals).toBe(80);
  });

  describe.each(drills)("killed as planned by seed $seed", (drill) => {
    let lanes: Errand[];
    let kills: number;
    let evidence: Evidence;

    beforeAll(
      async () => {
        lanes = lanesOf(errandIn(`seed-${drill.seed}`, drill), killsOf(drill));
        kills = await drillInLanes(program, lanes);
        evidence = await evidenceOf(lanes);
      },
      thorough ? 60 * MINUTE : 10 * MINUTE,
    );

    it("die by SIGKILL at every planned place: around each world-changing call, and at random supersteps", () => {
      const planned = lanes.flatMap(({ deaths }) => deaths);
      expect(planned).toHaveLength(50 * drill.steps + 80 * drill.callMoments.length);
      expect(evidence.deaths.toSorted()).toEqual(planned.toSorted());
      expect(kills).toBe(planned.length);
    });

    it("end with the history of the run that nobody disturbed", () => {
      expectTheReference(evidence);
    });

    it("make every recorded world-changing call exactly once, and no other", () => {
      expectEachCallOnce(evidence);
    });

    it("have in the ledger what the outside answered, and nothing left to do", () => {
      for (const conversation of recording.conversations) {
        const { state, waitingFor, effects } = evidence.positions.get(conversation.id)!;
        expect({ state, waitingFor }, conversation.id).toEqual({ state: "done", waitingFor: [] });
        expect(effects.map((effect) => [effect.key, effect.state])).toEqual(
          conversation.calls
            .filter(changesTheWorld)
            .map(({ id, answer }) => [id, refusalIn(answer) === undefined ? "SUCCEEDED" : "FAILED"]),
        );
      }
    });
  });

  it.each<Sabotage>(["blind-lookup", "no-ledger"])(
    "are caught calling twice when the drill is run with %s",
    async (sabotage) => {
      const some = recording.conversations.filter(({ calls }) => calls.some(changesTheWorld)).slice(0, 2);
      const errand = errandIn(sabotage, { durability: "async", together: false });
      const lanes = lanesOf(
        { ...errand, conversations: some.map(({ id }) => id), sabotage },
        killsOf({ ...usual, steps: 0 }),
      );
      await drillInLanes(program, lanes);
      const { calls } = await evidenceOf(lanes);
      const recorded = some.flatMap((conversation) => conversation.calls.filter(changesTheWorld).map(({ id }) => id));
      expect(calls.map(({ key }) => key).toSorted()).toEqual([...recorded, ...recorded].toSorted());
    },
    5 * MINUTE,
  );

  function folder(name: string): string {
    const path = join(scratch, name);
    mkdirSync(path);
    return path;
  }

  function errandIn(name: string, { durability, together }: Pick<Errand, "durability" | "together">) {
    const conversations = recording.conversations.map(({ id }) => id);
    return { recording: file ?? "", folder: folder(name), conversations, durability, together };
  }

  function killsOf(plan: KillPlan): Map<string, string[]> {
    return planKills(recording.conversations, (id) => rehearsal.positions.get(id)!.step, plan);
  }

  function expectTheReference({ histories }: Evidence): void {
    for (const [id, history] of histories) expect(history, id).toEqual(reference.get(id));
    expect(histories.size).toBe(reference.size);
  }

  /** Looks at the raw calls, of which nobody removed a duplicate. */
  function expectEachCallOnce({ calls }: Evidence): void {
    const recorded = recording.calls.filter(changesTheWorld).map(({ id, ...call }) => ({ key: id, ...call }));
    const keys = calls.map(({ key }) => key);
    expect(keys.filter((key, index) => keys.indexOf(key) < index)).toEqual([]);
    const byKey = (one: { key: string }, other: { key: string }) => one.key.localeCompare(other.key);
    expect(calls.toSorted(byKey)).toEqual(recorded.toSorted(byKey));
  }
});
