import { randomUUID } from "node:crypto";
import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
import type { SealedColumn } from "../store/sealed-columns.js";
import { EVENTS, WAITS } from "../store/sqlite/wait-statements.js";
import { fromRaw } from "./effect-row.js";
import type { WaitKind, WaitRow } from "./wait.js";

/** What is fixed when a wait is first asked for. */
export interface WaitDraft {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly visit: string;
  readonly slot: string;
  readonly kind: WaitKind;
  readonly name: string;
  readonly asked: string;
  /** Milliseconds since the epoch. */
  readonly dueAt: number | undefined;
  readonly reason?: string | undefined;
}

/** An event's row. Times are milliseconds since the epoch. */
export interface EventRow {
  readonly number: number;
  readonly threadId: string;
  readonly name: string;
  readonly id: string;
  /** By the checkpointer's codec. */
  readonly payload: string;
  readonly deliveredAt: number;
  readonly waitId: string | null;
}

type EventAddress = Pick<EventRow, "threadId" | "name" | "id">;

type Raw = Readonly<Record<string, string | number | null>>;

/** What became of a delivered event. */
export type Delivery =
  | { readonly outcome: "given"; readonly wait: WaitRow }
  | { readonly outcome: "kept" | "late" }
  | { readonly outcome: "duplicate"; readonly event: EventRow };

/** The waits of one tenant and the events for them. Every move is one conditional statement. */
export class WaitTable {
  constructor(private readonly store: Store) {}

  find(id: string): WaitRow | undefined {
    const raw = this.store.database.get<Raw>(WAITS.byId, this.store.tenant, id);
    return raw && this.waitOf(raw);
  }

  /** In the order in which they were first asked. */
  ofVisit(threadId: string, visit: string): WaitRow[] {
    const raws = this.store.database.all<Raw>(WAITS.ofVisit, this.store.tenant, threadId, visit);
    return raws.map((raw) => this.waitOf(raw));
  }

  /** Those that have not ended, oldest first. */
  open(threadId?: string): WaitRow[] {
    const { database, tenant } = this.store;
    const raws =
      threadId === undefined
        ? database.all<Raw>(WAITS.open, tenant)
        : database.all<Raw>(WAITS.openOfThread, tenant, threadId);
    return raws.map((raw) => this.waitOf(raw));
  }

  /**
   * Writes the row, synced to disk, unless the slot has one; returns the row that stands. A sleep whose time has come is
   * written as done; a wait for an event takes the oldest one that is kept for it.
   */
  enter(draft: WaitDraft): WaitRow {
    const standing = this.inSlot(draft);
    if (standing !== undefined) return standing;
    const now = this.store.clock.now();
    const over = draft.kind === "sleep" && draft.dueAt !== undefined && draft.dueAt <= now;
    this.store.database.transaction(
      () => {
        this.insert(draft, over ? "done" : "waiting", 0, now);
        if (draft.kind === "event") this.takeKept(this.inSlot(draft) as WaitRow);
      },
      { durable: !over },
    );
    return this.inSlot(draft) as WaitRow;
  }

  /** Counts one more failure and waits for the next time, synced to disk; undefined when `mayWait` says no. */
  postpone(draft: WaitDraft, mayWait: (failures: number) => boolean): WaitRow | undefined {
    const { database, clock, tenant } = this.store;
    const write = (): WaitRow | undefined => {
      const before = this.inSlot(draft);
      if (!mayWait((before?.attempts ?? 0) + 1)) return undefined;
      const { dueAt, reason = null } = draft;
      if (before === undefined) this.insert(draft, "waiting", 1, clock.now());
      else
        database.run(WAITS.postpone, {
          tenant,
          id: before.id,
          dueAt,
          reason: this.sealed(before.id, "reason", reason),
        });
      return this.inSlot(draft);
    };
    return database.transaction(write, { durable: true });
  }

  /** Ends a wait whose time is over; false when that is not so. */
  end(id: string): boolean {
    const { database, clock, tenant } = this.store;
    return database.run(WAITS.end, { tenant, id, now: clock.now() }).changes === 1;
  }

  /** Ends the waits of a thread that were over at `now` and are not among those that it asks about. */
  endOfThread(threadId: string, now: number, asked: readonly string[]): void {
    const { database, tenant } = this.store;
    database.run(WAITS.endOfThread, { tenant, threadId, now, asked: JSON.stringify(asked) });
  }

