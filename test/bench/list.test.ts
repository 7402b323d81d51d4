import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { openThread } from "../../bench/growth/graph.js";
import { show } from "../../bench/list/command.js";
import { measureList } from "../../bench/list/list.js";
import type { ListPlan } from "../../bench/list/list.js";
import { LISTING_NAMES } from "../../bench/list/lists.js";
import { recordTurn, replayTurn } from "../../bench/list/recorded-turn.js";
import { scratchFolder } from "./scratch.js";

const plan: ListPlan = { threads: 60, turns: 3, runs: 1, seed: 7, savers: ["sqlite", "slim"] };

it("every saver lists every thread and every checkpoint once", { timeout: 120_000 }, async () => {
  const scratch = scratchFolder();
  const report = await measureList(plan, scratch.path, () => {});
  const numbers = LISTING_NAMES.map(() => expect.any(Number) as number);
  expect(report).toMatchObject({
    ...{ bench: "list", seed: 7, runs: 1, threads: 60, turns: 3, listings: LISTING_NAMES },
    savers: { sqlite: { ms: numbers, msVsBase: LISTING_NAMES.map(() => 1) }, slim: { ms: numbers, cpuMs: numbers } },
  });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report).match(/^ {2}SlimSaver /gm)).toHaveLength(3);
  expect(scratch.left()).toEqual([]);
});

it("a replayed turn is a turn: the thread says the other texts, and goes on", async () => {
  const slim = SlimSaver.fromConnString(":memory:");
  for (const saver of [new MemorySaver(), slim]) {
    await replayTurn(await recordTurn(), saver, "replayed", ["a", "b", "c", "d"]);
    const thread = openThread(saver, "annotation", () => "more", "replayed");
    expect(await thread.messageCount()).toBe(4);
    const tuple = await saver.getTuple({ configurable: { thread_id: "replayed" } });
    const { messages } = tuple!.checkpoint.channel_values as { messages: { text: string }[] };
    expect(messages.map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
    await thread.turn("on");
    expect(await thread.messageCount()).toBe(8);
  }
  await slim.close();
});
