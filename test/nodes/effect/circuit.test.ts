import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { EffectDefinition } from "../../../src/nodes/definition.js";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger, type Ledger } from "../../../src/nodes/ledger.js";
import { resume } from "../../../src/nodes/resume.js";
import { runChild } from "../../child.js";
import { ScriptedModel } from "../../scripted-model.js";
import { fresh, on, Outside, refusedConnection, reset, saver, StillClock } from "./support.js";

afterEach(() => setLedger(undefined));

const HOUR = 3_600_000;
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code ?? (error as Error).message;

/** An effect with a circuit that opens after two failures; `next` says how calls end. */
function guarded(ledger: Ledger, more: Partial<EffectDefinition<{ id: string }, unknown>> = {}) {
  const outside = new Outside();
  const how: { next: () => Promise<unknown> } = { next: () => Promise.resolve("worked") };
  const call = effect<{ id: string }, unknown>({
    name: fresh("guarded"),
    key: ({ id }) => id,
    run: (args, context) => (outside.call(args, context), how.next()),
    circuit: { failures: 2, openFor: "1h" },
    ledger,
    ...more,
  });
  let ids = 0;
  const one = (): Promise<unknown> => call({ id: `call ${(ids += 1)}` }).catch(codeOf);
  return { call, one, outside, how };
}

const down = () => Promise.reject(refusedConnection());

describe("a circuit", () => {
  it("opens after so many failures in a row, says when to try again, lets one probe through, and closes when it works", async () => {
    const clock = new StillClock();
    const { call, one, outside, how } = guarded(memoryLedger({ clock }));
    how.next = down;
    expect([await one(), await one(), await one()]).toEqual(["ECONNREFUSED", "ECONNREFUSED", "CIRCUIT_OPEN"]);
    await expect(call({ id: "o" })).rejects.toMatchObject({
      code: "CIRCUIT_OPEN",
      details: { retryAt: new Date(clock.time + HOUR).toISOString(), failures: 2, key: "o" },
    });
    expect(outside.calls).toHaveLength(2);
    clock.time += HOUR;
    let finish = (_: unknown): void => undefined;
    how.next = () => new Promise((resolve) => (finish = resolve));
    const probe = one();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await one()).toBe("CIRCUIT_OPEN");
    expect(outside.calls).toHaveLength(3);
    finish("back");
    expect(await probe).toBe("back");
    how.next = () => Promise.resolve("worked");
    expect([await one(), await one()]).toEqual(["worked", "worked"]);
  });

  it("opens again when the probe fails, at once and for as long; a probe that died gives way to the next", async () => {
    const clock = new StillClock();
    const { one, how, outside } = guarded(memoryLedger({ clock }));
    how.next = down;
    await one();
    await one();
    clock.time += HOUR;
    expect(await one()).toBe("ECONNREFUSED");
    expect(await one()).toBe("CIRCUIT_OPEN");
    clock.time += HOUR;
    how.next = () => new Promise(() => undefined);
    void one();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await one()).toBe("CIRCUIT_OPEN");
    clock.time += HOUR;
    how.next = () => Promise.resolve("worked");
    expect(await one()).toBe("worked");
    expect(outside.calls).toHaveLength(5);
  });

  it.each([
    ["is refused with a reason", () => Promise.reject(Object.assign(new Error("declined"), { status: 402 }))],
    ["has invalid arguments", () => Promise.reject(Object.assign(new Error("bad"), { status: 422 }))],
    ["is not permitted", () => Promise.reject(Object.assign(new Error("no"), { status: 403 }))],
  ])("does not count a call that %s: the other side is there", async (_, next) => {
    const { one, how, outside } = guarded(memoryLedger());
    for (const step of [down, next, down, next, down]) {
      how.next = step;
      await one();
    }
    expect(outside.calls).toHaveLength(5);
  });

  it.each([
    ["broken connections", () => Promise.reject(reset())],
    ["failures that nobody can class", () => Promise.reject(new Error("boom"))],
    ["an overloaded server", () => Promise.reject(Object.assign(new Error("busy"), { status: 503 }))],
  ])("counts %s", async (_, next) => {
    const { one, how } = guarded(memoryLedger());
    how.next = next;
    await one();
    await one();
    expect(await one()).toBe("CIRCUIT_OPEN");
  });

  it("stays open for as long as Retry-After says", async () => {
    const clock = new StillClock();
    const { call, one, how } = guarded(memoryLedger({ clock }));
    how.next = () =>
      Promise.reject(Object.assign(new Error("slow"), { status: 429, headers: { "retry-after": "7200" } }));
    await one();
    await one();
    await expect(call({ id: "o" })).rejects.toMatchObject({
      details: { retryAt: new Date(clock.time + 2 * HOUR).toISOString() },
    });
  });

  it("hands out recorded results while it is open, and is one for each name", async () => {
    const ledger = memoryLedger();
    const { call, one, how } = guarded(ledger);
    expect(await call({ id: "first" })).toBe("worked");
    how.next = down;
    await one();
    await one();
    expect(await call({ id: "first" })).toBe("worked");
    expect(await guarded(ledger).one()).toBe("worked");
  });

  it.each([0, 1.5])("of %s failures is refused", (failures) => {
    expect(() => guarded(memoryLedger(), { circuit: { failures } })).toThrow(
      expect.objectContaining({ code: "EFFECT_DEFINITION" }),
    );
  });

  it("whatever happens: open means `failures` in a row without an answer, and nothing is sent while it is open", async () => {
    const step = fc.oneof(fc.constantFrom("works", "fails", "refuses"), fc.nat(2 * HOUR));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const clock = new StillClock();
        const { one, how, outside } = guarded(memoryLedger({ clock }));
        let failures = 0;
        let openUntil = 0;
        let sent = 0;
        for (const now of steps) {
          if (typeof now === "number") {
            clock.time += now;
            continue;
          }
          how.next = {
            works: () => Promise.resolve("worked"),
            fails: down,
            refuses: () => Promise.reject(Object.assign(new Error("no"), { status: 422 })),
          }[now];
          const result = await one();
          const open = failures >= 2 && clock.time < openUntil;
          expect(result === "CIRCUIT_OPEN").toBe(open);
          if (open) continue;
          sent += 1;
          failures = now === "fails" ? failures + 1 : 0;
          openUntil = clock.time + HOUR;
        }
        expect(outside.calls).toHaveLength(sent);
      }),
      { numRuns: 100 },
    );
  });
});

