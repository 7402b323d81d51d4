import { statSync } from "node:fs";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { Child, runChild } from "../child.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const TALKER = new URL("./fixtures/talker.ts", import.meta.url);
const READER = new URL("./fixtures/reader.ts", import.meta.url);

const thorough = process.env.WAYPOINT_FULL === "1";
const work = { turns: 60, seconds: thorough ? 30 : 0 };
const timeout = 240_000;

describe("R46: four processes that write different threads of one file", () => {
  it("lose no row and never see a locked database", { timeout }, async () => {
    const file = join(temporaryFolder(), "agent.db");
    const names = ["a", "b", "c", "d"];
    const ends = await Promise.all(names.map((name) => runChild(TALKER, { file, thread: name, ...work })));
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: "" })));
    const saver = openSaver(file);
    for (const [index, name] of names.entries()) {
      const { turns } = ends[index]?.messages.at(-1) as { turns: number };
      expect(turns).toBeGreaterThanOrEqual(work.turns);
      await expectEveryTurn(saver, name, turns);
    }
    expect(await saver.verify()).toMatchObject({ ok: true });
  });
});

describe("R9: a reader in another process", () => {
  it("that looks at an old checkpoint, with a list half read, changes nothing for writers", { timeout }, async () => {
    const file = join(temporaryFolder(), "agent.db");
    const old = openSaver(file);
    let parent: string | undefined;
    for (let step = 0; step < 100; step += 1) {
      const checkpoint = checkpointOf({ step });
      await old.put(thread("old", parent), checkpoint, LOOP, checkpoint.channel_versions);
      parent = checkpoint.id;
    }
    const reader = Child.start(READER, { file, thread: "old" });
    expect(await reader.message()).toEqual({ reading: 100 });
    const writers = ["a", "b"].map((name) => runChild(TALKER, { file, thread: name, turns: work.turns, seconds: 0 }));
    const next = checkpointOf({ step: 100 });
    await old.put(thread("old", parent), next, LOOP, next.channel_versions);
    const ends = await Promise.all(writers);
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ends.map(() => ({ code: 0, stderr: "" })));
    // Nobody keeps the write-ahead log from being folded into the file either.
    await old.compact();
    expect(statSync(`${file}-wal`).size).toBe(0);

    reader.send({ leave: true });
    const { messages, code, stderr } = await reader.ended();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const seen = messages.at(-1) as { looks: number };
    expect(seen).toMatchObject({ changes: 0, rest: 99 });
    expect(seen.looks).toBeGreaterThan(0);
    for (const name of ["a", "b"]) await expectEveryTurn(old, name, work.turns);
    expect((await old.getTuple(thread("old")))?.checkpoint.id).toBe(next.id);
  });
});

/** Each turn's words in the newest checkpoint, and a checkpoint for each step that was taken, one after the other. */
async function expectEveryTurn(saver: SlimSaver, name: string, turns: number): Promise<void> {
  const messages = (await saver.getTuple(thread(name)))?.checkpoint.channel_values.messages as BaseMessage[];
  const said = Array.from({ length: turns }, (_, turn) => `${name} says ${turn} `.repeat(20));
  expect(messages.map(({ text }) => text)).toEqual(said.flatMap((text) => [text, `heard: ${text}`]));
  const steps: (number | undefined)[] = [];
  for await (const { metadata } of saver.list(thread(name))) steps.push(metadata?.step);
  expect(steps).toEqual(Array.from({ length: 3 * turns }, (_, index) => 3 * turns - 2 - index));
}
