import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLoopDetector, detectLoops, LoopOptionsError } from "../../src/guards/index.js";
import type { LoopOptions } from "../../src/guards/index.js";
import { conversation } from "./any-conversation.js";
import { round } from "./conversation.js";

/** Anything at all, in the place of a message. */
const nonsense = fc.oneof(
  fc.anything(),
  fc.record(
    {
      type: fc.constantFrom("ai", "tool", "human", 7),
      id: fc.anything(),
      content: fc.anything(),
      tool_calls: fc.anything(),
      invalid_tool_calls: fc.array(fc.anything()),
      tool_call_id: fc.anything(),
      status: fc.anything(),
      additional_kwargs: fc.anything(),
    },
    { requiredKeys: [] },
  ),
);

describe("the detector is a function of the messages", () => {
  it("reading them bit by bit, whole or only what is new, and across restarts, finds what reading them at once does", () => {
    fc.assert(
      fc.property(conversation, fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (messages, sizes) => {
        const atOnce = detectLoops(messages);
        let growing = createLoopDetector();
        const found = [];
        let end = 0;
        for (let turn = 0; end < messages.length; turn += 1) {
          end += 1 + (sizes[turn % sizes.length] ?? 0);
          found.push(...growing.observe(messages.slice(0, end)));
          growing = createLoopDetector().fromJSON(JSON.parse(JSON.stringify(growing.toJSON())));
        }
        expect(found).toEqual(atOnce);
        const withoutIndex = ({ index: _index, ...rest }: (typeof atOnce)[number]) => rest;
        const deltas = createLoopDetector();
        const inBits = messages.flatMap((message) => deltas.observe([message]));
        expect(inBits.map(withoutIndex)).toEqual(atOnce.map(withoutIndex));
      }),
    );
  });

  it("it throws for no message, and stays plain JSON under 16 KB", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nonsense, conversation), { maxLength: 30 }), (parts) => {
        const detector = createLoopDetector();
        detector.observe(parts.flat());
        const state = detector.toJSON();
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(16_384);
      }),
      { numRuns: 200 },
    );
  });

  it("names, ids and errors of any length, in any script, do not make the state large or show what was sent", () => {
    const detector = createLoopDetector();
    const nasty = ["\u0000\u001b[31m", "𝕏", "\\\"'", "数据"];
    for (let at = 0; at < 120; at += 1) {
      const steps = Array.from({ length: 60 }, (_, n) => ({
        tool: `${nasty[n % 4]!.repeat(400)}${at % 7}-${n}`,
        args: { secret: `hunter${at}` },
        answer: `${nasty[at % 4]!.repeat(3000)} ${at % 3}`,
        failed: n % 2 === 0,
      }));
      detector.observe(round(...steps));
      detector.observe(round(steps[0]!));
      const text = JSON.stringify(detector.toJSON());
      expect(Buffer.byteLength(text)).toBeLessThan(16_384);
      expect(text).not.toContain("hunter");
    }
  });

  it("a getter that throws, a cycle and functions that throw count for nothing", () => {
    const bad = {
      get type(): string {
        throw new Error("no");
      },
    };
    const loop: Record<string, unknown> = { tool: "x" };
    loop.self = loop;
    const options: LoopOptions = {
      tools: { read: { key: thrower, outcome: thrower } },
      isError: thrower,
    };
    const messages = [bad, null, undefined, 7, ...[0, 1, 2].flatMap(() => round({ tool: "read", args: loop }))];
    expect(detectLoops(messages, options)).toHaveLength(1);
  });

  it("a state that is none begins anew", () => {
    for (const state of [null, 7, "x", [], {}, { v: 1 }, { v: 2 }]) {
      const detector = createLoopDetector().fromJSON(state);
      const messages = [0, 1, 2].flatMap(() => round({ tool: "read" }));
      expect(detector.observe(messages)).toHaveLength(1);
    }
  });
});

describe("options that cannot be meant are refused at construction, with the way out", () => {
  it.each<[string, unknown, RegExp]>([
    ["a trip too close to the reminder", { thresholds: { repeat: { remind: 4, trip: 5 } } }, /trip to 6 or more/],
    ["a trip below the reminder", { thresholds: { schema: { trip: 1 } } }, /thresholds\.schema\.trip is 1/],
    ["a fuse for varying arguments", { thresholds: { varying: { trip: 9 } } }, /only remind/],
    ["a reminder outside of the window", { window: 2 }, /never fits into the window of 2/],
    ["retries that end before the reminder", { retryLimit: 3 }, /retryLimit to 4 or more/],
    ["the same for one tool", { tools: { a: { thresholds: { repeat: { remind: 9 } } } } }, /tools\.a\.thresholds/],
    ["an unknown field", { treshold: {} }, /treshold/],
    ["an unknown detector", { thresholds: { repeats: {} } }, /repeats/],
    ["a wrong type", { window: "20" }, /window: /],
    ["a wrong action", { onTrip: "explode" }, /onTrip: /],
  ])("%s", (_, options, message) => {
    const make = () => createLoopDetector(options as LoopOptions);
    expect(make).toThrow(LoopOptionsError);
    expect(make).toThrow(message);
  });

  it("thresholds may be switched off one by one", () => {
    const messages = Array.from({ length: 8 }, () => round({ tool: "read" })).flat();
    const level = (thresholds: LoopOptions["thresholds"]) =>
      detectLoops(messages, thresholds && { thresholds }).map((verdict) => verdict.level);
    expect(level({ repeat: { remind: false } })).toEqual(["trip"]);
    expect(level({ repeat: { trip: false } })).toEqual(["remind"]);
    expect(level({ repeat: { remind: false, trip: false } })).toEqual([]);
  });
});

function thrower(): never {
  throw new Error("no");
}
