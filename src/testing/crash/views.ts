import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { Ledger } from "../../nodes/ledger.js";
import { STORE, storeOf, type Store } from "../../store/home.js";
import type { SqliteDatabase } from "../../store/sqlite/database.js";
import { EFFECTS } from "../../store/sqlite/ledger-statements.js";
import type { Downstream } from "../downstream/fake-downstream.js";
import type { Crash } from "./crash-points.js";
import type { Death } from "./death.js";

type Method = (...args: unknown[]) => unknown;
type Watched = BaseCheckpointSaver | Ledger | Downstream;
type Points = Pick<Crash, "around" | "pass">;

/** Arithmetic, not storage. */
const PURE = new Set<PropertyKey>(["getNextVersion", "constructor", "toJSON"]);

/** What is watched, seen from one life: it passes points, and refuses everything after the life's end. */
export function viewsOf(points: Points, death: Death): <T extends Watched>(watched: T) => T {
  const stores = new WeakMap<Store, Store>();
  const storeView = (store: Store): Store => {
    const seen = stores.get(store) ?? { ...store, database: databaseView(store.database, points, death) };
    stores.set(store, seen);
    return seen;
  };
  const around = (name: string) => [name, (call: () => unknown): unknown => points.around(name, call)] as const;
  return <T extends Watched>(watched: T): T => {
    if (Ledger.is(watched)) return new Ledger(storeView(watched.store)) as T;
    if (!("putWrites" in watched)) return view(watched, death, Object.fromEntries([around("call")]));
    const store = storeOf(watched);
    const instead = store === undefined ? {} : { [STORE]: storeView(store) };
    return view<T>(watched, death, Object.fromEntries([around("putWrites"), around("put")]), instead);
  };
}

const MOVES: Readonly<Record<string, string>> = {
  [EFFECTS.insert]: "intent",
  [EFFECTS.restart]: "intent",
  [EFFECTS.settle]: "record",
};

/** Intents and records are known by their statements; they are there when the transaction around them has committed. */
function databaseView(database: SqliteDatabase, points: Points, death: Death): SqliteDatabase {
  let depth = 0;
  let written: string[] = [];
  const run = (call: () => unknown, sql: unknown): unknown => {
    const move = MOVES[String(sql)];
    if (move !== undefined) points.pass(`before ${move}`);
    const result = call();
    if (move !== undefined && depth > 0) written.push(move);
    if (move !== undefined && depth === 0) points.pass(`after ${move}`);
    return result;
  };
  const transaction = (call: () => unknown): unknown => {
    if (depth === 0) written = [];
    depth += 1;
    let result: unknown;
    try {
      result = call();
    } finally {
      depth -= 1;
    }
    if (depth === 0) for (const move of written.splice(0)) points.pass(`after ${move}`);
    return result;
  };
  return view(database, death, { run, transaction });
}

/** The target behind a check whether the life goes on; `around` has a say in some of its methods. */
function view<T extends object>(
  target: T,
  death: Death,
  around: Readonly<Record<string, (call: () => unknown, first: unknown) => unknown>>,
  instead: Readonly<Record<PropertyKey, unknown>> = {},
): T {
  return new Proxy(target, {
    get: (_target, name) => {
      if (Object.hasOwn(instead, name)) return instead[name];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || PURE.has(name)) return value;
      const own = Object.hasOwn(around, name) ? around[String(name)] : undefined;
      return (...args: unknown[]): unknown => {
        death.refuse();
        const call = (): unknown => (value as Method).apply(target, args);
        const result = own === undefined ? call() : own(call, args[0]);
        return result instanceof Promise ? death.orResult(result) : result;
      };
    },
  });
}
