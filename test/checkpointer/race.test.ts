import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../bench/random.js";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { Child } from "../child.js";
import type { Order, Race, Report } from "./fixtures/racer.js";
import { thread } from "./harness.js";

const RACER = new URL("./fixtures/racer.ts", import.meta.url);
const ROUNDS = process.env.WAYPOINT_FULL === "1" ? 600 : 60;
const seed = Number(process.env.WAYPOINT_SEED ?? Math.floor(Math.random() * 1e6));

const places = ["graph", "subgraph"] as const;
const races = (["sync", "async", "exit"] as const).flatMap((durability) =>
  places.flatMap((where) => [true, false].map((addressed) => ({ durability, where, addressed }))),
);

describe("R18: of two concurrent resumes exactly one succeeds", () => {
  let folder = "";
  let saver: SlimSaver;
  let racers: Child[];
  const random = seededRandom(seed);

  beforeAll(async () => {
    process.stderr.write(`Races: seed ${seed} (WAYPOINT_SEED sets it)\n`);
    folder = mkdtempSync(join(tmpdir(), "waypoint-race-"));
    const file = join(folder, "agent.db");
    saver = SlimSaver.fromConnString(file);
    racers = ["ann", "bob"].map((who) => Child.start(RACER, { file, who }));
    await Promise.all(racers.map((racer) => racer.message()));
  }, 60_000);

  afterAll(async () => {
    const ended = racers.map((racer) => racer.ended());
    for (const racer of racers) tell(racer, { do: "leave" });
    const ends = await Promise.all(ended);
    await saver.close();
    rmSync(folder, { recursive: true });
    expect(ends).toEqual(ends.map(() => expect.objectContaining({ code: 0, stderr: "" }) as unknown));
  });

  it.each(races)(
    `in ${ROUNDS / races.length} rounds: durability $durability, asked in the $where, addressed $addressed`,
    { timeout: 120_000 },
    async (race) => {
      for (let round = 0; round < ROUNDS / races.length; round += 1) {
        await run({ ...race, thread: `${race.durability} ${race.where} ${String(race.addressed)} ${round}` });
      }
    },
  );

  it("and what they left is whole", async () => {
    expect(await saver.verify()).toMatchObject({ ok: true });
  });

  async function run(race: Race): Promise<void> {
    const [beginner] = racers as [Child, Child];
    const begun = beginner.message();
    tell(beginner, { do: "begin", race });
    expect(await begun).toEqual({ log: [], ran: [] });

    // Both have read the head, and stand behind it, before either may go on.
    const standing = racers.map((racer) => racer.message());
    for (const racer of racers) tell(racer, { do: "resume", race });
    expect(await Promise.all(standing)).toEqual([{ at: "gate" }, { at: "gate" }]);
    const ends = racers.map((racer) => racer.message());
    for (const racer of random() < 0.5 ? racers : racers.toReversed()) tell(racer, { do: "go" });
    await expectOneWinner(race, (await Promise.all(ends)) as Report[]);
  }

  async function expectOneWinner(race: Race, reports: Report[]): Promise<void> {
    const winners = reports.filter(({ log }) => log !== undefined);
    const losers = reports.filter(({ code }) => code !== undefined);
    expect(
      losers.map(({ code }) => code),
      JSON.stringify(reports),
    ).toEqual(["STALE_CHECKPOINT"]);
    expect(winners).toHaveLength(1);
    // The thread reads what the winner's run returned, and nothing of the other one.
    const { checkpoint } = (await saver.getTuple(thread(race.thread)))!;
    expect(checkpoint.channel_values.log).toEqual(winners[0]?.log);
    expect(new Set(winners[0]?.log?.map((entry) => entry.split(":")[1])).size).toBe(1);
    expect((await saver.position(race.thread))?.state).toBe("done");
    if (race.durability === "sync") expect(losers[0]?.ran).toEqual(["ask"]);
  }
});

function tell(child: Child, order: Order): void {
  child.send(order);
}
