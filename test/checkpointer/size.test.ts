import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, Send, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { FORK, LOOP, chain, idOf, store } from "../../src/testing/checkpointer/checkpoints.js";
import { databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const MB = 1024 * 1024;

/** Text that does not compress: what it takes to store is what was said. */
const said = (length: number): string => randomBytes((length * 3) / 4).toString("base64");

/** Bytes of rows and objects, without SQLite's own overhead. */
async function stored(saver: SlimSaver): Promise<number> {
  const { rowBytes, objectBytes } = await saver.stats();
  return rowBytes + objectBytes;
}

describe("what is stored once", () => {
  it("a channel of 1 MB that nobody touches for 100 supersteps (R2)", async () => {
    const saver = openSaver();
    const blob = said(MB);
    let parent: string | undefined;
    for (let step = 0; step < 100; step += 1) {
      const values = { blob, count: step };
      parent = idOf(await store(saver, { thread: "t", id: parent }, values, { version: step + 1 }));
    }
    expect(await stored(saver)).toBeLessThan(1.1 * MB);
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ blob, count: 99 });
  });

  it("a map of files that goes along as the argument of every Send (R3)", async () => {
    const saver = openSaver();
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, said(MB / 20)]));
    let parent: string | undefined;
    for (let step = 0; step < 10; step += 1) {
      const sends = Array.from({ length: 5 }, (_, item) => new Send("work", { item, files }));
      const config = await store(saver, { thread: "t", id: parent }, { files, sends }, { version: step + 1 });
      await saver.putWrites(config, [["files", { ...files, "new.txt": `${step}` }]], "task");
      parent = idOf(config);
    }
    expect(await stored(saver)).toBeLessThan(1.2 * MB);
  });

  it("an image in base64 that stands in many messages and checkpoints (R5)", async () => {
    const saver = openSaver();
    const url = `data:image/png;base64,${said(MB)}`;
    const messages: HumanMessage[] = [];
    let parent: string | undefined;
    for (let step = 0; step < 20; step += 1) {
      const content = [
        { type: "text", text: `message ${step}` },
        { type: "image_url", image_url: { url } },
      ];
      messages.push(new HumanMessage({ id: `m${step}`, content }));
      parent = idOf(
        await store(saver, { thread: "t", id: parent }, { messages: [...messages] }, { version: step + 1 }),
      );
    }
    expect(await stored(saver)).toBeLessThan(1.1 * MB);
  });
});

describe("an agent of 100 turns", () => {
  const texts: string[] = [];
  const say = (): string => {
    texts.push(said(640));
    return texts.at(-1) ?? "";
  };
  const agent = new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => {
      if (messages.at(-1) instanceof ToolMessage) return { messages: [new AIMessage(say())] };
      const call = {
        name: "search",
        args: { query: say() },
        id: `call-${messages.length}`,
        type: "tool_call" as const,
      };
      return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
    })
    .addNode("tools", ({ messages }) => ({
      messages: [new ToolMessage({ content: say(), tool_call_id: `call-${messages.length - 1}` })],
    }))
    .addEdge(START, "model")
    .addEdge("tools", "model")
    .addConditionalEdges("model", ({ messages }) =>
      ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "tools" : "__end__",
    );

  it("stores at most 2.5 times what was said, with the whole history (R4)", { timeout: 60_000 }, async () => {
    const saver = openSaver();
    const app = agent.compile({ checkpointer: saver });
    for (let turn = 0; turn < 100; turn += 1) await app.invoke({ messages: [new HumanMessage(say())] }, thread("t"));
    expect((await saver.stats()).checkpoints).toBe(500);
    expect(texts).toHaveLength(400);
    expect((await stored(saver)) / texts.join("").length).toBeLessThan(2.5);
  });
});

describe("space that is free again", () => {
  it("goes back to the operating system (R3)", async () => {
    const saver = openSaver(join(temporaryFolder(), "agent.db"));
    for (const name of ["stays", "goes"]) await store(saver, { thread: name }, { text: said(MB) });
    await saver.deleteThread("goes");
    await saver.compact();
    const { fileBytes, freeBytes } = await saver.stats();
    expect(freeBytes).toBe(0);
    expect(fileBytes).toBeLessThan(1.2 * MB);
  });
});

describe("a list of threads", () => {
  it("of 10,000 threads is one statement that reads neither checkpoints nor objects (R7)", async () => {
    const saver = openSaver();
    await chain(saver, { thread: "t" }, 2);
    const database = databaseOf(saver);
    database.run(
      `INSERT INTO waypoint_threads (tenant, thread, state, step, updated_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       SELECT '', 'thread ' || i, iif(i % 7 = 0, 'waiting', 'done'), 1, 1700000000000 + i FROM n`,
    );
    const asked: [string, unknown[]][] = [];
    const all = database.all.bind(database);
    database.all = <T>(sql: string, ...given: unknown[]): T[] => {
      asked.push([sql, given]);
      return all<T>(sql, ...given);
    };
    for (const options of [{}, { state: "waiting" }, { search: "thread 9" }, { limit: 1000 }]) {
      asked.length = 0;
      expect((await saver.listThreads(options)).threads.length).toBeGreaterThan(40);
      expect(asked).toHaveLength(1);
      const [[sql, given] = ["", []]] = asked;
      const plan = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...given).map(({ detail }) => detail);
      expect(plan).toEqual(["SEARCH waypoint_threads USING INDEX waypoint_threads_by_change (tenant=?)"]);
    }
  });
});

it("a fork shares with its base what it does not change (R5)", async () => {
  const saver = openSaver();
  const blob = said(MB);
  const base = idOf(await store(saver, { thread: "t" }, { blob, who: "base" }, { metadata: LOOP }));
  for (const [index, who] of ["left", "right"].entries()) {
    await store(saver, { thread: "t", id: base }, { blob, who }, { metadata: FORK, version: index + 2 });
  }
  expect(await stored(saver)).toBeLessThan(1.1 * MB);
});
