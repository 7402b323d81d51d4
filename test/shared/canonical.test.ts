import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize, hashOf, UncanonicalValueError } from "../../src/shared/canonical.js";

/** JSON data without what the guard refuses. */
const json = fc
  .jsonValue({ stringUnit: "grapheme" })
  .filter(
    (value) =>
      !JSON.stringify(value, (_, part: unknown) => (Object.is(part, -0) ? "minus zero" : part)).includes("minus zero"),
  );

/** The same data with the keys of every object in another order. */
function shuffled(value: unknown, reverse: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => shuffled(part, reverse));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, shuffled(part, reverse)] as const);
  return Object.fromEntries(reverse ? entries.reverse() : entries);
}

describe("canonical text", () => {
  it("is the same for the same data, whatever the order of keys, and reads back as that data", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value);
        expect(canonicalize(shuffled(value, true))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalize(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("differs for different data", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const same = canonicalize(one) === canonicalize(other);
        expect(hashOf(canonicalize(one)) === hashOf(canonicalize(other))).toBe(same);
        if (same) expect(JSON.parse(canonicalize(one))).toEqual(JSON.parse(canonicalize(other)));
      }),
    );
  });

  it("is RFC 8785's", () => {
    const sample = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27],
      string: '€$\u000F\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalize(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });
});

class Money {
  constructor(readonly amount: number) {}
}
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
let deep: unknown = 0;
for (let level = 0; level < 300; level += 1) deep = [deep];

describe("what has no canonical text is refused, with its path", () => {
  it.each<[string, unknown, string]>([
    ["undefined", { a: { b: undefined } }, "args.a.b"],
    ["undefined at the top", undefined, "args"],
    ["a hole", Object.assign([1], { length: 3 }), "args[1]"],
    ["NaN", { "odd key": [NaN] }, 'args["odd key"][0]'],
    ["Infinity", [Infinity], "args[0]"],
    ["−0", { amount: -0 }, "args.amount"],
    ["a BigInt", { amount: 1n }, "args.amount"],
    ["a function", { f: () => 1 }, "args.f"],
    ["toJSON", { toJSON: () => 1 }, "args.toJSON"],
    ["a symbol", { s: Symbol("x") }, "args.s"],
    ["a symbol key", { o: { [Symbol("x")]: 1 } }, "args.o"],
    ["a Date", { at: new Date(0) }, "args.at"],
    ["a Map", { m: new Map() }, "args.m"],
    ["a Set", { m: new Set() }, "args.m"],
    ["bytes", { m: new Uint8Array(1) }, "args.m"],
    ["an instance", { price: new Money(1) }, "args.price"],
    ["a cycle", cycle, "args.self"],
    ["a lone surrogate", { text: "a\ud800b" }, "args.text"],
    ["a key with a lone surrogate", { "\udc00": 1 }, 'args["\\udc00"]'],
    ["an array with a name", Object.assign([1], { total: 1 }), "args"],
  ])("%s", (_, value, path) => {
    const refused = () => canonicalize(value, "args");
    expect(refused).toThrow(UncanonicalValueError);
    expect(refused).toThrow(expect.objectContaining({ code: "INVALID_INPUT", details: { path } }) as Error);
  });

  it("what is nested too deep is refused, and does not overflow the stack", () => {
    expect(() => canonicalize(deep)).toThrow(/levels deep/);
  });

  it("one object in two places is no cycle; a null prototype is plain", () => {
    const part = Object.assign(Object.create(null) as object, { x: 1 });
    expect(canonicalize({ a: part, b: part })).toBe('{"a":{"x":1},"b":{"x":1}}');
  });
});
