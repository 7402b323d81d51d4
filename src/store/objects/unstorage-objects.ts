import { types } from "node:util";
import { InvalidInputError, WaypointError } from "../../shared/errors.js";
import { ObjectsUnavailableError } from "../errors.js";
import { checkPrefix, isKey, keyParts } from "./object-store.js";
import type { ObjectStore } from "./object-store.js";

/** The part of an unstorage `Storage` that is used. */
export interface RawStorage {
  getItemRaw(key: string): Promise<unknown>;
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  hasItem(key: string): Promise<boolean>;
  removeItem(key: string): Promise<void>;
  getKeys(base: string): Promise<string[]>;
}

const METHODS = ["getItemRaw", "setItemRaw", "hasItem", "removeItem", "getKeys"] as const;

/**
 * Large contents wherever unstorage has a driver for: a bucket, a key-value service, a folder.
 *
 * - What was put is read back before `put` resolves, and what was deleted is looked for: some drivers do nothing when they
 *   are read-only, and some return an error in place of the bytes.
 * - How durable it is, and how long a file may be, is the driver's matter. For a folder, `fileObjects` promises more.
 *
 * @param storage what `createStorage({ driver })` of the package `unstorage` returns, with a driver that lists its keys
 * @throws InvalidInputError for anything else; what the driver throws later is an ObjectsUnavailableError
 * @example
 * const storage = createStorage({ driver: s3Driver({ bucket: "agent", endpoint, region, accessKeyId, secretAccessKey }) });
 * SlimSaver.fromConnString("agent.db", { objects: unstorageObjects(storage) });
 */
export function unstorageObjects(storage: RawStorage): ObjectStore {
  const candidate = storage as Partial<RawStorage> | null | undefined;
  if (METHODS.every((method) => typeof candidate?.[method] === "function")) return new UnstorageObjects(storage);
  throw new InvalidInputError(
    `unstorageObjects needs what createStorage() of the package "unstorage" returns: an object with ${METHODS.join(", ")}.`,
  );
}

class UnstorageObjects implements ObjectStore {
  constructor(private readonly storage: RawStorage) {}

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const item = itemOf(key);
    // A driver may keep what it is given, and the caller may go on to change it.
    await using("write", () => this.storage.setItemRaw(item, Buffer.from(bytes)));
    const kept = await this.read(item);
    if (kept !== undefined && Buffer.from(bytes).equals(kept)) return;
    throw new ObjectsUnavailableError(
      `The storage took ${bytes.length} bytes and does not give them back. Its driver may be read-only, or unable to keep ` +
        `bytes. Nothing refers to what it may have kept. Give unstorageObjects another driver.`,
      { details: { key } },
    );
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.read(itemOf(key));
  }

  async delete(key: string): Promise<void> {
    const item = itemOf(key);
    await using("write", () => this.storage.removeItem(item));
    if (!(await using("read", () => this.storage.hasItem(item)))) return;
    throw new ObjectsUnavailableError(
      `The storage was told to remove an object and still has it. Its driver may be read-only. Try again, or remove it there.`,
      { details: { key } },
    );
  }

  async *list(prefix: string): AsyncGenerator<string> {
    checkPrefix(prefix);
    for (const item of await using("list", () => this.storage.getKeys(prefix))) {
      const key = item.replace(":", "/");
      if (key.startsWith(`${prefix}/`) && isKey(key)) yield key;
    }
  }

  /** A copy: the driver may go on to use what it returned. */
  private async read(item: string): Promise<Uint8Array | undefined> {
    const kept = await using("read", () => this.storage.getItemRaw(item));
    if (kept === null || kept === undefined) return undefined;
    if (types.isUint8Array(kept)) return new Uint8Array(kept);
    if (types.isAnyArrayBuffer(kept)) return new Uint8Array(kept.slice(0));
    throw unavailable("read", kept);
  }
}

/** unstorage parts keys with colons. */
function itemOf(key: string): string {
  const { prefix, hash } = keyParts(key);
  return `${prefix}:${hash}`;
}

async function using<T>(what: "read" | "write" | "list", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (WaypointError.is(error)) throw error;
    throw unavailable(what, error);
  }
}

function unavailable(what: "read" | "write" | "list", cause: unknown): ObjectsUnavailableError {
  const why = cause instanceof Error ? cause.message : `it returned a ${typeof cause}`;
  return new ObjectsUnavailableError(
    `The storage for large contents cannot ${what}: ${why}. Nothing was half-stored. Check the driver's options and rights.`,
    { cause },
  );
}
