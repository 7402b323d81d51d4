import type { EffectRow, EffectState } from "./effect-row.js";
import type { Turn } from "./effect-table.js";

/** What a call of an effect does about the row that it finds. */
export type Move =
  | ({ readonly do: "start" } & Turn)
  | { readonly do: "return" }
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "inquire" }
  | { readonly do: "refuse"; readonly why: "conflict" | "busy" | "failed" | "compensated" };

export interface Circumstances {
  readonly argsHash: string;
  readonly now: number;
  /** Whether the attempt that the row names may still be running. */
  readonly alive: boolean;
  /** Whether this very visit made an attempt that was refused. */
  readonly refusedHere: boolean;
}

const FIRST: Move = { do: "start", round: 1, tries: 1 };

/** The table of DESIGN §4, one entry for each state. */
const BY_STATE: Readonly<Record<EffectState, (row: EffectRow, now: Circumstances) => Move>> = {
  STARTED: (_, { alive }) => (alive ? { do: "refuse", why: "busy" } : { do: "inquire" }),
  RETRYABLE: (row, { now }) =>
    row.dueAt !== null && row.dueAt > now
      ? { do: "wait", until: row.dueAt }
      : { do: "start", round: row.round, tries: row.tries + 1 },
  SUCCEEDED: () => ({ do: "return" }),
  FAILED: (row, { refusedHere }) =>
    refusedHere ? { do: "refuse", why: "failed" } : { do: "start", round: row.round + 1, tries: 1 },
  UNKNOWN: () => ({ do: "inquire" }),
  COMPENSATING: () => ({ do: "refuse", why: "compensated" }),
  COMPENSATION_FAILED: () => ({ do: "refuse", why: "compensated" }),
  COMPENSATED: () => ({ do: "refuse", why: "compensated" }),
};

/** What to do next about an effect. A pure function: the conditional statement that follows is the guard. */
export function nextMove(row: EffectRow | undefined, circumstances: Circumstances): Move {
  if (row === undefined) return FIRST;
  if (row.argsHash !== circumstances.argsHash) return { do: "refuse", why: "conflict" };
  return BY_STATE[row.state](row, circumstances);
}
