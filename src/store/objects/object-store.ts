import { InvalidInputError } from "../../shared/errors.js";

/**
 * A place for large contents outside the database: a folder, a bucket. Small, so that one is quickly written.
 *
 * Promises that an implementation must keep:
 * - When `put` resolves, the bytes are there whole and durably. When it rejects, or the process dies in it, something
 *   partial may lie under the key: nothing refers to it yet.
 * - Two that put the same bytes under one key at once both succeed.
 * - `get` returns what was put, in bytes that are the caller's own, or undefined; never what another key holds.
 * - To delete what is not there is no error.
 *
 * Keys are made here: 32 hexadecimal digits that stand for the database and the tenant, `/`, and 64 that no two contents
 * share. Nothing that a user or a model chose is part of a key.
 */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
  /** The keys that begin with `prefix`, which is what stands before the `/`; in any order. */
  list(prefix: string): AsyncIterable<string>;
}

const KEY = /^([0-9a-f]{32})\/([0-9a-f]{64})$/;
const PREFIX = /^[0-9a-f]{32}$/;

export interface KeyParts {
  readonly prefix: string;
  readonly hash: string;
}

/** @throws InvalidInputError for what is no key: a store is never led elsewhere by one. */
export function keyParts(key: string): KeyParts {
  const [, prefix, hash] = KEY.exec(key) ?? [];
  if (prefix !== undefined && hash !== undefined) return { prefix, hash };
  throw new InvalidInputError(
    `An object's key is 32 hexadecimal digits, "/", and 64 more; got ${JSON.stringify(key)}. Nothing was done.`,
  );
}

/** @throws InvalidInputError */
export function checkPrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new InvalidInputError(`An object's prefix is 32 hexadecimal digits; got ${JSON.stringify(prefix)}.`);
}

export function isKey(text: string): boolean {
  return KEY.test(text);
}
