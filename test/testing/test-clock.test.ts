import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import { resume, sleepUntil } from "../../src/nodes/index.js";
import { TestClock } from "../../src/testing/index.js";
import { chain, on } from "../nodes/effect/support.js";

describe("a test's clock", () => {
  it("stands still until it is advanced, and then wakes who is due", async () => {
    const clock = new TestClock({ start: "2030-05-01" });
    const woken: string[] = [];
    void clock.sleep(2000).then(() => woken.push("late"));
    void clock.sleep(1000).then(() => woken.push("early"));
    await clock.advance(999);
    expect([woken, clock.sleeping]).toEqual([[], 2]);
    await clock.advance("2s");
    expect([woken, clock.sleeping]).toEqual([["early", "late"], 0]);
    expect(new Date(clock.now()).toISOString()).toBe("2030-05-01T00:00:02.999Z");
  });

  it("wakes each at its own moment, also who lies down again on the way", async () => {
    const clock = new TestClock();
    const start = clock.now();
    const moments: number[] = [];
    void (async () => {
      for (let round = 0; round < 5; round += 1) {
        await clock.sleep(100);
        moments.push(clock.now() - start);
      }
    })();
    await clock.advance(450);
    expect(moments).toEqual([100, 200, 300, 400]);
    expect(clock.now() - start).toBe(450);
  });

  it("lets an aborted sleep go, with the signal's reason", async () => {
    const clock = new TestClock();
    const stop = new AbortController();
    const sleep = clock.sleep(1000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(sleep).rejects.toThrow("enough");
    expect(clock.sleeping).toBe(0);
    await expect(clock.sleep(1, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  it("moves by itself where sleeps are skipped", async () => {
    const clock = new TestClock({ skipSleeps: true });
    const start = clock.now();
    await clock.sleep(5000);
    expect(clock.now() - start).toBe(5000);
  });

  it("decides what is due in a graph", async () => {
    const clock = new TestClock();
    const app = chain(SlimSaver.fromConnString(":memory:", { clock }), {
      wait: async () => (await sleepUntil(new Date(clock.now() + 3_600_000)), { log: ["awake"] }),
    });
    await app.invoke({}, on("t"));
    await clock.advance("59m");
    expect((await resume(app as never, on("t"))).status).toBe("waiting");
    await clock.advance("1m");
    expect((await resume(app as never, on("t"))).status).toBe("finished");
  });

  it("refuses what is no date, and what is no length of time", async () => {
    const refused = expect.objectContaining({ code: "INVALID_INPUT" }) as Error;
    expect(() => new TestClock({ start: "yesterday-ish" })).toThrow(refused);
    await expect(new TestClock().advance("soon" as never)).rejects.toThrow(refused);
  });
});
