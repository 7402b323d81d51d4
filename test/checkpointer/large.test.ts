import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { runChild } from "../child.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const MANY_THREADS = new URL("./fixtures/many-threads.ts", import.meta.url);

describe("what is large", () => {
  it("a list of 300,000 elements comes back, also to a process that has not seen it", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const list = Array.from({ length: 300_000 }, (_, at) => at);
    const messages = Array.from(
      { length: 5_000 },
      (_, at) => new HumanMessage({ id: `m-${at}`, content: `said ${at}` }),
    );
    const first = openSaver(file);
    const checkpoint = checkpointOf({ list, messages });
    await first.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await first.close();
    const values = (await openSaver(file).getTuple(thread("t")))?.checkpoint.channel_values as {
      list: number[];
      messages: HumanMessage[];
    };
    expect(values.list).toEqual(list);
    expect(values.messages.map(({ id, content }) => [id, content])).toEqual(
      messages.map(({ id, content }) => [id, content]),
    );
  });

  it("what a process keeps in memory does not grow with the threads it has seen", async () => {
    const file = join(temporaryFolder(), "agent.db");
    // 300 million characters through a heap of 200 MB.
    const task = { file, threads: 300, length: 100_000 };
    const { code, messages, stderr } = await runChild(MANY_THREADS, task, ["--max-old-space-size=200"]);
    expect([code, messages, stderr]).toEqual([0, [{ whole: 300 }], ""]);
  });
});
