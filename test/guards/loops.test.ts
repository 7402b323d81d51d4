import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createLoopDetector, detectLoops, fingerprint } from "../../src/guards/index.js";
import { levels, person, reminds, round, roundOf, rounds, summary, trips } from "./conversation.js";
import type { Step } from "./conversation.js";

const read: Step = { tool: "read", args: { path: "a.ts" }, answer: "const a = 1;" };
const failing: Step = { tool: "sql", args: { query: "select x" }, answer: "no such column: x", failed: true };

describe("loops that have to be found", () => {
  it("L1 the same read with the same result: reminded at the third, tripped at the fifth", () => {
    const messages = [person(), ...rounds(6, () => read)];
    expect(roundOf("remind", messages)).toBe(3);
    expect(roundOf("trip", messages)).toBe(5);
    expect(detectLoops(messages)[0]).toMatchObject({ detector: "repeat", tool: "read", count: 3, class: "no-change" });
  });

  it("L2 an empty result is an outcome", () => {
    expect(
      roundOf(
        "remind",
        rounds(3, () => ({ tool: "git_log", answer: "" })),
      ),
    ).toBe(3);
  });

  it("L3 failing and succeeding calls are counted alike", () => {
    for (const step of [failing, { tool: "exec", args: { cmd: "true" }, answer: "exit 0" }]) {
      expect(levels(rounds(5, () => step)).map((said) => said.split(" ")[0])).toEqual(["remind", "trip"]);
    }
  });

  it.each([
    ["line number", (n: number) => `bash: line ${62_215 + n}: javac: command not found`],
    ["time", (n: number) => `2026-12-01T04:0${n}:11.${n}Z cannot connect`],
    ["clock", (n: number) => `[10:1${n}:09] cannot build`],
    ["pid", (n: number) => `worker (pid ${4000 + n}) crashed`],
    ["process", (n: number) => `sshd[${4000 + n}]: refused to start`],
    ["uuid", (n: number) => `job 3f2b8c1e-0000-4000-8000-00000000000${n} crashed`],
    ["address", (n: number) => `segfault at 0x7fffab${n}0cd1`],
    ["duration", (n: number) => `gave up after ${n + 3}s`],
    ["fine duration", (n: number) => `1 failed in 0.${n}3s`],
    ["request id", (n: number) => `{"error":"quota","request_id":"a${n}b${n}c"}`],
    ["place in a file", (n: number) => `main.ts:${10 + n}:${n} unexpected token`],
  ])("L4 errors that differ in a %s only are one error", (_, answer) => {
    expect(
      roundOf(
        "remind",
        rounds(3, (n) => ({ ...failing, answer: answer(n) })),
      ),
    ).toBe(3);
  });

  it("L5 four arguments, one kind of error: one reminder, and never the fuse", () => {
    const messages = rounds(40, (n) => ({
      tool: "open",
      args: { path: `src/${n}/config.json` },
      answer: `FileNotFound: src/${n}/config.json`,
      failed: true,
    }));
    expect(levels(messages)).toEqual(["remind varying"]);
    expect(roundOf("remind", messages)).toBe(4);
  });

  it("L6 cycles of two, three and four are found within three laps, whatever stands next to what", () => {
    for (const period of [2, 3, 4]) {
      const messages = rounds(period * 5, (n) => ({ tool: `t${n % period}`, answer: "same" }));
      expect(roundOf("remind", messages)).toBeLessThanOrEqual(period * 3);
      expect(detectLoops(messages)[0]).toMatchObject({ detector: "cycle", count: 3, evidence: { period } });
      expect(roundOf("trip", messages)).toBeLessThanOrEqual(period * 5);
      expect(levels(messages)).toEqual(["remind cycle", "trip cycle"]);
    }
  });

  it("L6 a cycle is found by its laps where single repeats are let go", () => {
    const thresholds = { repeat: { remind: 9, trip: 12 } };
    const messages = rounds(12, (n) => ({ tool: `t${n % 2}`, answer: "same" }));
    expect(roundOf("remind", messages, { thresholds })).toBe(6);
    expect(roundOf("trip", messages, { thresholds })).toBe(10);
  });

  it("L7 text, reasoning or another call in between hides nothing", () => {
    const between = [
      [new AIMessage({ content: "Let me think." })],
      [new AIMessage({ content: [{ type: "reasoning", reasoning: "hm" }] })],
    ];
    for (const words of between) {
      const messages = [0, 1, 2, 3, 4].flatMap(() => [...round(read), ...words]);
      expect([reminds(messages), trips(messages)]).toEqual([1, 1]);
    }
    const others = rounds(6, (n) => (n % 2 === 0 ? read : { tool: "ls", args: { n }, answer: `${n}` }));
    expect(reminds(others)).toBe(1);
  });

  it("L8 key order, JSON in strings and spacing do not matter; the order of arrays does", () => {
    const one = { tool: "t", args: { a: { x: 1, y: [1, 2] }, b: "z" } };
    const same = [
      { b: "z", a: { y: [1, 2], x: 1 } },
      '{ "b": "z", "a": { "y": [1, 2],  "x": 1 } }',
      { b: "z", a: '{"y":[1,2],"x":1.0}' },
    ];
    for (const args of same) expect(key({ tool: "t", args })).toBe(key(one));
    expect(key({ tool: "t", args: { a: { x: 1, y: [2, 1] }, b: "z" } })).not.toBe(key(one));
    expect(key({ tool: "t", args: { a: { x: 1, y: [1, 2] }, b: " z" } })).not.toBe(key(one));
  });

  it("L9 undefined is absent, −0 is 0, and configured fields do not count", () => {
    expect(key({ tool: "t", args: { a: 0, b: undefined } })).toBe(key({ tool: "t", args: { a: -0 } }));
    const prose = rounds(3, (n) => ({ tool: "sh", args: { cmd: "ls", description: `try ${n}` }, answer: "a" }));
    expect(reminds(prose)).toBe(0);
    expect(reminds(prose, { ignoreArgs: ["description"] })).toBe(1);
    const stamped = rounds(3, (n) => ({ tool: "sh", args: { cmd: "ls", request_id: `r${n}` }, answer: "a" }));
    expect(reminds(stamped)).toBe(1);
  });

  it("L10 a key of the tool's own collapses ranges; by default ranges differ", () => {
    const creeping = rounds(5, (n) => ({ tool: "read", args: { path: "a", from: n * 10 }, answer: "same text" }));
    expect(reminds(creeping)).toBe(0);
    expect(reminds(creeping, { tools: { read: { key: ["path"] } } })).toBe(1);
    const byFunction = { key: (args: unknown) => (args as { path: string }).path };
    expect(reminds(creeping, { tools: { read: byFunction } })).toBe(1);
  });

  it("L11 tools that do not exist are one trouble, whatever they are called; it counts from two", () => {
    const names = ["wri", "ed", "ba", "re", "se"];
    const answers = [
      (tool: string) => `Error: ${tool} is not a valid tool, try one of [read, write].`,
      (tool: string) => `Error: Tool "${tool}" not found.\n Please fix your mistakes.`,
    ];
    for (const answer of answers) {
      const messages = rounds(5, (n) => ({ tool: names[n]!, args: { n }, answer: answer(names[n]!), failed: true }));
      expect(levels(messages)).toEqual(["remind unknownTool", "trip unknownTool"]);
      expect([roundOf("remind", messages), roundOf("trip", messages)]).toEqual([2, 4]);
    }
  });

  it("L12 an edit that undoes an edit, and one whose target is gone, are found", () => {
    const undoing = rounds(6, (n) => ({
      tool: "edit",
      args: { from: `${n % 2}`, to: `${(n + 1) % 2}` },
      answer: "ok",
    }));
    expect(reminds(undoing)).toBe(1);
    const gone = rounds(3, () => ({ tool: "edit", args: { find: "x" }, answer: "text not found", failed: true }));
    expect(reminds(gone)).toBe(1);
  });

  it("L13 rejections by a person are a class of their own: reminded at the second, whatever the arguments", () => {
    const text = "User rejected the tool call for `pay` with id call-9";
    const messages = rounds(4, (n) => ({ tool: "pay", args: { n }, answer: text, failed: true }));
    expect(levels(messages)).toEqual(["remind rejection", "trip rejection"]);
    expect(roundOf("remind", messages)).toBe(2);
    expect(detectLoops(messages)[0]?.class).toBe("rejected");
  });

  it("L14 refused arguments and calls that are no JSON count", () => {
    const text = "Error: Received tool input did not match expected schema";
    expect(levels(rounds(4, (n) => ({ tool: "pay", args: { n }, answer: text, failed: true })))).toEqual([
      "remind schema",
      "trip schema",
    ]);
    const broken = Array.from(
      { length: 4 },
      (_, n) =>
        new AIMessage({
          content: "",
          id: `broken-${n}`,
          invalid_tool_calls: [
            { name: "pay", args: `{"n": ${n}`, id: `b${n}`, error: "no JSON", type: "invalid_tool_call" },
          ],
        }),
    );
    expect(levels(broken)).toEqual(["remind schema", "trip schema"]);
  });

  it("L15 what always changes in a result can be left out, by path or by function", () => {
    const answer = (n: number) => JSON.stringify({ out: "", execution_count: n, cells: [{ id: n }] });
    const messages = rounds(3, (n) => ({ tool: "run", args: { cell: 1 }, answer: answer(n) }));
    expect(reminds(messages)).toBe(0);
    expect(reminds(messages, { tools: { run: { outcome: { ignore: ["execution_count", "cells.*.id"] } } } })).toBe(1);
    const byFunction = { outcome: ({ text }: { text: string }) => (JSON.parse(text) as { out: string }).out };
    expect(reminds(messages, { tools: { run: byFunction } })).toBe(1);
  });

  it("L16 reminders, ours or a summary's, are no turn of a person", () => {
    const nudge = () => new HumanMessage({ content: "<system-reminder>…</system-reminder>", name: "loop_guard" });
    for (const message of [nudge, () => summary(), () => new SystemMessage("hm")]) {
      const messages = [0, 1, 2, 3, 4].flatMap(() => [...round(read), message()]);
      expect([reminds(messages), trips(messages)]).toEqual([1, 1]);
    }
  });

  it("L16 text of a tool that looks like a reminder is its outcome", () => {
    const answer = (n: number) => `<system-reminder>page ${n}</system-reminder>`;
    expect(levels(rounds(6, (n) => ({ tool: "next", answer: answer(n) })))).toEqual([]);
    expect(levels(rounds(3, () => ({ tool: "next", answer: answer(1) })))).toEqual(["remind repeat"]);
  });

  it("L17 a summary, and results that were cleared, lose no evidence", () => {
    const detector = createLoopDetector();
    const all = [person(), ...rounds(2, () => read)];
    expect(detector.observe(all)).toEqual([]);
    const cleared = all
      .slice(-2)
      .map((message) =>
        ToolMessage.isInstance(message)
          ? new ToolMessage({ content: "[cleared]", tool_call_id: message.tool_call_id, id: message.id! })
          : message,
      );
    const found = detector.observe([summary(), ...cleared, ...round(read)]);
    expect(found).toMatchObject([{ level: "remind", count: 3 }]);
  });

  it("L17 a stub in place of a result is evidence of nothing", () => {
    expect(levels(rounds(6, (n) => ({ tool: "search", args: {}, answer: n < 1 ? "x" : "[cleared]" })))).toEqual([]);
  });

  it("L18 a fan-out that is repeated is found, also one with many siblings", () => {
    for (const width of [2, 20, 40]) {
      const set = Array.from({ length: width }, (_, n): Step => ({ tool: "read", args: { n }, answer: `${n}` }));
      const messages = rounds(5, () => set);
      expect([roundOf("remind", messages), reminds(messages)]).toEqual([3, 1]);
      expect(trips(messages)).toBe(1);
    }
  });
});

function key(call: { tool: string; args: unknown }): string {
  return fingerprint(call, { text: "ok" }).key;
}
