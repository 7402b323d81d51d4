import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { at, idOf, listed, store } from "../../src/testing/checkpointer/checkpoints.js";
import { databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const TEXT = "a sentence of more than a few words that both of them say. ".repeat(30);

function both(): { ann: SlimSaver; bob: SlimSaver } {
  const file = join(temporaryFolder(), "shared.db");
  return { ann: openSaver(file, { tenant: "ann" }), bob: openSaver(file, { tenant: "bob" }) };
}

async function fill(saver: SlimSaver, secret: string): Promise<void> {
  const messages = [new AIMessage({ id: "m", content: TEXT })];
  let parent: string | undefined;
  for (let step = 0; step < 3; step += 1) {
    const stored = await saver.put(
      { ...at({ thread: "t", id: parent }), metadata: { run_id: "run" } },
      { ...checkpoint(step), channel_values: { messages, secret } },
      { source: "loop", step, parents: {} },
      undefined,
    );
    await saver.putWrites(stored, [["secret", secret]], "task");
    parent = idOf(stored);
  }
}

const checkpoint = (step: number) => ({
  ...{ v: 4, id: `1f000000-0000-6000-8000-00000000000${step}`, ts: new Date(0).toISOString() },
  ...{ channel_versions: { messages: 1, secret: 1 }, versions_seen: {} },
});

const everything = async (saver: SlimSaver): Promise<string> => JSON.stringify(await listed(saver, {}));

describe("a tenant", () => {
  it.each<[string, (bob: SlimSaver) => Promise<unknown>, unknown]>([
    ["getTuple", (bob) => bob.getTuple(thread("t")), undefined],
    ["list of all threads", (bob) => listed(bob, {}), []],
    ["list of a thread", (bob) => listed(bob, at({ thread: "t" })), []],
    ["listThreads", async (bob) => (await bob.listThreads()).threads, []],
    ["position", (bob) => bob.position("t"), undefined],
    ["stats", async (bob) => (await bob.stats()).objectBytes, 0],
    ["verify", async (bob) => (await bob.verify()).checkpoints, 0],
    ["prune", async (bob) => (await bob.prune({ keep: "latest", olderThan: "0s" })).checkpoints, 0],
    ["deleteThread", (bob) => bob.deleteThread("t"), undefined],
    ["deleteForRuns", (bob) => bob.deleteForRuns(["run"]), undefined],
    ["copyThread", (bob) => bob.copyThread("t", "mine").catch(() => "refused"), "refused"],
    ["put of a thread of the same id", (bob) => store(bob, { thread: "t" }, {}).then(() => "stored"), "stored"],
  ])("sees and changes nothing of another by %s (R52)", async (_method, call, expected) => {
    const { ann, bob } = both();
    await fill(ann, "ann's");
    const before = await everything(ann);
    expect(await call(bob)).toEqual(expected);
    expect(await everything(ann)).toBe(before);
    expect(await ann.verify()).toMatchObject({ ok: true });
  });

  it("shares no object with another, though both say the same (R52)", async () => {
    const { ann, bob } = both();
    await fill(ann, "the same");
    const objects = (): unknown[] => databaseOf(ann).all("SELECT hash FROM waypoint_objects");
    const alone = objects().length;
    await fill(bob, "the same");
    expect(objects()).toHaveLength(2 * alone);
    expect(new Set(objects().map((row) => JSON.stringify(row))).size).toBe(2 * alone);
  });

  it("loses nothing when another deletes what is the same (R52)", async () => {
    const { ann, bob } = both();
    await fill(ann, "the same");
    await fill(bob, "the same");
    const before = await everything(ann);
    await bob.deleteThread("t");
    expect(await everything(ann)).toBe(before);
    expect(await ann.verify()).toMatchObject({ ok: true, orphans: 0 });
  });
});
