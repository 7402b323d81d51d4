import { Command } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GRAPHS } from "../../src/testing/checkpointer/graphs.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";

/** What the process is warned of from now on, as `name: message`. */
function warnings(): string[] {
  const heard: string[] = [];
  const spy = vi.spyOn(process, "emitWarning").mockImplementation((warning, name) => {
    heard.push(`${typeof name === "string" ? name : ""}: ${String(warning)}`);
  });
  onTestFinished(() => {
    spy.mockRestore();
  });
  return heard;
}

describe('with concurrency: "detect"', () => {
  it("a checkpoint that does not continue the newest is stored, and said", async () => {
    const saver = openSaver(":memory:", { concurrency: "detect" });
    const heard = warnings();
    const base = checkpointOf({ a: "base" }, 1);
    await saver.put(thread("t"), base, LOOP, base.channel_versions);
    const [first, second] = [checkpointOf({ a: "first" }, 2), checkpointOf({ a: "second" }, 2)];
    await saver.put(thread("t", base.id), first, LOOP, first.channel_versions);
    expect(heard).toEqual([]);
    await saver.put(thread("t", base.id), second, LOOP, second.channel_versions);
    expect(heard).toEqual([expect.stringMatching(/^StaleCheckpointError: .*thread "t"/)]);
    for (const { id, channel_values } of [first, second]) {
      expect((await saver.getTuple(thread("t", id)))?.checkpoint.channel_values).toEqual(channel_values);
    }
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(second.id);
  });

  it("of two runs that answer one question both come through, and the thread holds one of them whole", async () => {
    const saver = openSaver(":memory:", { concurrency: "detect" });
    const heard = warnings();
    let standing = 0;
    let open = (): void => undefined;
    const both = new Promise<void>((resolve) => (open = resolve));
    const app = (observe: (node: string) => Promise<void> | void) =>
      GRAPHS.question(observe).compile({ checkpointer: saver });
    await app(() => undefined).invoke({ log: [] }, thread("t"));
    const gate = async (node: string): Promise<void> => {
      if (node === "ask" && (standing += 1) === 2) open();
      await both;
    };
    const answers = ["yes", "no"].map((resume) => app(gate).invoke(new Command({ resume }), thread("t")));
    const logs = (await Promise.all(answers)).map(({ log }) => log);
    expect(logs).toEqual([expect.arrayContaining(["ask: yes"]), expect.arrayContaining(["ask: no"])]);
    expect(heard.length).toBeGreaterThan(0);
    const { log } = (await saver.getTuple(thread("t")))?.checkpoint.channel_values as { log: string[] };
    expect(logs).toContainEqual(log);
  });

  it("forks, updates and what continues the newest are no matter for a warning", async () => {
    const saver = openSaver(":memory:", { concurrency: "detect" });
    const heard = warnings();
    const app = GRAPHS.chain(() => undefined).compile({ checkpointer: saver });
    await app.invoke({ log: ["one"] }, thread("t"));
    await app.invoke({ log: ["two"] }, thread("t"));
    const history = [];
    for await (const state of app.getStateHistory(thread("t"))) history.push(state);
    await app.updateState(history.at(-2)?.config ?? {}, { log: ["aside"] });
    await app.invoke(null, history.at(-3)?.config);
    expect(heard).toEqual([]);
  });
});
