import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createLoopDetector, detectLoops } from "../../src/guards/index.js";
import { levels, person, reminds, round, roundOf, rounds, trips } from "./conversation.js";
import type { Step } from "./conversation.js";

const testFails: Step = { tool: "run_tests", args: {}, answer: "1 test failed: login", failed: true };
const read: Step = { tool: "read", args: { path: "a.ts" }, answer: "const a = 1;" };

describe("what is no loop", () => {
  it("N1 a poll whose answer changes is never told; unchanged, by the thresholds for polls", () => {
    const moving = rounds(40, (n) => ({ tool: "job_status", args: { id: 7 }, answer: `{"progress": ${n}}` }));
    expect(levels(moving)).toEqual([]);
    expect(
      levels(
        moving.map((message) => message),
        { poll: ["job_*"] },
      ),
    ).toEqual([]);
    const still = rounds(30, () => ({ tool: "job_status", args: { id: 7 }, answer: "running" }));
    expect([roundOf("remind", still), roundOf("trip", still)]).toEqual([10, 30]);
    const listed = rounds(9, () => ({ tool: "job", args: { id: 7 }, answer: "running" }));
    expect(levels(listed, { poll: ["job"] })).toEqual([]);
    expect(levels(listed, { tools: { job: { poll: true } } })).toEqual([]);
  });

  it("N1 polling two jobs in turns is no cycle", () => {
    expect(levels(rounds(18, (n) => ({ tool: "job_status", args: { id: n % 2 }, answer: "running" })))).toEqual([]);
  });

  it("N2 exempt tools are never counted, by name or by pattern", () => {
    const messages = rounds(40, () => ({ tool: "get_clock", answer: "same" }));
    expect(levels(messages, { exempt: ["get_*"] })).toEqual([]);
    expect(levels(messages, { tools: { get_clock: { exempt: true } } })).toEqual([]);
    expect(levels(messages, { exempt: ["set_*"] })).not.toEqual([]);
  });

  it("N3 the same call with a new page of output is progress", () => {
    expect(levels(rounds(40, (n) => ({ tool: "scroll_down", answer: `${n * 100}: text of page ${n}` })))).toEqual([]);
  });

  it("N4 offsets and cursors are other keys; the same cursor with the same page is a loop", () => {
    expect(levels(rounds(30, (n) => ({ tool: "list", args: { offset: n * 10 }, answer: "[]" })))).toEqual([]);
    expect(reminds(rounds(3, () => ({ tool: "list", args: { cursor: "abc" }, answer: "page one" })))).toBe(1);
  });

  it("N5 edit, test, same failure: no fuse while the edits differ; without an edit it fires", () => {
    const editing = rounds(24, (n) =>
      n % 2 === 0 ? { tool: "edit", args: { file: "a", text: `try ${n}` }, answer: `applied ${n}` } : testFails,
    );
    expect(trips(editing)).toBe(0);
    expect(reminds(editing)).toBeLessThanOrEqual(1);
    expect(trips(rounds(6, () => testFails))).toBe(1);
  });

  it("N6 ten calls of one tool with ten arguments never fire", () => {
    for (const answer of ["ok", ""]) {
      expect(levels(rounds(30, (n) => ({ tool: "convert", args: { file: `${n}.csv` }, answer })))).toEqual([]);
    }
  });

  it("N7 ten configurations that fail alike: one reminder at most, no fuse; a success clears it", () => {
    const attempt = (n: number): Step => ({ tool: "train", args: { lr: n }, answer: "out of memory", failed: true });
    const ten = rounds(10, attempt);
    expect(levels(ten)).toEqual(["remind varying"]);
    const good = round({ tool: "train", args: { lr: 99 }, answer: "accuracy 0.9" });
    expect(levels([...ten, ...good, ...rounds(3, (n) => attempt(n + 100))])).toEqual(["remind varying"]);
    expect(levels([...ten, ...good, ...rounds(4, (n) => attempt(n + 100))])).toHaveLength(2);
  });

  it("N8 many parallel calls that all fail alike are one observation", () => {
    const many = (tag: number) =>
      Array.from({ length: 8 }, (_, n): Step => ({
        tool: "get",
        args: { n, tag },
        answer: "no such host",
        failed: true,
      }));
    expect(levels(round(...many(0)))).toEqual([]);
    expect(levels([0, 1, 2].flatMap((tag) => round(...many(tag))))).toEqual([]);
    expect(levels(round(read, read, read, read, read))).toEqual([]);
  });

  it("N9 what is read twice counts once: the same list again, a replay in it, a retried answer", () => {
    const two = [person(), ...rounds(2, () => read)];
    const detector = createLoopDetector();
    for (let again = 0; again < 5; again += 1) expect(detector.observe(two)).toEqual([]);
    expect(levels([...two, ...two.slice(1), ...two.slice(1)])).toEqual([]);
    const withoutIds = two.slice(1).map(withoutId);
    expect(levels([...withoutIds, ...withoutIds, ...withoutIds])).toEqual([]);
    // Time travel: an earlier point, and on from there by another way.
    expect(detector.observe(two.slice(0, 3))).toEqual([]);
    expect(detector.observe([...two.slice(0, 3), ...round({ ...read, answer: "other" })])).toEqual([]);
  });

  it("N9 a model that uses its call ids again is looked at all the same", () => {
    const call = (args: object) => [
      new AIMessage({ content: "", tool_calls: [{ name: "read", args: { ...args }, id: "call_0" }] }),
      new ToolMessage({ content: "x", tool_call_id: "call_0" }),
    ];
    const messages = [call({ n: 1 }), call({ n: 2 }), call({ n: 2 }), call({ n: 2 }), call({ n: 2 })].flat();
    expect(reminds(messages)).toBe(1);
  });

  it("N10 the same question in three turns does not accumulate", () => {
    const messages = [0, 1, 2, 3].flatMap(() => [person("what is a?"), ...rounds(2, () => read)]);
    expect(levels(messages)).toEqual([]);
  });

  it("N11 rate limits, busy servers and lost connections have thresholds of their own", () => {
    for (const answer of ["429 Too Many Requests", "503 Service Unavailable", "connect ECONNREFUSED 10.0.0.1:80"]) {
      const messages = rounds(10, () => ({ tool: "api", args: { q: 1 }, answer, failed: true }));
      expect([roundOf("remind", messages), roundOf("trip", messages)]).toEqual([5, 10]);
      expect(detectLoops(messages)[0]).toMatchObject({ class: "transient", detector: "transient" });
    }
    const throttled = rounds(6, (n) =>
      n % 2 === 0 ? read : { ...read, answer: "429 Too Many Requests", failed: true },
    );
    expect(roundOf("remind", throttled)).toBe(5);
  });

  it("N12 a trip needs fresh repeats after the reminder, and a call that complies is not warned again", () => {
    const three = rounds(3, () => read);
    expect(levels([...three, ...rounds(1, () => read)])).toEqual(["remind repeat"]);
    expect(levels([...three, ...rounds(2, () => read)])).toEqual(["remind repeat", "trip repeat"]);
    const complying = rounds(10, (n) => ({ tool: "write", args: { n }, answer: `done ${n}` }));
    expect(levels([...three, ...complying])).toEqual(["remind repeat"]);
  });

  it("N12 also where the reminder came late: two more rounds of the same, then the trip", () => {
    const other = (n: number): Step => ({ tool: `x${n}`, answer: `${n}`, failed: true });
    const late = [read, other(1), other(2), read, other(3), other(4), read, read, read].flatMap((step) => round(step));
    const level = (more: number) => levels([...late, ...rounds(more, () => read)], { window: 3 });
    expect(level(0)).toEqual(["remind repeat"]);
    expect(level(1)).toEqual(["remind repeat"]);
    expect(level(2)).toEqual(["remind repeat", "trip repeat"]);
  });

  it("N13 after a trip the detector starts anew", () => {
    expect(levels(rounds(7, () => read))).toEqual(["remind repeat", "trip repeat"]);
    expect(levels([...rounds(5, () => read), person(), ...rounds(2, () => read)])).toHaveLength(2);
  });

  it("N14 the first error of the streak is quoted, and the class is named", () => {
    const messages = rounds(4, (n) => ({
      tool: "open",
      args: { n },
      answer: n === 0 ? "permission denied: '/etc/a'" : `permission denied: '/etc/${n}'`,
      failed: true,
    }));
    const [verdict] = detectLoops(messages);
    expect(verdict).toMatchObject({ class: "permission", evidence: { variants: 4 } });
    expect(verdict?.evidence.firstError).toContain("/etc/a");
    expect(verdict?.evidence.lastError).toContain("/etc/3");
  });

  it("N15 asking for a verdict changes nothing", () => {
    const detector = createLoopDetector();
    detector.observe(rounds(2, () => read));
    const before = JSON.stringify(detector.toJSON());
    const next = round(read);
    for (let again = 0; again < 3; again += 1) expect(detector.assess(next)).toHaveLength(1);
    expect(JSON.stringify(detector.toJSON())).toBe(before);
    expect(detector.observe(next)).toHaveLength(1);
  });
});

describe("what forgives", () => {
  it("three rounds of something new forget a call; fewer do not", () => {
    const novel = (from: number, count: number) =>
      rounds(count, (n) => ({ tool: "ls", args: { dir: from + n }, answer: `${from + n}` }));
    const twice = rounds(2, () => read);
    expect(levels([...twice, ...novel(0, 2), ...round(read)])).toEqual(["remind repeat"]);
    expect(levels([...twice, ...novel(0, 3), ...round(read)])).toEqual([]);
  });

  it("a changed outcome forgets the call; one that was there before does not", () => {
    const other = { ...read, answer: "const a = 2;" };
    expect(levels([...rounds(2, () => read), ...round(other), ...rounds(2, () => read)])).toEqual([]);
    expect(reminds([read, other, other, read, read, read].flatMap((step) => round(step)))).toBe(1);
  });
});

function withoutId(message: BaseMessage): BaseMessage {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as BaseMessage;
  return Object.assign(copy, message, { id: undefined });
}
