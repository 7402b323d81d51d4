import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { systemClock } from "../../src/shared/clock.js";
import { at, chain, listed, store } from "../../src/testing/checkpointer/checkpoints.js";
import { databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const MARK = "Xq7v-a-mark-that-stands-nowhere-else";

/** How many rows of each table belong to no checkpoint that is there. */
function strays(saver: SlimSaver): Record<string, unknown> {
  const count = (sql: string): unknown => databaseOf(saver).get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n;
  return {
    writes: count(
      "waypoint_writes w WHERE NOT EXISTS (SELECT 1 FROM waypoint_checkpoints c WHERE c.ns = w.ns AND c.id = w.checkpoint)",
    ),
    checkpoints: count(
      "waypoint_checkpoints c WHERE NOT EXISTS (SELECT 1 FROM waypoint_namespaces n WHERE n.id = c.ns)",
    ),
    namespaces: count(
      "waypoint_namespaces n WHERE NOT EXISTS (SELECT 1 FROM waypoint_threads t WHERE t.id = n.thread)",
    ),
  };
}

const NONE = { writes: 0, checkpoints: 0, namespaces: 0 };

describe("a thread that was deleted", () => {
  it("leaves nothing in the file: no row, no object, no byte of what it said (R15)", async () => {
    const path = join(temporaryFolder(), "agent.db");
    const saver = openSaver(path);
    const shared = new HumanMessage({ id: "m", content: "both threads hold this. ".repeat(20) });
    for (const [name, mark] of [
      ["goes", MARK],
      ["stays", "of the other"],
    ] as const) {
      for (const ns of ["", "node:1", "node:1|inner:2"]) {
        const place = { thread: name, ns };
        const values = { messages: [shared], mark, large: mark.repeat(60) };
        await saver.putWrites(
          await store(saver, place, values),
          [
            ["mark", { mark }],
            [`channel of ${name}`, 1],
          ],
          "task",
        );
      }
    }
    expect(readFileSync(path).includes(MARK) || readFileSync(`${path}-wal`).includes(MARK)).toBe(true);
    await saver.deleteThread("goes");
    expect(await saver.stats({ threadId: "goes" })).toMatchObject({
      ...{ threads: 0, namespaces: 0, checkpoints: 0, writes: 0, objects: 0, rowBytes: 0, objectBytes: 0 },
    });
    expect(strays(saver)).toEqual(NONE);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    await saver.compact();
    expect(readFileSync(path).includes(MARK) || readFileSync(`${path}-wal`).includes(MARK)).toBe(false);
    const left = await listed(saver, {});
    expect(left.map(({ config }) => config.configurable?.thread_id as string)).toEqual(["stays", "stays", "stays"]);
    expect(left[0]?.checkpoint.channel_values.messages).toEqual([shared]);
  });
});

const counting = new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
  .addNode("one", () => ({ messages: [new HumanMessage("one")] }))
  .addNode("two", () => ({ messages: [new HumanMessage("two")] }))
  .addEdge(START, "one")
  .addEdge("one", "two");

describe("what is removed by age", () => {
  it("goes in whole checkpoints, and never takes what a newer one is rebuilt from (R13)", async () => {
    let ahead = 0;
    const saver = openSaver(":memory:", { clock: { ...systemClock, now: () => Date.now() + ahead } });
    const app = counting.compile({ checkpointer: saver });
    for (let turn = 0; turn < 4; turn += 1)
      await app.invoke({ messages: [new HumanMessage(`turn ${turn}`)] }, thread("t"));
    await chain(saver, { thread: "plain" }, 6);
    const texts = async (config: RunnableConfig): Promise<string[]> =>
      ((await app.getState(config)).values as { messages: BaseMessage[] }).messages.map(({ text }) => text);
    const before = new Map<string, string>();
    for (const { config } of await listed(saver, at({ thread: "t" }))) {
      before.set(JSON.stringify(config), JSON.stringify(await texts(config)));
    }
    ahead = 3_600_000;
    const { checkpoints } = await saver.prune({ keep: "latest", olderThan: "30m" });
    expect(checkpoints).toBeGreaterThanOrEqual(5);
    const left = await listed(saver, {});
    for (const { config } of left.filter((tuple) => tuple.config.configurable?.thread_id === "t")) {
      expect(JSON.stringify(await texts(config))).toBe(before.get(JSON.stringify(config)));
    }
    expect(await texts(thread("t"))).toHaveLength(12);
    expect(left.filter(({ config }) => config.configurable?.thread_id === "plain")).toHaveLength(1);
    expect(strays(saver)).toEqual(NONE);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });
});
