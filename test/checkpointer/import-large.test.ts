import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { expect, it } from "vitest";
import { SlimSaver, importThreads } from "../../src/checkpointer/index.js";
import type { ImportReport } from "../../src/checkpointer/index.js";
import { Child, runChild } from "../child.js";
import type { ImporterParameters } from "./fixtures/importer.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const IMPORTER = new URL("fixtures/importer.ts", import.meta.url);

/** Threads of a chain of checkpoints each, every checkpoint with a text of its own. */
async function fill(file: string, size: { threads: number; checkpoints: number; characters: number }): Promise<void> {
  const saver = SqliteSaver.fromConnString(file);
  for (let name = 0; name < size.threads; name += 1) {
    let at = thread(`thread-${name}`);
    for (let step = 0; step < size.checkpoints; step += 1) {
      const text = `${name}-${step}-`.padEnd(size.characters, "x");
      at = await saver.put(at, checkpointOf({ text, step }), { ...LOOP, step });
      await saver.putWrites(at, [["text", "next"]], `task-${step}`);
    }
  }
  saver.db.close();
}

async function checkpointsIn(saver: SlimSaver | SqliteSaver): Promise<string[]> {
  const found: string[] = [];
  for await (const { config, checkpoint, parentConfig } of saver.list({})) {
    const parent: unknown = parentConfig?.configurable?.checkpoint_id;
    found.push(JSON.stringify([config.configurable, checkpoint.id, parent, checkpoint.channel_values]));
  }
  return found.sort();
}

it(
  "an import that is killed leaves whole checkpoints only, and goes on where it was",
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder();
    const files: ImporterParameters = { from: join(folder, "old.db"), to: join(folder, "new.db") };
    const all = 4 * 40;
    await fill(files.from, { threads: 4, checkpoints: 40, characters: 2000 });
    let there = 0;
    for (const killAt of [1, 37, 95]) {
      const child = Child.start(IMPORTER, files);
      while (((await child.message()) as { checkpoints: number }).checkpoints < killAt);
      child.process.kill("SIGKILL");
      expect((await child.ended()).signal).toBe("SIGKILL");
      const saver = SlimSaver.fromConnString(files.to);
      const stored = await checkpointsIn(saver);
      expect(stored.length).toBeGreaterThanOrEqual(Math.max(killAt, there));
      expect(stored.length).toBeLessThan(all);
      expect((await saver.verify()).ok).toBe(true);
      there = stored.length;
      await saver.close();
    }
    const [from, to] = [SqliteSaver.fromConnString(files.from), openSaver(files.to)];
    const report = await importThreads(from, to);
    expect(report).toMatchObject({
      threads: 4,
      checkpoints: all - there,
      alreadyThere: there,
      left: [],
      unreadable: [],
    });
    expect(await checkpointsIn(to)).toEqual(await checkpointsIn(from));
    const { threads } = await to.listThreads();
    expect(threads).toHaveLength(4);
    const tuple = await to.getTuple(thread("thread-2"));
    expect(tuple?.checkpoint.channel_values.step).toBe(39);
    expect(tuple?.pendingWrites).toEqual([["task-39", "text", "next"]]);
  },
);

it("a database that is larger than the memory comes over, one checkpoint at a time", { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const files: ImporterParameters = { from: join(folder, "old.db"), to: join(folder, "new.db") };
  const megabytes = 320;
  await fill(files.from, { threads: 2, checkpoints: megabytes / 2, characters: 1_000_000 });
  // The caches of what was stored are bounded, and find room in this heap.
  const { code, messages, stderr } = await runChild(IMPORTER, files, ["--max-old-space-size=128"]);
  expect([code, stderr]).toEqual([0, ""]);
  const ended = messages.at(-1) as { report: ImportReport; megabytes: number };
  expect(ended.report).toMatchObject({ threads: 2, checkpoints: megabytes, left: [] });
  expect(ended.megabytes).toBeLessThan(megabytes);
});
