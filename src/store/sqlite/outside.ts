import type { SqliteDatabase } from "./database.js";

/** What is stored in more bytes than this lies outside the database, where there is a place; unless the saver says otherwise. */
export const INSIDE_UP_TO = 65_536;

/** Objects outside the database, and on their way there. The payload is outside before a row refers to it. */
export class OutsideTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  /** An object that was just stored is to be brought outside. */
  wait(object: number, bytes: number): void {
    this.database.run(
      "INSERT INTO waypoint_outside (object, tenant, bytes) VALUES (?, ?, ?)",
      object,
      this.tenant,
      bytes,
    );
  }

  /** Whether an object lies outside, or waits to be brought there. */
  has(object: number): boolean {
    return this.database.get("SELECT 1 FROM waypoint_outside WHERE object = ?", object) !== undefined;
  }

  /** Objects of the tenant that are still inside. */
  waiting(): number[] {
    return this.database
      .all<{ object: number }>("SELECT object FROM waypoint_outside WHERE tenant = ? AND key IS NULL", this.tenant)
      .map(({ object }) => object);
  }

  /** What is to be brought outside; undefined when it is there, or the object is gone. */
  inside(object: number): Buffer | undefined {
    const data = this.dataOf(object);
    return Buffer.isBuffer(data) ? data : undefined;
  }

  /** Where an object lies outside; undefined when it is inside, or gone. */
  keyOf(object: number): string | undefined {
    const data = this.dataOf(object);
    return typeof data === "string" ? data : undefined;
  }

  private dataOf(object: number): unknown {
    return this.database.get<{ data: unknown }>("SELECT data FROM waypoint_objects WHERE id = ?", object)?.data;
  }

  /** After the payload was put. False when the object is gone, or somebody else was faster. */
  move(object: number, key: string): boolean {
    const { changes } = this.database.run(
      "UPDATE waypoint_outside SET key = ? WHERE object = ? AND key IS NULL",
      key,
      object,
    );
    if (changes === 0) return false;
    this.database.run("UPDATE waypoint_objects SET data = ? WHERE id = ?", key, object);
    return true;
  }

  /** Of objects that go: their payloads are put down as unused, for the tenant that brought them outside. */
  release(going: ReadonlySet<number>, now: number): void {
    for (const { object } of this.database.all<{ object: number }>("SELECT object FROM waypoint_outside")) {
      if (!going.has(object)) continue;
      this.database.run(
        `INSERT INTO waypoint_uploads (key, tenant, state, since)
         SELECT key, tenant, 'unused', ? FROM waypoint_outside WHERE object = ? AND key IS NOT NULL`,
        now,
        object,
      );
      this.database.run("DELETE FROM waypoint_outside WHERE object = ?", object);
    }
  }
}
