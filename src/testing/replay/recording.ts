import type { CallPlace } from "./call-place.js";

/** What reaches the outside, or is another thing each time. */
export type OutsideKind = "fetch" | "http" | "fs" | "process" | "clock" | "random";

/** One call of a node to the outside. */
export interface OutsideCall {
  readonly kind: OutsideKind;
  /** `POST https://bank.test/refunds`, `fs.writeFile(log.txt)`, `Date.now()` */
  readonly call: string;
  /** Whether it changes something, or only looks. */
  readonly changes: boolean;
  readonly at: CallPlace | undefined;
  readonly node: string;
  /** The task that it belongs to: the same one when a node runs again, another when a node is scheduled anew. */
  readonly visit: string;
  /** Run number: 0 is the first, 1 the one with the first answers. */
  readonly pass: number;
  /** What came back, where it can be compared. */
  readonly result: string | undefined;
}

/** Keeps what is called while it is open. */
export class Recording {
  readonly calls: OutsideCall[] = [];
  pass = 0;
}
