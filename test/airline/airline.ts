import Database from "better-sqlite3";
import type { RecordedCall } from "./recording.js";

/** A call as it came in. */
export interface RawCall {
  readonly key: string;
  readonly tool: string;
  readonly args: unknown;
  readonly answer: string;
}

interface Row extends Omit<RawCall, "args"> {
  readonly args: string;
}

/** The outside world: does what it is told each time that it is told, and keeps a list. It de-duplicates nothing. */
export class Airline {
  private readonly database: Database.Database;

  constructor(file: string) {
    this.database = new Database(file);
    this.database.exec("CREATE TABLE IF NOT EXISTS calls (key TEXT, tool TEXT, args TEXT, answer TEXT)");
  }

  perform(key: string, { tool, answer }: RecordedCall, args: unknown): void {
    this.database.prepare("INSERT INTO calls VALUES (?, ?, ?, ?)").run(key, tool, JSON.stringify(args), answer);
  }

  /** What the first call with this key was answered; undefined when there was none. */
  answerTo(key: string): string | undefined {
    const row = this.database.prepare<[string], Row>("SELECT * FROM calls WHERE key = ? ORDER BY rowid").get(key);
    return row?.answer;
  }

  /** Every raw call, in order. */
  calls(): RawCall[] {
    const rows = this.database.prepare<[], Row>("SELECT * FROM calls ORDER BY rowid").all();
    return rows.map((row) => ({ ...row, args: JSON.parse(row.args) as unknown }));
  }

  close(): void {
    this.database.close();
  }
}
