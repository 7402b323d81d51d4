import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import {
  CorruptObjectError,
  NotADatabaseError,
  SlimSaver,
  StaleCheckpointError,
  StoreUnavailableError,
} from "../../src/checkpointer/index.js";
import { reading } from "../../src/checkpointer/damage.js";
import { InvalidInputError, WaypointError } from "../../src/shared/errors.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

/** Two checkpoints, then `sql` behind the saver's back. */
async function tampered(sql: string): Promise<SlimSaver> {
  const path = join(temporaryFolder(), "agent.db");
  const first = SlimSaver.fromConnString(path);
  let parent: string | undefined;
  for (const n of [1, 2]) {
    const messages = Array.from(
      { length: 20 },
      (_, index) => new AIMessage({ id: `id-${index}`, content: `message ${index} `.repeat(n * 9) }),
    );
    const checkpoint = checkpointOf({ n, messages });
    const config = await first.put(thread("t", parent), checkpoint, LOOP, checkpoint.channel_versions);
    await first.putWrites(config, [["n", n]], "task");
    parent = checkpoint.id;
  }
  await first.close();
  const handle = new Database(path);
  handle.exec(sql);
  handle.close();
  return openSaver(path);
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const HEAD = "(SELECT head FROM waypoint_namespaces)";

describe("a row that somebody changed is loud, and no older state is handed out", () => {
  it.each([
    ["a body that is cut short", `UPDATE waypoint_checkpoints SET body = substr(body, 1, 30) WHERE id = ${HEAD}`],
    ["a body that is longer", `UPDATE waypoint_checkpoints SET body = CAST(body || x'00' AS BLOB) WHERE id = ${HEAD}`],
    ["a body that is something else", `UPDATE waypoint_checkpoints SET body = '{}' WHERE id = ${HEAD}`],
    ["a body of another form", `UPDATE waypoint_checkpoints SET body = CAST(x'09' || substr(body, 2) AS BLOB)`],
    ["objects that are others", "UPDATE waypoint_objects SET id = id + 1000"],
    ["a write that is cut short", "UPDATE waypoint_writes SET body = substr(body, 1, 2)"],
    ["a write that is something else", "UPDATE waypoint_writes SET body = '['"],
    ["the ids of messages gone", "DELETE FROM waypoint_identities"],
    ["objects of another codec", "UPDATE waypoint_objects SET codec = -1 - codec"],
    ["objects whose pack is missing", "UPDATE waypoint_objects SET codec = 9999 WHERE codec = -1"],
    ["an object whose hash is no bytes", "UPDATE waypoint_objects SET hash = 'x'"],
    ["an object that is no bytes", "UPDATE waypoint_objects SET data = 5"],
    ["a head that is gone", `DELETE FROM waypoint_checkpoints WHERE id = ${HEAD}`],
  ])("%s", async (_name, sql) => {
    const saver = await tampered(sql);
    await expect(saver.getTuple(thread("t"))).rejects.toThrow(CorruptObjectError);
    await expect(saver.position("t")).rejects.toThrow(CorruptObjectError);
  });
});

it("a head whose id is none is loud", async () => {
  const saver = await tampered("UPDATE waypoint_namespaces SET head = x'00'");
  await expect(saver.getTuple(thread("t"))).rejects.toThrow(NotADatabaseError);
});

describe("a database that does not answer is no damage: its error stays what it is", () => {
  it("where a statement fails while a checkpoint is read", async () => {
    const saver = await tampered("ALTER TABLE waypoint_objects RENAME TO waypoint_elsewhere");
    const said = expect.objectContaining({ code: "SQLITE_ERROR" }) as unknown;
    await expect(saver.getTuple(thread("t"))).rejects.toEqual(said);
    await expect(saver.position("t")).rejects.toEqual(said);
    await expect(saver.list(thread("t")).next()).rejects.toEqual(said);
    await expect(saver.verify()).rejects.toEqual(said);
  });

  it.each(["SQLITE_BUSY", "SQLITE_IOERR_READ", "SQLITE_NOMEM", "SQLITE_INTERRUPT", "SQLITE_ERROR"])("%s", (code) => {
    const failed = new Database.SqliteError("it did not answer", code);
    const read = (): never => {
      throw failed;
    };
    expect(thrownBy(() => reading("A checkpoint", read))).toBe(failed);
  });

  it("and what is made of its rows is damage as before", () => {
    const [unreadable, coded] = [new SyntaxError("no JSON"), Object.assign(new Error("no UTF-8"), { code: "ERR_X" })];
    for (const error of [unreadable, coded]) {
      const read = (): never => {
        throw error;
      };
      expect(thrownBy(() => reading("A checkpoint", read))).toMatchObject({ code: "CORRUPT_OBJECT", cause: error });
    }
  });
});

describe("a checkpoint that comes again", () => {
  it("when the thread has moved on does not set it back", async () => {
    const saver = openSaver();
    const first = checkpointOf({ n: 1 });
    await saver.put(thread("t"), first, LOOP, first.channel_versions);
    await saver.put(thread("t"), first, LOOP, first.channel_versions);
    const second = checkpointOf({ n: 2 });
    await saver.put(thread("t", first.id), second, LOOP, second.channel_versions);
    await expect(saver.put(thread("t"), first, LOOP, first.channel_versions)).rejects.toThrow(StaleCheckpointError);
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ n: 2 });
  });

  it("as a copy of one fork has the values of that fork, not of its sibling", async () => {
    const saver = openSaver();
    const base = checkpointOf({ who: "base" }, 1);
    await saver.put(thread("t"), base, LOOP, { who: 1 });
    for (const who of ["left", "right"]) {
      await saver.put(thread("t", base.id), checkpointOf({ who }, 2), { ...LOOP, source: "fork" }, { who: 2 });
    }
    const copy = checkpointOf({ who: "left" }, 2);
    await saver.put(thread("t", base.id), copy, { ...LOOP, source: "fork" }, {});
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ who: "left" });
  });
});

