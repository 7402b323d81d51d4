import type { Sealing } from "./sealing.js";
import { openText, sealText } from "./sealing.js";

/** The columns of the ledger that hold what somebody said, or that others could be guessed by. */
const COLUMNS = {
  effect: ["key", "args", "args_hash", "result", "error", "evidence"],
  attempt: ["error", "evidence", "late"],
  question: ["members"],
  latch: ["message", "released_by", "evidence"],
  memo: ["args", "args_hash", "value"],
  wait: ["reason", "result", "problem"],
  event: ["payload", "problem"],
  approval: [
    "action",
    "args",
    "args_hash",
    "summary",
    "action_hash",
    "plan_version",
    "approvers",
    "decided_args",
    "decided_hash",
    "reason",
    "decided_by",
    "problem",
  ],
} as const;

export type SealedTable = keyof typeof COLUMNS;
export type SealedColumn<T extends SealedTable> = (typeof COLUMNS)[T][number];

/** One row of a table; `id` tells it from all others of the tenant. */
export class SealedRow<T extends SealedTable> {
  constructor(
    private readonly sealing: Sealing,
    private readonly table: T,
    private readonly id: readonly (string | number)[],
  ) {}

  /** A text as its column keeps it. */
  seal<V extends string | null>(column: SealedColumn<T>, text: V): V | Uint8Array {
    return sealText(this.sealing, text, [this.table, ...this.id, column]);
  }

  /** The row as it was written. @throws DecryptionError */
  open<R extends object>(row: R): R {
    const isPlain =
      this.sealing.encryption === undefined && Object.values(row).every((value) => !Buffer.isBuffer(value));
    if (isPlain) return row;
    const opened = { ...row } as Record<string, unknown>;
    for (const column of COLUMNS[this.table]) {
      if (column in opened) opened[column] = openText(this.sealing, opened[column], [this.table, ...this.id, column]);
    }
    return opened as R;
  }
}