it("processes share it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "waypoint-circuit-"));
  const file = new URL("fixtures/caller.ts", import.meta.url);
  const calls = join(dir, "calls");
  const said: unknown[] = [];
  for (const [key, works] of [
    ["a", false],
    ["b", false],
    ["c", true],
  ] as const) {
    said.push(...(await runChild(file, { database: join(dir, "agent.db"), calls, key, works })).messages);
  }
  expect(said).toEqual(["ECONNREFUSED", "ECONNREFUSED", "CIRCUIT_OPEN"]);
  expect(readFileSync(calls, "utf8")).toBe("a\nb\n");
  rmSync(dir, { recursive: true });
});

it("in a tool it stops the run instead of advising the model, and the run goes on without an answer when it is due", async () => {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  const { call, one, how, outside } = guarded(ledgerOf(checkpointer));
  how.next = down;
  await one();
  await one();
  const message = new AIMessage({
    content: "",
    tool_calls: [{ name: "send", args: { id: "o" }, id: "c1", type: "tool_call" }],
  });
  const send = tool(async (args: { id: string }, config) => String(await call(args, config)), {
    name: "send",
    description: ".",
    schema: z.object({ id: z.string() }),
  });
  const app = createAgent({ model: new ScriptedModel([message, new AIMessage("done")]), tools: [send], checkpointer });
  const first = (await app.invoke({ messages: [{ role: "user", content: "go" }] }, on("t"))) as unknown as {
    __interrupt__: { value: unknown }[];
  };
  expect(first.__interrupt__[0]?.value).toMatchObject({
    type: "waypoint.latched",
    matters: [{ code: "CIRCUIT_OPEN" }],
  });
  expect(await resume(app as never, on("t"))).toMatchObject({ status: "waiting" });
  clock.time += HOUR;
  how.next = () => Promise.resolve("worked");
  const { values } = await resume(app as never, on("t"));
  expect((values as { messages: { text: string }[] }).messages.slice(-2).map(({ text }) => text)).toEqual([
    "worked",
    "done",
  ]);
  expect(outside.calls).toHaveLength(3);
});
