import { InvalidInputError } from "../shared/errors.js";
import type { ThreadFilter, ThreadRow } from "../store/sqlite/threads.js";
import type { Position } from "./position.js";

/** One line of a list of threads; `state` and `step` as in `Position`. */
export interface ThreadSummary {
  readonly threadId: string;
  readonly state: Position["state"];
  readonly step: number;
  readonly updatedAt: string;
}

export interface ListThreadsOptions {
  /** At most so many; default 50, at most 1000. */
  readonly limit?: number;
  /** What the call before returned, to go on from there. */
  readonly cursor?: string;
  readonly state?: string;
  /** Only threads whose id contains this. */
  readonly search?: string;
}

const LIMIT = { usual: 50, most: 1000 } as const;
const STATES = ["working", "waiting", "failed", "done"] as const satisfies Position["state"][];

/** @throws InvalidInputError for a limit, state or cursor that cannot be meant. */
export function filterOf({ limit = LIMIT.usual, cursor, state, search }: ListThreadsOptions): ThreadFilter {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT.most) {
    throw new InvalidInputError(`limit must be a whole number from 1 to ${LIMIT.most}; got ${String(limit)}.`);
  }
  if (state !== undefined && !(STATES as readonly string[]).includes(state)) {
    throw new InvalidInputError(`state must be one of ${STATES.join(", ")}; got ${JSON.stringify(state)}.`);
  }
  if (search !== undefined && typeof search !== "string") throw new InvalidInputError("search must be a text.");
  return { state, search, after: cursor === undefined ? undefined : readCursor(cursor), limit };
}

export function summaryOf({ thread, state, step, updatedAt }: ThreadRow): ThreadSummary {
  return {
    threadId: thread,
    state: state as Position["state"],
    step,
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export function cursorAfter({ updatedAt, id }: ThreadRow): string {
  return `${updatedAt.toString(36)}.${id.toString(36)}`;
}

function readCursor(cursor: unknown): readonly [number, number] {
  const [, at, id] = /^([0-9a-z]+)\.([0-9a-z]+)$/.exec(typeof cursor === "string" ? cursor : "") ?? [];
  if (at === undefined || id === undefined) {
    throw new InvalidInputError(`cursor must be what listThreads returned; got ${JSON.stringify(cursor)}.`);
  }
  return [Number.parseInt(at, 36), Number.parseInt(id, 36)];
}