  /**
   * Keeps an event, synced to disk, and gives it to the wait that is meant: the one of that id, else the oldest live one of
   * that name. With neither it is kept for one to come; but one that names a wait which is over is not kept.
   */
  deliver(event: { threadId: string; name: string; id: string; payload: string }, waitId?: string): Delivery {
    const { database, clock, tenant } = this.store;
    const at = { ...event, tenant, now: clock.now() };
    const write = (): Delivery => {
      const before = this.event(at);
      if (before !== undefined) return { outcome: "duplicate", event: before };
      const raw = waitId === undefined ? database.get<Raw>(WAITS.firstLive, at) : undefined;
      const wait = waitId === undefined ? raw && this.waitOf(raw) : this.find(waitId);
      if (waitId !== undefined && !isLive(wait, at)) return { outcome: "late" };
      database.run(EVENTS.insert, { ...at, payload: this.eventRow(event).seal("payload", event.payload) });
      if (wait === undefined) return { outcome: "kept" };
      this.give(this.event(at) as EventRow, wait);
      return { outcome: "given", wait };
    };
    return database.transaction(write, { durable: true });
  }

  /** The event that a wait has got and not taken up yet. */
  arrived({ threadId, name, eventId }: WaitRow): EventRow | undefined {
    return eventId === null ? undefined : this.event({ threadId, name, id: eventId });
  }

  private event({ threadId, name, id }: EventAddress): EventRow | undefined {
    const at = { tenant: this.store.tenant, threadId, name, id };
    const raw = this.store.database.get<Raw>(EVENTS.find, at);
    return raw && this.eventOf(raw);
  }

  /** The wait is over with this event; `result` is what every later pass returns. */
  accept({ id, eventId }: WaitRow, result: string): boolean {
    const { database, clock, tenant } = this.store;
    const at = { tenant, id, eventId, result: this.sealed(id, "result", result), now: clock.now() };
    return database.run(WAITS.accept, at).changes === 1;
  }

  /** The wait goes on without this event, and takes the next one that is kept. */
  refuse({ id, threadId, name, eventId }: WaitRow, problem: string): void {
    const { database, tenant } = this.store;
    const at = { tenant, id, threadId, name, eventId };
    database.transaction(() => {
      if (database.run(WAITS.refuse, { ...at, problem: this.sealed(id, "problem", problem) }).changes === 0) return;
      const event = this.eventRow({ threadId, name, id: eventId as string });
      database.run(EVENTS.refuse, { ...at, problem: event.seal("problem", problem) });
      this.takeKept(this.find(id) as WaitRow);
    });
  }

  /** Says why the last answer brought nothing. */
  note(id: string, problem: string): void {
    const { database, tenant } = this.store;
    database.run(WAITS.note, { tenant, id, problem: this.sealed(id, "problem", problem) });
  }

  private inSlot({ threadId, visit, slot }: WaitDraft): WaitRow | undefined {
    const raw = this.store.database.get<Raw>(WAITS.bySlot, this.store.tenant, threadId, visit, slot);
    return raw && this.waitOf(raw);
  }

  private insert(draft: WaitDraft, state: WaitRow["state"], attempts: number, now: number): void {
    const id = randomUUID();
    const { dueAt = null } = draft;
    const reason = this.sealed(id, "reason", draft.reason ?? null);
    const fields = { ...draft, dueAt, reason, id, tenant: this.store.tenant, state, attempts, now };
    this.store.database.run(WAITS.insert, fields);
  }

  private sealed(id: string, column: SealedColumn<"wait">, text: string | null): string | Uint8Array | null {
    return new SealedRow(this.store, "wait", [id]).seal(column, text);
  }

  private waitOf(raw: Raw): WaitRow {
    return fromRaw<WaitRow>(new SealedRow(this.store, "wait", [raw.id as string]).open(raw));
  }

  private eventRow({ threadId, name, id }: EventAddress): SealedRow<"event"> {
    return new SealedRow(this.store, "event", [threadId, name, id]);
  }

  private eventOf(raw: Raw): EventRow {
    const { thread_id: threadId, name, id } = raw as Readonly<Record<"thread_id" | "name" | "id", string>>;
    return fromRaw<EventRow>(this.eventRow({ threadId, name, id }).open(raw));
  }

  private takeKept(wait: WaitRow): void {
    if (wait.state !== "waiting") return;
    const { threadId, name, dueAt, createdAt: openedAt } = wait;
    const at = { tenant: this.store.tenant, threadId, name, dueAt, openedAt };
    const raw = this.store.database.get<Raw>(EVENTS.kept, at);
    if (raw !== undefined) this.give(this.eventOf(raw), wait);
  }

  private give({ number, id: eventId }: EventRow, { id }: WaitRow): void {
    const { database, tenant } = this.store;
    if (database.run(EVENTS.give, { number, waitId: id }).changes === 0) return;
    database.run(WAITS.arrive, { tenant, id, eventId });
  }
}

function isLive(
  wait: WaitRow | undefined,
  { threadId, name, now }: { threadId: string; name: string; now: number },
): wait is WaitRow {
  if (wait?.kind !== "event" || wait.threadId !== threadId || wait.name !== name) return false;
  return wait.state === "waiting" && (wait.dueAt === null || wait.dueAt > now);
}
