import fc from "fast-check";

const key = fc.oneof(fc.string(), fc.constantFrom("~", "~~", "~a", "__proto__", "lc", "lg_name", "toString"));

/** Every kind of value that a state may hold, nested. */
export const anyValue = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.bigInt(),
    fc.date({ noInvalidDate: true }),
    fc.constantFrom(null, undefined, -0, Number.NaN, Infinity, -Infinity),
    fc.uint8Array(),
    fc.float64Array(),
    fc.constantFrom(/a+b/gi, new ArrayBuffer(3), Buffer.from("bytes")),
  ),
  array: fc.array(tie("value"), { maxLength: 12 }),
  record: fc.dictionary(key, tie("value"), { maxKeys: 8, noNullPrototype: true }),
  map: fc.array(fc.tuple(tie("leaf"), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
  set: fc.array(tie("leaf"), { maxLength: 4 }).map((members) => new Set(members)),
  value: fc.oneof({ maxDepth: 5 }, tie("leaf"), tie("array"), tie("record"), tie("map"), tie("set")),
})).value;
