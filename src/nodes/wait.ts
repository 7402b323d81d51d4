/** What wakes a visit: a moment, an event, or the moment to try something again. */
export type WaitKind = "sleep" | "event" | "retry";

/** A wait as the interrupt tells it. Times are ISO 8601. */
export interface WaitReference {
  readonly id: string;
  readonly kind: WaitKind;
  /** When it is over: the moment, or the deadline of an event. Without it, only the event ends it. */
  readonly until?: string;
  /** Of the event, or of the retry where it was given one. */
  readonly name?: string;
  /** Why something is to be tried again. */
  readonly reason?: string;
  /** How often it has failed so far. */
  readonly attempts?: number;
  /** Why the last event or answer was refused. */
  readonly problem?: string;
  /** Set when it is over: any answer goes on. */
  readonly due?: true;
}

/** What an interrupt for waits carries; where it is one wait, its fields stand beside it as well. */
export interface WaitRequest extends Partial<Omit<WaitReference, "kind">> {
  readonly type: "waypoint.wait";
  readonly waypoint: "wait";
  readonly kind: WaitKind | "several";
  readonly waits: readonly WaitReference[];
  readonly answers: string;
}

/** A wait that is open. Times are ISO 8601. */
export interface Wait extends Omit<WaitReference, "due"> {
  readonly threadId: string;
  /** True when `resume(app, config)` would go on with it. */
  readonly due: boolean;
  readonly since: string;
}

/** Something that happened outside, as `waitForEvent` returns it. */
export interface Event<T = unknown> {
  readonly type: "event";
  readonly name: string;
  /** As the sender gave it; counted once per thread and name. */
  readonly id: string;
  /** As the schema returned it, where there is one. */
  readonly payload: T;
  /** ISO 8601. */
  readonly deliveredAt: string;
}

/** No event came in time. */
export interface TimedOut {
  readonly type: "timed-out";
  readonly name: string;
  /** The deadline, ISO 8601. */
  readonly until: string;
}

/** States of a wait's row. `arrived`: it has an event that the code has not taken up yet. */
export type WaitState = "waiting" | "arrived" | "done" | "timed-out";

/** A wait's row. Times are milliseconds since the epoch. */
export interface WaitRow {
  readonly id: string;
  readonly threadId: string;
  readonly visit: string;
  readonly slot: string;
  readonly kind: WaitKind;
  readonly name: string;
  readonly asked: string;
  readonly dueAt: number | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly state: WaitState;
  readonly eventId: string | null;
  readonly result: string | null;
  readonly problem: string | null;
  readonly createdAt: number;
}

/** Whether the code goes on when it runs again. */
export function isDue({ state, dueAt }: Pick<WaitRow, "state" | "dueAt">, now: number): boolean {
  return state !== "waiting" || (dueAt !== null && dueAt <= now);
}

export function referenceTo({ id, kind, dueAt, name, reason, attempts, problem }: WaitRow): WaitReference {
  return {
    id,
    kind,
    ...(dueAt === null ? {} : { until: iso(dueAt) }),
    ...(name === "" ? {} : { name }),
    ...(reason === null ? {} : { reason }),
    ...(kind === "retry" ? { attempts } : {}),
    ...(problem === null ? {} : { problem }),
  };
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
