import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SqliteDatabase } from "../../src/store/sqlite/database.js";
import { temporaryFolder } from "../checkpointer/harness.js";

/** What SQLite calls its levels of syncing. */
const SYNC = { normal: 1, full: 2 } as const;

function open(): SqliteDatabase {
  const database = SqliteDatabase.open(join(temporaryFolder(), "store.db"));
  onTestFinished(() => {
    database.close();
  });
  return database;
}

const level = (database: SqliteDatabase): unknown => Object.values(database.get<object>("PRAGMA synchronous") ?? {})[0];

describe("a transaction", () => {
  it("waits for the disk when it is durable, and only then", () => {
    const database = open();
    expect(database.transaction(() => level(database))).toBe(SYNC.normal);
    expect(database.transaction(() => level(database), { durable: true })).toBe(SYNC.full);
    expect(level(database)).toBe(SYNC.normal);
  });

  it("waits for the disk again after a durable one has failed", () => {
    const database = open();
    const failing = (): void => {
      throw new Error("on purpose");
    };
    expect(() => {
      database.transaction(failing, { durable: true });
    }).toThrow("on purpose");
    expect(level(database)).toBe(SYNC.normal);
    expect(database.transaction(() => level(database), { durable: true })).toBe(SYNC.full);
  });

  it("that fails takes tables with it that were made in it, and they are made again", () => {
    const database = open();
    const insert = (): unknown =>
      database.run("INSERT INTO waypoint_outside (object, tenant, bytes) VALUES (1, '', 1)").changes;
    const failing = (): void => {
      insert();
      throw new Error("on purpose");
    };
    expect(() => {
      database.transaction(failing);
    }).toThrow("on purpose");
    expect(insert()).toBe(1);
  });

  it("rolls back whole when anything in it fails", () => {
    const database = open();
    expect(() => {
      database.transaction(() => {
        database.run("UPDATE waypoint_meta SET value = 7 WHERE key = 'syncs'");
        throw new Error("on purpose");
      });
    }).toThrow("on purpose");
    expect(database.get("SELECT value FROM waypoint_meta WHERE key = 'syncs'")).toEqual({ value: 0 });
  });

  it("joins the one that it is called in, and never weakens what it promises", () => {
    const database = open();
    expect(database.transaction(() => database.transaction(() => level(database)), { durable: true })).toBe(SYNC.full);
    expect(() => {
      database.transaction(() => {
        database.transaction(() => undefined, { durable: true });
      });
    }).toThrow(/cannot join/);
  });
});

describe("opening", () => {
  it("the same file twice at once makes its tables once", () => {
    const path = join(temporaryFolder(), "store.db");
    const both = [SqliteDatabase.open(path), SqliteDatabase.open(path)];
    for (const database of both) {
      expect(database.get("SELECT value FROM waypoint_meta WHERE key = 'schema'")).toEqual({ value: 1 });
      database.close();
    }
  });

  it("a file that another application keeps its tables in leaves those alone", () => {
    const path = join(temporaryFolder(), "shared.db");
    const first = SqliteDatabase.open(path);
    const names = first.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    first.close();
    expect(names.map(({ name }) => name).filter((name) => !name.startsWith("waypoint_"))).toEqual([]);
  });
});
