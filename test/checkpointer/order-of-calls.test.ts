/** LangGraph awaits no `putWrites`, and under durability "async" no `put`: what comes in which order, and what is there. */
import { Annotation, END, START, StateGraph, interrupt } from "@langchain/langgraph";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const State = Annotation.Root({ count: Annotation<number>(), text: Annotation<string>() });

async function begin(saver: SlimSaver): Promise<string> {
  const checkpoint = checkpointOf({ a: 0 });
  await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  return checkpoint.id;
}

it("R10: a run under durability async is never more than one checkpoint ahead of the store", async () => {
  const saver = openSaver(join(temporaryFolder(), "agent.db"));
  const before = 2; // checkpoints of the input, and of what it led to
  let [stored, furthest] = [0, 0];
  const put = saver.put.bind(saver);
  saver.put = async (...args) => {
    const result = await put(...args);
    stored += 1;
    return result;
  };
  const app = new StateGraph(State)
    .addNode("work", ({ count }) => {
      furthest = Math.max(furthest, before + count - stored);
      return { count: count + 1, text: `${count} `.repeat(20_000) };
    })
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ count }) => (count < 60 ? "work" : END))
    .compile({ checkpointer: saver });
  await app.invoke({ count: 0, text: "" }, { ...thread("t"), recursionLimit: 100 });
  expect(stored).toBe(62);
  expect(furthest).toBeLessThanOrEqual(1);
});

describe("R21: writes come before the checkpoint that follows them", () => {
  it("whoever finds a checkpoint finds all that was written at its parent, though nothing was awaited", async () => {
    const task = fc.array(fc.string({ maxLength: 2000 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 6 }), async (tasks) => {
        const file = join(temporaryFolder(), "agent.db");
        const [saver, other] = [openSaver(file), openSaver(file)];
        const parent = await begin(saver);
        const config = thread("t", parent);
        const writes = tasks.map((texts, index) =>
          saver.putWrites(
            config,
            texts.map((text) => ["a", text]),
            `task-${index}`,
          ),
        );
        const child = checkpointOf({ a: 1 });
        await saver.put(config, child, LOOP, child.channel_versions);
        expect((await other.getTuple(thread("t")))?.checkpoint.id).toBe(child.id);
        expect(writtenAt(await other.getTuple(config))).toEqual(tasks.flat().sort());
        await Promise.all(writes);
      }),
      { numRuns: 30 },
    );
  });
});

it("R22: of a hundred writes at once to one checkpoint, all come back", async () => {
  const file = join(temporaryFolder(), "agent.db");
  const savers = [openSaver(file), openSaver(file), openSaver(file), openSaver(file)];
  const config = thread("t", await begin(savers[0]!));
  const texts = Array.from({ length: 100 }, (_, index) => `${index} `.repeat(index * 10 + 1));
  await Promise.all(
    texts.map((text, index) => savers[index % savers.length]!.putWrites(config, [["a", text]], `task-${index}`)),
  );
  expect(writtenAt(await openSaver(file).getTuple(config))).toEqual(texts.toSorted());
});

describe("R23: writes that come before their checkpoint", () => {
  it("are there when it has come", async () => {
    const saver = openSaver();
    const id = uuid6(0);
    await saver.putWrites(thread("t", id), [["__interrupt__", { value: "go on?" }]], "task");
    await saver.putWrites(thread("t", id), [["a", "early"]], "other");
    const checkpoint = { ...checkpointOf({ a: 0 }), id };
    await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual([
      ["other", "a", "early"],
      ["task", "__interrupt__", { value: "go on?" }],
    ]);
  });

  it("show the question of a run whose checkpoints come slowly", async () => {
    const saver = openSaver();
    const put = saver.put.bind(saver);
    const early: string[] = [];
    saver.put = async (config, checkpoint, ...rest) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (asked) early.push(checkpoint.id);
      return put(config, checkpoint, ...rest);
    };
    let asked = false;
    const app = new StateGraph(State)
      .addNode("ask", () => {
        asked = true;
        return { text: interrupt<string, string>("go on?") };
      })
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
    await app.invoke({ count: 0 }, thread("t"));
    expect(early.length).toBeGreaterThan(0);
    const { tasks } = await app.getState(thread("t"));
    expect(tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as unknown))).toEqual(["go on?"]);
    expect((await saver.listThreads()).threads).toMatchObject([{ threadId: "t", state: "waiting" }]);
  });
});

function writtenAt(tuple: CheckpointTuple | undefined): string[] {
  return (tuple?.pendingWrites ?? []).map(([, , value]) => value as string).sort();
}
