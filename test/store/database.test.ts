import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SchemaVersionError } from "../../src/store/errors.js";
import { SCHEMA_VERSION, SqliteDatabase } from "../../src/store/sqlite/database.js";
import { temporaryFolder } from "../checkpointer/harness.js";

/** What SQLite calls its levels of syncing. */
const SYNC = { normal: 1, full: 2 } as const;

function tablesIn(database: SqliteDatabase): string[] {
  return database.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name);
}

function open(): SqliteDatabase {
  const database = SqliteDatabase.open(join(temporaryFolder(), "store.db"));
  onTestFinished(() => {
    database.close();
  });
  return database;
}

const schemaOf = (database: SqliteDatabase): number | undefined =>
  database.get<{ value: number }>("SELECT value FROM waypoint_meta WHERE key = 'schema'")?.value;

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
      expect(schemaOf(database)).toBe(SCHEMA_VERSION);
      database.close();
    }
  });

  it("a file of another version is refused, and stays as it is", () => {
    const path = join(temporaryFolder(), "old.db");
    const old = SqliteDatabase.open(path);
    old.run("UPDATE waypoint_meta SET value = 1 WHERE key = 'schema'");
    old.close();
    const before = readFileSync(path);
    expect(() => SqliteDatabase.open(path)).toThrow(SchemaVersionError);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("makes the tables of a feature when its first row comes, and finds nothing in them before", () => {
    const path = join(temporaryFolder(), "store.db");
    const database = SqliteDatabase.open(path);
    expect(tablesIn(database)).not.toContain("waypoint_owners");
    expect(database.all("SELECT * FROM waypoint_owners")).toEqual([]);
    expect(database.get("SELECT * FROM waypoint_owners")).toBeUndefined();
    expect(database.run("DELETE FROM waypoint_owners").changes).toBe(0);
    expect(tablesIn(database)).not.toContain("waypoint_owners");
    const insert = "INSERT INTO waypoint_owners (instance, host, pid, lease_until) VALUES ('one', 'here', 1, 2)";
    expect(() => {
      database.transaction(() => {
        database.run(insert);
        throw new Error("no");
      });
    }).toThrow("no");
    expect(tablesIn(database)).not.toContain("waypoint_owners");
    database.run(insert);
    expect(database.all("SELECT instance FROM waypoint_owners")).toEqual([{ instance: "one" }]);
    database.close();
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
