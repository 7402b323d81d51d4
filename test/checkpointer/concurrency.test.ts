import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Child, runChild } from "../child.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const RACER = new URL("./fixtures/racer.ts", import.meta.url);
const WRITER = new URL("./fixtures/writer.ts", import.meta.url);

interface Report {
  readonly log?: string[];
  readonly code?: string;
  readonly ran: string[];
}

describe("two processes that resume one thread at once", () => {
  it.each(["sync", "async"] as const)("exactly one advances, under durability %s", async (durability) => {
    const file = join(temporaryFolder(), "agent.db");
    await begin(file, durability);
    const racers = ["ann", "bob"].map((who) => Child.start(RACER, { file, who, durability }));
    await Promise.all(racers.map((racer) => racer.message()));
    for (const racer of racers) racer.send({ do: "resume" });
    const reports = (await Promise.all(racers.map((racer) => racer.ended()))).map(
      ({ messages }) => messages.at(-1) as Report,
    );

    const winners = reports.filter((report) => report.log !== undefined);
    const losers = reports.filter((report) => report.code !== undefined);
    expect(winners).toHaveLength(1);
    expect(losers.map(({ code }) => code)).toEqual(["STALE_CHECKPOINT"]);
    const stored = (await openSaver(file).getTuple(thread("t")))?.checkpoint.channel_values.log;
    expect(stored).toEqual(winners[0]?.log);
    if (durability === "sync") expect(losers[0]?.ran).not.toContain("third");
  });

  async function begin(file: string, durability: string): Promise<void> {
    const child = Child.start(RACER, { file, who: "nobody", durability });
    await child.message();
    child.send({ do: "begin" });
    const { messages } = await child.ended();
    expect(messages.at(-1)).toMatchObject({ log: [] });
  }
});

describe("four processes that write different threads of one file", () => {
  it("lose no row and never see a locked database", async () => {
    const file = join(temporaryFolder(), "agent.db");
    await openSaver(file).setup();
    const names = ["a", "b", "c", "d"];
    const checkpoints = 150;
    const results = await Promise.all(names.map((name) => runChild(WRITER, { file, thread: name, checkpoints })));
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: "" })));
    const saver = openSaver(file);
    for (const name of names) {
      const steps: unknown[] = [];
      for await (const { checkpoint } of saver.list(thread(name))) steps.push(checkpoint.channel_values.step);
      expect(steps).toEqual(Array.from({ length: checkpoints }, (_, index) => checkpoints - 1 - index));
    }
  });
});

describe("a reader", () => {
  it("that looks at an old checkpoint changes nothing for the writer", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const [writer, reader] = [openSaver(file), openSaver(file)];
    const first = checkpointOf({ a: 1 });
    await writer.put(thread("t"), first, LOOP, first.channel_versions);
    const second = checkpointOf({ a: 2 });
    await writer.put(thread("t", first.id), second, LOOP, second.channel_versions);
    expect((await reader.getTuple(thread("t", first.id)))?.checkpoint.channel_values).toEqual({ a: 1 });
    const third = checkpointOf({ a: 3 });
    await writer.put(thread("t", second.id), third, LOOP, third.channel_versions);
    expect((await reader.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: 3 });
  });
});
