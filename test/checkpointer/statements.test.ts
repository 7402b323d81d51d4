/** How often the database is asked for rows of checkpoints and writes: by the page, and not by the row. */
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

/** Notes the statements that read rows of checkpoints and writes from now on. */
function rowStatements(saver: SlimSaver): string[] {
  const database = databaseOf(saver);
  const asked: string[] = [];
  const noting = <T extends (sql: string, ...given: unknown[]) => unknown>(ask: T): T =>
    ((sql: string, ...given: unknown[]) => {
      if (/FROM waypoint_(checkpoints|writes)\b/.test(sql)) asked.push(sql);
      return ask(sql, ...given);
    }) as T;
  database.get = noting(database.get.bind(database));
  database.all = noting(database.all.bind(database));
  return asked;
}

/** A file with a chain of checkpoints, a write at each. The list is in the first only, as a DeltaChannel's is. */
async function fileWithChain(length: number, fork = false): Promise<{ file: string; ids: string[] }> {
  const file = join(temporaryFolder(), "agent.db");
  const saver = openSaver(file);
  const ids: string[] = [];
  for (let step = 0; step < length; step += 1) {
    const parent = ids.at(-1);
    const checkpoint = checkpointOf(step === 0 ? { list: new DeltaSnapshot(["base"]) } : { step }, step + 1);
    const metadata = fork ? { ...LOOP, source: "fork" as const } : LOOP;
    const config = await saver.put(thread("t", parent), checkpoint, metadata, checkpoint.channel_versions);
    await saver.putWrites(config, [["list", `at ${step}`]], "task");
    if (fork) {
      const sibling = checkpointOf({ step }, step + 1);
      const aside = await saver.put(thread("t", parent), sibling, metadata, sibling.channel_versions);
      await saver.putWrites(aside, [["list", `beside ${step}`]], "task");
    }
    ids.push(checkpoint.id);
  }
  return { file, ids };
}

describe("a list", () => {
  it("asks as often for one checkpoint as for twenty, writes included (R8)", async () => {
    const { file } = await fileWithChain(60);
    const askedFor = async (limit: number): Promise<number> => {
      const saver = openSaver(file);
      const asked = rowStatements(saver);
      let found = 0;
      for await (const { pendingWrites } of saver.list(thread("t"), { limit })) found += pendingWrites?.length ?? 0;
      expect(found).toBe(limit);
      return asked.length;
    };
    const [one] = [await askedFor(1)];
    expect(await Promise.all([2, 5, 20].map(askedFor))).toEqual([one, one, one]);
    expect(one).toBeLessThanOrEqual(3);
    expect(await askedFor(60)).toBeLessThanOrEqual(6);
  });
});

describe("the history of a DeltaChannel", () => {
  it.each([false, true])("of 200 ancestors is read by the page, beside forks: %s", async (fork) => {
    const { file, ids } = await fileWithChain(200, fork);
    const saver = openSaver(file);
    const asked = rowStatements(saver);
    const { list } = await saver.getDeltaChannelHistory({ config: thread("t", ids.at(-1)), channels: ["list"] });
    expect(list?.writes.map(([, , value]) => value)).toEqual(ids.slice(0, -1).map((_, step) => `at ${step}`));
    expect(list?.seed).toEqual(new DeltaSnapshot(["base"]));
    expect(asked.length).toBeLessThanOrEqual(fork ? 22 : 14);
  });

  it("is found too where ids are no UUIDs, or a parent has a greater id than its child", async () => {
    const saver = openSaver();
    let parent: string | undefined;
    for (const [step, id] of ["c", "a", "b", "z", "d"].entries()) {
      const checkpoint = { ...checkpointOf(step === 0 ? { list: new DeltaSnapshot([]) } : { step }, step + 1), id };
      const metadata = { ...LOOP, source: "fork" as const };
      const config = await saver.put(thread("t", parent), checkpoint, metadata, checkpoint.channel_versions);
      await saver.putWrites(config, [["list", id]], "task");
      parent = id;
    }
    const { list } = await saver.getDeltaChannelHistory({ config: thread("t", "d"), channels: ["list"] });
    expect(list?.writes.map(([, , value]) => value)).toEqual(["c", "a", "b", "z"]);
  });
});
