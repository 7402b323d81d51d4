import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { fileObjects, slim } from "../../../src/checkpointer/index.js";
import { runChild } from "../../child.js";
import { temporaryFolder } from "../harness.js";
import { sqlite, store, tupleOf, valuesOf } from "./harness.js";

const VICTIM = new URL("../fixtures/slim-victim.ts", import.meta.url);
const WRITER = new URL("../fixtures/slim-writer.ts", import.meta.url);

describe("a process that is killed", () => {
  const OLD = "old ".repeat(1000);
  const NEW = "new ".repeat(1000);
  it.each([
    ["before the payload", OLD],
    ["after the payload", OLD],
    ["after the reference", NEW],
  ])("%s: the thread reads as it was stored last, and goes on", { timeout: 60_000 }, async (die, text) => {
    const folder = temporaryFolder();
    const file = join(folder, "agent.db");
    const dir = join(folder, "objects");
    const { signal } = await runChild(VICTIM, { file, dir, die });
    expect(signal).toBe("SIGKILL");
    const wrapper = slim(sqlite(file), { objects: fileObjects(dir) });
    expect(await valuesOf(wrapper)).toEqual({ text });
    const { checkpoint } = await tupleOf(wrapper);
    await store(wrapper, { text: NEW }, { parent: checkpoint.id });
    expect(await valuesOf(wrapper)).toEqual({ text: NEW });
  });
});

describe("processes that store at the same time", () => {
  it("each reads what each has stored, and what both say is one object", { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, "agent.db");
    const dir = join(folder, "objects");
    await sqlite(file).getTuple({ configurable: { thread_id: "none" } });
    const checkpoints = 20;
    const names = ["a", "b"];
    const results = await Promise.all(names.map((name) => runChild(WRITER, { file, dir, name, checkpoints })));
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    for (const name of names) {
      const { checkpoint, pendingWrites } = await tupleOf(slim(sqlite(file), { objects: fileObjects(dir) }), name);
      const messages = checkpoint.channel_values.messages as HumanMessage[];
      expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: checkpoints }, (_, at) => `${name}-${at}`));
      expect(pendingWrites).toEqual([["task", "messages", [messages.at(-1)]]]);
    }
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    // Of each thread two pages, which name the ids of its messages.
    expect(entries.filter((entry) => entry.isFile())).toHaveLength(checkpoints + 2 * names.length);
  });
});
