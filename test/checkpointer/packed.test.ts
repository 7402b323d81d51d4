import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkpointBytes, readCheckpoint } from "../../src/checkpointer/checkpoint-row.js";
import { joinMetadata, splitMetadata } from "../../src/checkpointer/metadata-row.js";
import { PackedReader, PackedWriter } from "../../src/checkpointer/packed.js";
import { KIND, tagged } from "../../src/checkpointer/tree.js";
import type { Tree } from "../../src/checkpointer/tree.js";

const ids = fc.array(fc.nat({ max: 2 ** 40 }), { maxLength: 5 });
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Tree[]>(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.maxSafeInteger(),
    fc.string({ unit: "binary" }),
    fc.nat().map((id): Tree => ({ "~": id })),
    fc.tuple(fc.nat(), fc.nat()).map(([object, ordinal]) => tagged(KIND.identified, object, ordinal)),
    fc
      .tuple(fc.nat(), fc.array(ids, { maxLength: 3 }), fc.array(tie("tree"), { maxLength: 3 }))
      .map(([count, levels, rest]) => tagged(KIND.list, count, levels, rest)),
    fc.array(tie("tree"), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie("tree"), { maxKeys: 4, noNullPrototype: true }).filter((record) => !("~" in record)),
  ),
})).tree;

const id = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }));

describe("what stands in rows", () => {
  it("is the same tree after packing", () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (trees) => {
        const writer = new PackedWriter();
        for (const one of trees) writer.tree(one);
        const reader = new PackedReader(writer.finish());
        expect(trees.map(() => reader.tree())).toStrictEqual(trees);
        expect(reader.isAtEnd).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("is the same checkpoint, whatever its ids, versions and times are", () => {
    const version = fc.oneof(fc.nat(), fc.string(), fc.constant(Number.NaN), fc.constant(-1));
    const parts = fc.record(
      {
        parent: fc.option(id, { nil: undefined }),
        shape: fc.nat(),
        metadata: tree,
        numbers: fc.array(fc.maxSafeInteger(), { maxLength: 3 }),
        body: fc.record(
          {
            v: fc.nat(9),
            ts: fc.oneof(
              fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
              fc.string(),
            ),
            versions: fc.array(version, { maxLength: 5 }),
            seen: fc.array(fc.nat(), { maxLength: 5 }),
            roots: fc.array(tree, { maxLength: 4 }),
          },
          { noNullPrototype: true },
        ),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(id, parts, (own, given) => {
        expect(readCheckpoint(own, checkpointBytes(own, given))).toStrictEqual(given);
      }),
      { numRuns: 1000 },
    );
  });

  it("that was cut short anywhere is an error, never another checkpoint", () => {
    const body = { v: 4, ts: "2026-01-01T00:00:00.000Z", versions: [3, 900], seen: [1], roots: ["root", { "~": 700 }] };
    const own = "1f1ed24d-b8c3-6300-8001-b5c0245324e1";
    const bytes = checkpointBytes(own, { parent: "p", shape: 300, metadata: { "~": 5 }, numbers: [7], body });
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => readCheckpoint(own, bytes.subarray(0, length))).toThrow();
    }
  });

  it("holds metadata as a template and its numbers", () => {
    const record = fc.dictionary(fc.string(), tree, { noNullPrototype: true }).filter((one) => !("~" in one));
    fc.assert(
      fc.property(fc.oneof(record, tree), (given) => {
        expect(joinMetadata(splitMetadata(given))).toStrictEqual(given);
      }),
    );
  });
});
