import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/shared/errors.js";
import type { ObjectStore } from "../../../src/store/objects/object-store.js";

export interface ObjectStoreInitializer {
  readonly name: string;
  /** A store with nothing in it. */
  create(): ObjectStore | Promise<ObjectStore>;
}

export const PREFIX = "0123456789abcdef".repeat(2);

export function someKey(prefix = PREFIX): string {
  return `${prefix}/${randomBytes(32).toString("hex")}`;
}

export async function keysOf(store: ObjectStore, prefix = PREFIX): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys.sort();
}

const NO_KEYS = [
  "",
  "../../etc/passwd",
  `${PREFIX}/../../x`,
  `${PREFIX}/`,
  `${PREFIX}/${"A".repeat(64)}`,
  `${PREFIX}/${"a".repeat(63)}`,
  `${PREFIX}/${"a".repeat(64)}/x`,
  `${PREFIX}/${"a".repeat(64)}\n`,
  `${PREFIX}:${"a".repeat(64)}`,
  `order-7/${"a".repeat(64)}`,
  `/${PREFIX}/${"a".repeat(64)}`,
];

/** What every place for large contents keeps to. */
export function objectStoreContract({ name, create }: ObjectStoreInitializer): void {
  describe(`${name} keeps the contract of an object store`, () => {
    it("gives back what was put, byte for byte, under its key and no other", async () => {
      const store = await create();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
          const [key, other] = [someKey(), someKey()];
          await store.put(key, bytes);
          expect(Buffer.from((await store.get(key)) ?? []).equals(bytes)).toBe(true);
          expect(await store.get(other)).toBeUndefined();
        }),
        { numRuns: 40 },
      );
    });

    it("keeps nothing at all as something", async () => {
      const store = await create();
      const key = someKey();
      await store.put(key, new Uint8Array(0));
      expect(await store.get(key)).toEqual(new Uint8Array(0));
      expect(await keysOf(store)).toEqual([key]);
    });

    it("keeps 20 MB", async () => {
      const store = await create();
      const [key, bytes] = [someKey(), randomBytes(20_000_000)];
      await store.put(key, bytes);
      expect(bytes.equals((await store.get(key)) ?? new Uint8Array(0))).toBe(true);
    });

    it("knows nothing before something was put", async () => {
      const store = await create();
      expect(await store.get(someKey())).toBeUndefined();
      expect(await keysOf(store)).toEqual([]);
      await store.delete(someKey());
    });

    it("forgets what was deleted, and to delete it twice is no error", async () => {
      const store = await create();
      const [gone, stays] = [someKey(), someKey()];
      for (const key of [gone, stays]) await store.put(key, Buffer.from(key));
      await store.delete(gone);
      await store.delete(gone);
      expect(await store.get(gone)).toBeUndefined();
      expect(Buffer.from((await store.get(stays)) ?? []).toString()).toBe(stays);
      expect(await keysOf(store)).toEqual([stays]);
    });

    it("puts one key any number of times at once, and it is there whole", async () => {
      const store = await create();
      const [key, bytes] = [someKey(), randomBytes(200_000)];
      await Promise.all(Array.from({ length: 10 }, () => store.put(key, bytes)));
      expect(bytes.equals((await store.get(key)) ?? new Uint8Array(0))).toBe(true);
      expect(await keysOf(store)).toEqual([key]);
    });

    it("replaces what lies under a key, also with something shorter", async () => {
      const store = await create();
      const key = someKey();
      await store.put(key, randomBytes(5000));
      await store.put(key, Buffer.from("mended"));
      expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("mended");
    });

    it("shares no memory with those who put and get", async () => {
      const store = await create();
      const [key, bytes] = [someKey(), Buffer.from("as it was")];
      await store.put(key, bytes);
      bytes.fill(0);
      (await store.get(key))?.fill(0);
      expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("as it was");
    });

    it("takes a view of a larger buffer for what it shows", async () => {
      const store = await create();
      const [key, large] = [someKey(), Buffer.from("not this, but this, and not this")];
      await store.put(key, large.subarray(14, 18));
      expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("this");
    });

    it("lists the keys of a prefix, and none of another", async () => {
      const store = await create();
      const other = "f".repeat(32);
      const keys = Array.from({ length: 30 }, () => someKey()).sort();
      for (const key of [...keys, someKey(other)]) await store.put(key, Buffer.from("x"));
      expect(await keysOf(store)).toEqual(keys);
      expect(await keysOf(store, other)).toHaveLength(1);
      expect(await keysOf(store, "e".repeat(32))).toEqual([]);
    });

    it.each(NO_KEYS)("refuses %j for a key, and does nothing", async (key) => {
      const store = await create();
      await expect(store.put(key, Buffer.from("x"))).rejects.toThrow(InvalidInputError);
      await expect(store.get(key)).rejects.toThrow(InvalidInputError);
      await expect(store.delete(key)).rejects.toThrow(InvalidInputError);
    });

    it.each(["", "..", "*", PREFIX.slice(1), `${PREFIX}/`])("refuses %j for a prefix", async (prefix) => {
      const store = await create();
      await expect(keysOf(store, prefix)).rejects.toThrow(InvalidInputError);
    });
  });
}
