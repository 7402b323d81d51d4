import type { Place, Sealing } from "../sealing.js";
import { openBytes } from "../sealing.js";
import { compactId } from "./compact-id.js";
import type { CompactId } from "./compact-id.js";

/** The rows of checkpoints and of writes: where each body is sealed to. */
export function placeOfCheckpoint(namespace: number, id: string): Place {
  return ["checkpoint", namespace, id];
}

export function placeOfWrites(namespace: number, checkpoint: string, task: string): Place {
  return ["writes", namespace, checkpoint, task];
}

/** A row with its body, which is opened when it is asked for: what was tampered with fails where it is read. */
export function withBody<T extends object>(
  sealing: Sealing,
  row: T,
  body: unknown,
  place: (row: T) => Place,
): T & { readonly body: unknown } {
  if (sealing.encryption === undefined) return { ...row, body };
  return {
    ...row,
    get body() {
      return openBytes(sealing, body, place(row));
    },
  };
}

/** The id of a run as its column keeps it; with encryption a keyed hash. */
export function runColumn({ tenant, encryption }: Sealing, run: string): CompactId {
  if (encryption === undefined) return compactId(run);
  return encryption.fingerprint(Buffer.from(JSON.stringify(["waypoint", "run", tenant, run])));
}
