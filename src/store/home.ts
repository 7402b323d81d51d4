import type { Clock } from "../shared/clock.js";
import type { Encryption } from "./encryption.js";
import type { ObjectStore } from "./objects/object-store.js";
import type { SqliteDatabase } from "./sqlite/database.js";

/** What everything that is kept durably shares: one database, one clock, one tenant, one key. */
export interface Store {
  readonly database: SqliteDatabase;
  readonly clock: Clock;
  /** Part of every key; `""` where none is bound. */
  readonly tenant: string;
  /** Seals what savers and ledgers of this store keep. */
  readonly encryption?: Encryption | undefined;
  /** Where large contents go; guarded. */
  readonly objects?: ObjectStore | undefined;
  /** In how many bytes a content may be stored and stay in the database. */
  readonly objectsAbove?: number | undefined;
}

/** Under this key a saver shows its store, also to another copy of the package (ESM beside CJS). */
export const STORE: unique symbol = Symbol.for("langgraph-waypoint.store") as never;

export interface Housed {
  readonly [STORE]: Store;
}

/** The store behind a SlimSaver of any copy of the package; undefined for every other object. */
export function storeOf(candidate: unknown): Store | undefined {
  if (typeof candidate !== "object" || candidate === null || !(STORE in candidate)) return undefined;
  return (candidate as Housed)[STORE];
}
