import type { Store } from "../home.js";
import { unmarked, withoutKey } from "../encryption.js";
import { contextOf } from "../sealing.js";
import type { SqliteDatabase } from "./database.js";

const KEPT = ["threads", "effects", "approvals", "questions", "latches", "artifacts", "memos", "waits"] as const;
const PROOF = Buffer.from("langgraph-waypoint");

/**
 * Refuses a key that is not the tenant's, so that nothing is written that others cannot read. A tenant of which nothing is
 * stored yet is sealed with the key that it is first opened with.
 *
 * @throws DecryptionError for another key, no key, or a key for what was stored without one
 */
export function checkKey({ database, tenant, encryption }: Omit<Store, "clock">): void {
  const context = contextOf({ tenant }, ["tenant"]);
  if (encryption === undefined) {
    if (proofOf(database, tenant) !== undefined) throw withoutKey(context);
    return;
  }
  const proof =
    proofOf(database, tenant) ?? database.transaction(() => seal({ database, tenant, encryption }, context));
  encryption.open(proof, context);
}

function seal({ database, tenant, encryption }: Omit<Store, "clock">, context: string): Uint8Array {
  const proof = proofOf(database, tenant); // of a process that was faster
  if (proof !== undefined) return proof;
  if (KEPT.some((what) => keeps(database, tenant, what))) throw unmarked(context);
  const fresh = encryption?.seal(PROOF, context) ?? PROOF;
  database.run("INSERT INTO waypoint_seals (tenant, proof) VALUES (?, ?)", tenant, fresh);
  return fresh;
}

function proofOf(database: SqliteDatabase, tenant: string): Buffer | undefined {
  const row = database.get<{ proof: unknown }>("SELECT proof FROM waypoint_seals WHERE tenant = ?", tenant);
  return row && (Buffer.isBuffer(row.proof) ? row.proof : Buffer.from(String(row.proof)));
}

function keeps(database: SqliteDatabase, tenant: string, what: (typeof KEPT)[number]): boolean {
  return database.get(`SELECT 1 FROM waypoint_${what} WHERE tenant = ? LIMIT 1`, tenant) !== undefined;
}