describe("arguments of a wrong kind are refused with an error of this package", () => {
  const junk = [undefined, null, 5, Number.NaN, "x", true, 5n, [], {}, () => 1, [[5]], { configurable: 5 }, "\ud800"];
  const uses: [string, (saver: SlimSaver, value: never) => unknown][] = [
    ["getTuple", (saver, value) => saver.getTuple(value)],
    ["list", async (saver, value) => saver.list(value).next()],
    ["list options", async (saver, value) => saver.list(thread("t"), value).next()],
    ["put config", (saver, value) => saver.put(value, checkpointOf({ a: 1 }), LOOP, {})],
    ["put checkpoint", (saver, value) => saver.put(thread("x"), value, LOOP, {})],
    ["put metadata", (saver, value) => saver.put(thread("x"), checkpointOf({ a: 1 }), value, {})],
    ["put newVersions", (saver, value) => saver.put(thread("x"), checkpointOf({ a: 1 }), LOOP, value)],
    ["putWrites config", (saver, value) => saver.putWrites(value, [["a", 1]], "task")],
    ["putWrites writes", (saver, value) => saver.putWrites(thread("t", "c"), value, "task")],
    ["putWrites task", (saver, value) => saver.putWrites(thread("t", "c"), [["a", 1]], value)],
    ["putWrites path", (saver, value) => saver.putWrites(thread("t", "c"), [["a", 1]], "task", value)],
    ["deleteThread", (saver, value) => saver.deleteThread(value)],
    ["position", (saver, value) => saver.position(value)],
    ["whenDurable", (saver, value) => saver.whenDurable(value, { timeout: 1 })],
    ["options", (_saver, value) => SlimSaver.fromConnString(":memory:", value)],
    ["tenant", (_saver, value) => SlimSaver.fromConnString(":memory:", { tenant: value })],
    ["concurrency", (_saver, value) => SlimSaver.fromConnString(":memory:", { concurrency: value })],
    ["clock", (_saver, value) => SlimSaver.fromConnString(":memory:", { clock: value })],
  ];
  it.each(uses)("%s", async (_name, use) => {
    const saver = openSaver();
    for (const value of junk) {
      const thrown: unknown = await Promise.resolve()
        .then(() => use(saver, value as never))
        .then(() => undefined)
        .catch((error: unknown) => error);
      expect(thrown === undefined || WaypointError.is(thrown), `${typeof value}: ${String(thrown)}`).toBe(true);
    }
  });

  it("a mistyped way of concurrency is not taken for another, nor blanks for a path", () => {
    expect(() => SlimSaver.fromConnString(":memory:", { concurrency: "enforced" as never })).toThrow(InvalidInputError);
    expect(() => SlimSaver.fromConnString("   ")).toThrow(InvalidInputError);
  });
});

it("a database that cannot be written to says so in our terms", async () => {
  const saver = openSaver();
  databaseOf(saver).run("PRAGMA query_only = ON");
  const checkpoint = checkpointOf({ a: 1 });
  await expect(saver.put(thread("t"), checkpoint, LOOP, undefined)).rejects.toThrow(StoreUnavailableError);
});
