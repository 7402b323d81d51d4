import type { DetectorName } from "./thresholds.js";
import { recordOf } from "./transcript.js";
import type { LoopClass, Verdict } from "./verdict.js";

/**
 * What a detector knows: plain JSON, bounded in every direction, hashes and short quotes instead of arguments and results.
 * Any checkpointer stores it, and a new instance goes on from it.
 */
export interface LoopState {
  readonly v: 1;
  /** How far the messages were read: as many, and the name of the last of them. */
  cursor: { length: number; last: string };
  /** Messages of the model that asked for tools, in this turn. */
  round: number;
  /** Rounds that brought something new. */
  novel: number;
  /** Outcomes that were new, siblings of one round each for itself. */
  fresh: number;
  open: OpenRound | null;
  /** Outcomes that were there before. */
  readonly seen: string[];
  /** Messages with an id that were read. */
  readonly known: string[];
  /** Calls of messages without an id that were read: call id and arguments. */
  calls: string[];
  /** The model uses ids of calls again, so they say nothing. */
  idsReused: boolean;
  streaks: Streak[];
  errors: ErrorRun[];
  /** What the last rounds did, since the last reminder. */
  rounds: string[];
  cycle: { key: string; novel: number } | null;
  /** What a person let happen: so many times more, or `true` for ever. */
  allowed: { key: string; times: number | true }[];
  /** The reminder that the next request carries, on the message of this name. */
  reminder: { on: string; verdict: Verdict } | null;
  /** The run was stopped here, and nobody has said how it goes on. */
  tripped: Verdict | null;
}

/** One message of the model and the answers to its calls. */
export interface OpenRound {
  readonly ai: string;
  readonly calls: { id: string; tool: string; call: string; answered: boolean }[];
  /** What was counted in it: siblings count once. */
  readonly keys: string[];
  /** What it did, for cycles. */
  readonly parts: string[];
  novel: boolean;
  warned: boolean;
}

/** Something that happened again and again. */
export interface Streak {
  readonly key: string;
  readonly call: string;
  readonly tool: string;
  readonly detector: DetectorName;
  class: LoopClass;
  /** Rounds in which it happened. */
  count: number;
  /** Of these, the last ones between which nothing new came. */
  run: number;
  /** Of these, those before which nothing new had come. */
  stale: number;
  /** The last rounds in which it happened. */
  at: number[];
  novel: number;
  fresh: number;
  /** The count at the reminder; 0 before it. */
  reminded: number;
  /** Calls in a lap, where it is part of a cycle. */
  period: number;
  first: string;
}

/** One tool that keeps failing alike. */
export interface ErrorRun {
  readonly tool: string;
  type: string;
  variants: string[];
  count: number;
  novel: number;
  reminded: boolean;
  first: string;
}

/** How much of each is kept. Together, at their longest, they stay under 16 KB of JSON. */
export const KEPT = {
  calls: 24,
  seen: 200,
  known: 64,
  callIds: 40,
  streaks: 18,
  at: 10,
  errors: 6,
  variants: 12,
  rounds: 24,
  allowed: 16,
  quote: 80,
  name: 40,
} as const;

export function newLoopState(): LoopState {
  return {
    v: 1,
    cursor: { length: 0, last: "" },
    round: 0,
    novel: 0,
    fresh: 0,
    open: null,
    seen: [],
    known: [],
    calls: [],
    idsReused: false,
    streaks: [],
    errors: [],
    rounds: [],
    cycle: null,
    allowed: [],
    reminder: null,
    tripped: null,
  };
}

/** A state that was stored, as one that may be changed; anything that is none becomes a new one. */
export function loopStateFrom(stored: unknown): LoopState {
  return isLoopState(stored) ? structuredClone(stored) : newLoopState();
}

function isLoopState(value: unknown): value is LoopState {
  const state = recordOf(value);
  const empty = recordOf(newLoopState());
  if (state.v !== 1) return false;
  return Object.keys(empty).every((key) =>
    Array.isArray(empty[key]) ? Array.isArray(state[key]) : typeof empty[key] === typeof state[key],
  );
}

/** A new turn of a person: everything that was counted is forgotten. */
export function forgetCounts(state: LoopState): void {
  state.open = null;
  state.seen.length = 0;
  sets.delete(state.seen);
  state.streaks = [];
  state.errors = [];
  state.rounds = [];
  state.cycle = null;
  state.reminder = null;
  state.tripped = null;
}

/** Adds to a list that keeps its newest so many. */
export function keep<T>(list: T[], item: T, most: number): void {
  list.push(item);
  if (list.length > most) list.splice(0, list.length - most);
}

/** The same names as a set, while the state is in memory: a list of hundreds is slow to look through at every call. */
const sets = new WeakMap<readonly string[], Set<string>>();

function setOf(names: readonly string[]): Set<string> {
  const known = sets.get(names);
  if (known !== undefined) return known;
  const made = new Set(names);
  sets.set(names, made);
  return made;
}

/** Whether a list of names has this one. */
export function has(names: readonly string[], name: string): boolean {
  return setOf(names).has(name);
}

/** Adds a name to a list that keeps its newest so many. */
export function learn(names: string[], name: string, most: number): void {
  const set = setOf(names);
  names.push(name);
  set.add(name);
  if (names.length > most) set.delete(names.shift() ?? "");
}
