/** What a run may still do after another one was faster, and what comes late. */
import { Annotation, Command, START, StateGraph, interrupt } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { StaleCheckpointError } from "../../src/checkpointer/index.js";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { effect } from "../../src/nodes/index.js";
import { fresh, Outside } from "../nodes/effect/support.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const at = (ns: string, checkpointId?: string) => ({
  configurable: { thread_id: "t", checkpoint_ns: ns, checkpoint_id: checkpointId },
});

async function put(saver: SlimSaver, ns: string, parent: string | undefined, metadata: CheckpointMetadata = LOOP) {
  const checkpoint = checkpointOf({ a: 1 });
  await saver.put(at(ns, parent), checkpoint, metadata, checkpoint.channel_versions);
  return checkpoint.id;
}

describe("R19: each namespace has a newest checkpoint of its own", () => {
  it("of two that continue the same one in a subgraph, one is taken, and the others go on undisturbed", async () => {
    const saver = openSaver();
    const root = await put(saver, "", undefined);
    const base = await put(saver, "sub:1", undefined);
    const beside = await put(saver, "sub:2", undefined);
    const winner = await put(saver, "sub:1", base);
    await expect(put(saver, "sub:1", base)).rejects.toMatchObject({
      code: "STALE_CHECKPOINT",
      details: { checkpointNs: "sub:1", head: winner },
    });
    expect((await saver.getTuple(at("sub:1")))?.checkpoint.id).toBe(winner);
    await put(saver, "sub:2", beside);
    await put(saver, "", root);
  });

  it("a turn of a subgraph that remembers, brought in by a run that was overtaken in it, is refused", async () => {
    const saver = openSaver();
    const input: CheckpointMetadata = { ...LOOP, source: "input" };
    const base = await put(saver, "sub", undefined);
    const winner = await put(saver, "sub", base, input);
    await expect(put(saver, "sub", base, input)).rejects.toThrow(StaleCheckpointError);
    expect((await saver.getTuple(at("sub")))?.checkpoint.id).toBe(winner);
  });
});

describe("R20: an older checkpoint that comes late never takes the place of a newer one", () => {
  it.each(["loop", "input", "fork", "update"] as const)("whatever it says that it is: %s", async (source) => {
    const saver = openSaver();
    const base = await put(saver, "", undefined);
    const late = checkpointOf({ a: "late" });
    const newest = await put(saver, "", base);
    for (const parent of [base, undefined]) {
      const coming = saver.put(at("", parent), late, { ...LOOP, source }, late.channel_versions);
      await expect(coming).rejects.toMatchObject({ code: "STALE_CHECKPOINT", details: { head: newest } });
    }
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(newest);
  });

  it("also when it was stored before, and comes again", async () => {
    const saver = openSaver();
    const first = checkpointOf({ a: 1 });
    await saver.put(at("", undefined), first, LOOP, first.channel_versions);
    const newest = await put(saver, "", first.id);
    await expect(saver.put(at("", undefined), first, LOOP, first.channel_versions)).rejects.toThrow(
      StaleCheckpointError,
    );
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(newest);
  });

  it("but what continues the newest is taken, though a clock that runs behind has numbered it", async () => {
    const saver = openSaver();
    const behind = checkpointOf({ a: "behind" });
    const base = await put(saver, "", undefined);
    await saver.put(at("", base), behind, LOOP, behind.channel_versions);
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(behind.id);
  });
});

function gated(): [gate: Promise<void>, open: () => void] {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  return [gate, open];
}

/** Two runs answer one question at once; the second stands in its first node until the other one is through. */
async function overtakenRun(saver: SlimSaver, last: (config: LangGraphRunnableConfig) => Promise<void>) {
  const [gate, open] = gated();
  const app = new StateGraph(State)
    .addNode("ask", async () => {
      const answer = interrupt<string, string>("go on?");
      if (answer === "slow") await gate;
      return { log: [answer] };
    })
    .addNode("last", async ({ log }, config) => {
      if (log.includes("slow")) await last(config);
    })
    .addEdge(START, "ask")
    .addEdge("ask", "last")
    .compile({ checkpointer: saver });
  await app.invoke({ log: [] }, thread("t"));
  const overtaken = app.invoke(new Command({ resume: "slow" }), thread("t"));
  await app.invoke(new Command({ resume: "fast" }), thread("t"));
  open();
  await expect(overtaken).rejects.toMatchObject({ code: "STALE_CHECKPOINT" });
  expect((await app.getState(thread("t"))).values).toEqual({ log: ["fast"] });
}

describe("a run that was overtaken, under durability async", () => {
  it("is told so by whenDurable at once, however long it would wait", async () => {
    const saver = openSaver();
    let told: unknown;
    await overtakenRun(saver, async (config) => {
      told = await saver.whenDurable(config, { timeout: "1h" }).catch((error: unknown) => error);
    });
    expect(told).toBeInstanceOf(StaleCheckpointError);
  });

  it("is told so also where it was overtaken in a subgraph", async () => {
    const saver = openSaver();
    const root = await put(saver, "", undefined);
    const base = await put(saver, "sub:1", undefined);
    await put(saver, "sub:1", base);
    const refused = checkpointOf({ a: "late" });
    await expect(saver.put(at("sub:1", base), refused, LOOP, {})).rejects.toThrow(StaleCheckpointError);
    const task = { configurable: { thread_id: "t", checkpoint_map: { "": root, "sub:1": refused.id } } };
    await expect(saver.whenDurable(task, { timeout: "1h" })).rejects.toThrow(StaleCheckpointError);
  });

  it("carries no effect out", async () => {
    const outside = new Outside();
    const pay = effect({
      name: fresh("pay"),
      key: () => "7",
      run: (args, context) => Promise.resolve(outside.call(args, context)),
    });
    await overtakenRun(openSaver(), async (config) => {
      await pay({}, config);
    });
    expect(outside.calls).toEqual([]);
  });

  it("leaves nothing of its tasks and of its subgraphs behind", async () => {
    const saver = openSaver();
    const base = await put(saver, "", undefined);
    await put(saver, "", base);
    const refused = checkpointOf({ a: "late" });
    await expect(saver.put(at("", base), refused, LOOP, {})).rejects.toThrow(StaleCheckpointError);
    const before = await saver.stats();
    await expect(saver.putWrites(at("", refused.id), [["a", 1]], "task")).rejects.toThrow(StaleCheckpointError);
    const parents = { "": refused.id };
    await expect(put(saver, "sub:1", undefined, { ...LOOP, source: "input", parents })).rejects.toThrow(
      StaleCheckpointError,
    );
    expect(await saver.stats()).toEqual(before);
  });
});
