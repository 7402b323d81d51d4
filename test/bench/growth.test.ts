import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { openThread } from "../../bench/growth/graph.js";
import { measureGrowth } from "../../bench/growth/growth.js";
import { marginalOf } from "../../bench/growth/marginal.js";
import type { Sample } from "../../bench/growth/measure.js";
import { measurementsOf } from "../../bench/growth/plan.js";
import type { GrowthPlan } from "../../bench/growth/plan.js";
import { ReferenceSaver } from "../../bench/growth/reference-saver.js";
import type { GrowthReport } from "../../bench/growth/report.js";
import { show } from "../../bench/growth/show.js";
import { messageTexts } from "../../bench/growth/text.js";

const scratch = mkdtempSync(join(tmpdir(), "waypoint-bench-test-"));
const plan: GrowthPlan = { turns: [2, 4], runs: 1, text: "words", seed: 7, savers: ["own", "sqlite", "slim"] };

afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe("a run of the benchmark", () => {
  const number = expect.any(Number) as number;
  const lines: string[] = [];
  let report: GrowthReport;

  it("measures every saver at every size and counts every message", { timeout: 120_000 }, async () => {
    report = await measureGrowth(plan, scratch, (line) => lines.push(line));
    expect(lines).toHaveLength(6);
    const onDisk = {
      perText: [number, number],
      timeVsOwn: [number, number],
      cpuVsOwn: [number, number],
      getStateVsSqlite: [number, number],
      walBytes: [number, number],
      databaseBytes: [number, number],
      ms: [number, number],
      cpuMs: [number, number],
      getStateMs: [number, number],
      messages: [8, 16],
    };
    const none = [null, null];
    const inMemory = { perText: none, getStateVsSqlite: none, walBytes: none, databaseBytes: none, getStateMs: none };
    expect(report).toMatchObject({
      bench: "growth",
      text: "words",
      seed: 7,
      runs: 1,
      turns: [2, 4],
      textBytes: [2 * 4 * 1250, 4 * 4 * 1250],
      savers: {
        own: { ...onDisk, ...inMemory, timeVsOwn: [1, 1], cpuVsOwn: [1, 1] },
        sqlite: { ...onDisk, getStateVsSqlite: [1, 1] },
        slim: onDisk,
      },
      marginal: null,
      machine: { cpu: expect.any(String) as string, node: process.version },
    });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it("leaves no file behind", () => {
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("shows a line for each saver in each section", () => {
    const shown = show(report).split("\n");
    expect(shown.filter((line) => line.startsWith("  SlimSaver "))).toHaveLength(7);
  });
});

it("a wrong number of messages fails the benchmark, which leaves no file behind", async () => {
  const broken = { ...plan, turns: [-1], savers: ["slim"] } as const;
  await expect(measureGrowth(broken, scratch, () => {})).rejects.toThrow("SlimSaver after -1 turns: 0 messages");
  expect(readdirSync(scratch)).toEqual([]);
});

it("the floor is a right saver: a turn is four messages and five checkpoints, and each is found again", async () => {
  const saver = new ReferenceSaver();
  const thread = openThread(saver, "annotation", () => "text");
  await thread.turn("one");
  await thread.turn("two");
  expect(await thread.messageCount()).toBe(8);
  const config = { configurable: { thread_id: "growth" } };
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(config)) tuples.push(tuple);
  expect(tuples).toHaveLength(10);
  for (const [index, { config, parentConfig }] of tuples.entries()) {
    expect((await saver.getTuple(config))?.config).toEqual(config);
    expect(parentConfig).toEqual(tuples[index + 1]?.config);
  }
  await saver.deleteThread("growth");
  expect(await saver.getTuple(config)).toBeUndefined();
});

it("a shorter thread's texts begin a longer one's, and another seed says something else", () => {
  const texts = messageTexts("words", 1, 8);
  expect(texts.every((text) => text.length === 1250)).toBe(true);
  expect(messageTexts("words", 1, 4)).toEqual(texts.slice(0, 4));
  expect(messageTexts("words", 2, 1)[0]).not.toBe(texts[0]);
});

it("savers take turns within a size, and only those that grow with the text run above 200 turns", () => {
  const order = measurementsOf({ ...plan, turns: [200, 400], runs: 2 }).map(
    ({ run, turns, saver }) => `${run} ${turns} ${saver}`,
  );
  expect(order).toEqual([
    ...["0 200 own", "0 200 sqlite", "0 200 slim", "0 400 own", "0 400 slim"],
    ...["1 200 sqlite", "1 200 slim", "1 200 own", "1 400 slim", "1 400 own"],
  ]);
});

describe("marginal bytes", () => {
  const samples = (bytesAt: (turns: number) => number, sizes: number[]): Sample[] =>
    sizes.map((turns) => ({
      ...{ run: 0, turns, saver: "slim", seed: 0, ms: 1, cpuMs: 1, messages: turns * 4, textBytes: turns * 5000 },
      database: { bytes: bytesAt(turns), walBytes: 0, getStateMs: 1 },
    }));

  it("storage that grows with the text adds the same at 800 turns as at 200, whatever its fixed part", () => {
    const linear = samples((turns) => 100_000 + turns * 4000, [25, 50, 100, 200, 400, 800]);
    expect(marginalOf("slim", linear)).toEqual({
      saver: "slim",
      early: { from: 100, to: 200, perText: 0.8 },
      late: { from: 400, to: 800, perText: 0.8 },
      change: 1,
    });
  });

  it("storage that grows with the square is found", () => {
    const square = samples((turns) => turns * turns, [25, 50, 100, 200]);
    expect(marginalOf("slim", square)?.change).toBe(4);
  });

  it("two sizes say nothing about change", () => {
    expect(
      marginalOf(
        "slim",
        samples((turns) => turns, [2, 4]),
      ),
    ).toBeUndefined();
  });
});
