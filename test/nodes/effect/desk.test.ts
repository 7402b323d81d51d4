import { interrupt, isGraphInterrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import type { Question } from "../../../src/nodes/question.js";
import { deskOf } from "../../../src/nodes/slots.js";
import { runningTask, type RunningTask } from "../../../src/shared/langgraph.js";
import "../../../src/nodes/unknown-question.js";
import "../../../src/nodes/latch.js";
import { answer, asked, chain, on, saver } from "./support.js";

const question = (kind: "latch" | "unknown-effect", place: string): Question => ({
  kind,
  place,
  payload: kind === "latch" ? { matter: place } : { effect: { effectId: place }, version: 1 },
});

/** A node that asks at places through the desk, and an app to run it. */
function asking(node: (desk: ReturnType<typeof deskOf>) => Promise<unknown[]>) {
  const checkpointer = saver();
  const ledger = ledgerOf(checkpointer);
  return chain(checkpointer, { node: async () => ({ log: await node(deskOf(ledger, runningTask() as RunningTask)) }) });
}

describe("the desk", () => {
  it("hands out, in order, the answers that a place got, and nothing for one that was meant for something else", async () => {
    let passes = 0;
    const app = asking(async (desk) => {
      passes += 1;
      if (passes === 1) interrupt("something else?");
      return desk.track(async () => {
        const given = await desk.spend("p");
        if (given.length < 3) await desk.ask(question("latch", "p"));
        return given;
      });
    });
    await app.invoke({}, on("t"));
    await app.invoke(answer("for something else"), on("t"));
    expect(passes).toBe(2);
    const { log } = await app.invoke(answer("wrong"), on("t")).then(() => app.invoke(answer("also wrong"), on("t")));
    expect(log).toEqual([
      undefined,
      { matter: "p", reading: { problem: "The answer was not an object." } },
      { matter: "p", reading: { problem: "The answer was not an object." } },
    ]);
  });

  it("asks questions of one kind at a time; who was not asked is asked on the next pass", async () => {
    const operation = (desk: ReturnType<typeof deskOf>, kind: "latch" | "unknown-effect", place: string) =>
      desk.track(async () => {
        const given = await desk.spend(place);
        if (given.length === 0) await desk.ask(question(kind, place));
        return given.length;
      });
    const app = asking((desk) =>
      Promise.all([
        operation(desk, "latch", "l"),
        operation(desk, "unknown-effect", "u"),
        operation(desk, "latch", "m"),
      ]),
    );
    expect(asked(await app.invoke({}, on("t")))).toMatchObject({
      type: "waypoint.unknown_effect",
      effects: [{ effectId: "u" }],
    });
    expect(asked(await app.invoke(answer("x"), on("t")))).toMatchObject({
      type: "waypoint.latched",
      matters: [{ matter: "l" }, { matter: "m" }],
    });
    expect((await app.invoke(answer("y"), on("t"))).log).toEqual([1, 1, 1]);
  });

  it("everybody in a combined question gets the same interrupt, and so does whoever comes after it", async () => {
    const seen: unknown[] = [];
    const app = asking(async (desk) => {
      const ask = (place: string) =>
        desk.track(() => desk.ask(question("latch", place))).catch((error: unknown) => (seen.push(error), error));
      await Promise.all([ask("a"), ask("b")]);
      throw await ask("c");
    });
    expect(asked(await app.invoke({}, on("t")))?.matters).toHaveLength(2);
    expect(isGraphInterrupt(seen[0])).toBe(true);
    expect(new Set(seen).size).toBe(1);
    expect(seen).toHaveLength(3);
  });

  it("an operation that waits for another one does not hold up questions", async () => {
    const app = asking(async (desk) => {
      let release = (): void => undefined;
      const other = new Promise<void>((resolve) => (release = resolve));
      const waiting = desk.track(() => desk.idle(() => other));
      const asks = desk.track(() => desk.ask(question("latch", "a"))).finally(release);
      await Promise.all([waiting, asks]);
      return [];
    });
    expect(asked(await app.invoke({}, on("t")))?.matters).toHaveLength(1);
  });

  it("an operation inside another one may ask: the outer one is not waited for", async () => {
    const app = asking(
      (desk) => desk.track(() => desk.track(() => desk.ask(question("latch", "a")))) as Promise<never>,
    );
    expect(asked(await app.invoke({}, on("t")))?.matters).toHaveLength(1);
  });
});
