import { types } from "node:util";
import { WaypointError } from "../../shared/errors.js";
import { ObjectsUnavailableError } from "../errors.js";
import { isKey } from "./object-store.js";
import type { ObjectStore } from "./object-store.js";

/** An object store of anybody's making, whose every failure is an error of the package. */
export function guarded(objects: ObjectStore): ObjectStore {
  return {
    put: (key, bytes) => using("write", () => objects.put(key, bytes)),
    delete: (key) => using("write", () => objects.delete(key)),
    get: async (key) => {
      const bytes: unknown = await using("read", () => objects.get(key));
      if (bytes === undefined || types.isUint8Array(bytes)) return bytes;
      throw unavailable("read", new TypeError(`get returned ${bytes === null ? "null" : `a ${typeof bytes}`}`));
    },
    async *list(prefix) {
      const keys = await using("list", async () => objects.list(prefix)[Symbol.asyncIterator]());
      for (;;) {
        const next = await using("list", () => keys.next());
        if (next.done === true) return;
        if (isKey(next.value) && next.value.startsWith(`${prefix}/`)) yield next.value;
      }
    },
  };
}

async function using<T>(what: "read" | "write" | "list", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw WaypointError.is(error) ? error : unavailable(what, error);
  }
}

function unavailable(what: "read" | "write" | "list", cause: unknown): ObjectsUnavailableError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ObjectsUnavailableError(`The place for large contents cannot ${what}: ${why}. Nothing was half-stored.`, {
    cause,
  });
}
