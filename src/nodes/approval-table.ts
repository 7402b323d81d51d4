import { randomUUID } from "node:crypto";
import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
import { APPROVALS } from "../store/sqlite/approval-statements.js";
import { approvalFrom } from "./approval-row.js";
import type { ApprovalRow } from "./approval-row.js";
import type { Approval, ApprovalMode, ApprovalOrigin, ApprovalState, DecisionType } from "./approval.js";

/** What is frozen when a question is first asked. */
export interface ApprovalDraft {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly superstep: string;
  readonly visit: string;
  readonly slot: string;
  readonly origin: ApprovalOrigin;
  readonly toolCallId?: string | undefined;
  readonly action: string;
  /** Canonical JSON. */
  readonly args: string;
  readonly argsHash: string;
  readonly summary?: string | undefined;
  readonly actionHash: string;
  readonly planVersion?: string | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly allowed: readonly DecisionType[];
  readonly mode: ApprovalMode;
  readonly decideWithin?: number | undefined;
  readonly validFor?: number | undefined;
  /** Why it is asked for again, where it takes the place of another. */
  readonly problem?: string | undefined;
}

const AGAIN = "again:";

/** A decision that was read, checked and hashed, ready to be written. */
export interface Settlement {
  readonly state: Exclude<ApprovalState, "pending" | "expired">;
  /** Canonical JSON of what may run now; only for `approved` and `edited`. */
  readonly args?: string;
  readonly hash?: string;
  readonly reason?: string;
  readonly by?: string;
}

/** The approvals of one tenant. Every move is one conditional statement; what a method returns is what the row says now. */
export class ApprovalTable {
  constructor(private readonly store: Store) {}

  /** The slot of the approval that takes another's place. */
  static slotAfter(id: string): string {
    return `${AGAIN}${id}`;
  }

  /** The approval whose place the one in this slot took; undefined for a first question. */
  static before(slot: string): string | undefined {
    return slot.startsWith(AGAIN) ? slot.slice(AGAIN.length) : undefined;
  }

  /**
   * Writes the row, synced to disk, unless the slot has one already; returns the row that stands. `mayOpen` is asked in
   * the same transaction; undefined when it refuses.
   */
  open(draft: ApprovalDraft, mayOpen: () => boolean = () => true): Approval | undefined {
    const { database, tenant, clock } = this.store;
    const standing = () => database.get<ApprovalRow>(APPROVALS.bySlot, tenant, draft.threadId, draft.visit, draft.slot);
    const before = standing();
    if (before !== undefined) return this.approvalOf(before);
    const now = clock.now();
    const id = randomUUID();
    const row = this.sealed(id);
    database.transaction(
      () =>
        mayOpen() &&
        database.run(
          APPROVALS.insert,
          id,
          tenant,
          draft.threadId,
          draft.checkpointNs,
          draft.superstep,
          draft.visit,
          draft.slot,
          draft.origin,
          draft.toolCallId ?? null,
          row.seal("action", draft.action),
          row.seal("args", draft.args),
          row.seal("args_hash", draft.argsHash),
          row.seal("summary", draft.summary ?? null),
          row.seal("action_hash", draft.actionHash),
          row.seal("plan_version", draft.planVersion ?? null),
          row.seal("approvers", json(draft.approvers)),
          JSON.stringify(draft.allowed),
          draft.mode,
          draft.decideWithin === undefined ? null : now + draft.decideWithin,
          draft.validFor ?? null,
          row.seal("problem", draft.problem ?? null),
          now,
        ),
      { durable: true },
    );
    const after = standing();
    return after && this.approvalOf(after);
  }

  find(id: string): Approval | undefined {
    const row = this.row(id);
    return row && this.approvalOf(row);
  }

  /** The approval that took this one's place, which allows nothing from then on. */
  follower(id: string, threadId: string): Approval | undefined {
    const { database, tenant } = this.store;
    const row = database.get<ApprovalRow>(APPROVALS.follower, tenant, threadId, ApprovalTable.slotAfter(id));
    return row && this.approvalOf(row);
  }

  /** In the order in which they were first asked. */
  ofVisit(threadId: string, visit: string): Approval[] {
    return this.store.database
      .all<ApprovalRow>(APPROVALS.ofVisit, this.store.tenant, threadId, visit)
      .map((row) => this.approvalOf(row));
  }

  /** Newest first. */
  ofToolCall(threadId: string, toolCallId: string): Approval[] {
    return this.store.database
      .all<ApprovalRow>(APPROVALS.ofCall, this.store.tenant, threadId, toolCallId)
      .map((row) => this.approvalOf(row));
  }

  pending(threadId?: string): Approval[] {
    const { database, tenant } = this.store;
    const rows =
      threadId === undefined
        ? database.all<ApprovalRow>(APPROVALS.pending, tenant)
        : database.all<ApprovalRow>(APPROVALS.pendingOfThread, tenant, threadId);
    return rows.map((row) => this.approvalOf(row));
  }

  /** How many approvals of other tasks wait in the same superstep. */
  pendingBesides(id: string): number {
    return this.store.database.get<{ n: number }>(APPROVALS.besides, id)?.n ?? 0;
  }

  /** Decides a pending approval that is not past its time; false when there is none. Synced to disk. */
  settle(id: string, settlement: Settlement): boolean {
    const { database, tenant, clock } = this.store;
    const now = clock.now();
    const row = this.sealed(id);
    const { changes } = database.transaction(
      () =>
        database.run(
          APPROVALS.settle,
          settlement.state,
          row.seal("decided_args", settlement.args ?? null),
          row.seal("decided_hash", settlement.hash ?? null),
          row.seal("reason", settlement.reason ?? null),
          row.seal("decided_by", settlement.by ?? null),
          now,
          now,
          tenant,
          id,
          now,
        ),
      { durable: true },
    );
    return changes === 1;
  }

  /** Expires a pending approval whose time to decide is over; false when that is not so. */
  expire(id: string): boolean {
    const now = this.store.clock.now();
    return this.store.database.run(APPROVALS.expire, now, this.store.tenant, id, now).changes === 1;
  }

  /** How many answers to this question have been looked at; each is looked at once. */
  answersJudged(id: string): number {
    return this.row(id)?.answers_judged ?? 0;
  }

  /** Notes that answers up to `count` were looked at, and what was wrong with the last of them. */
  judged(id: string, count: number, problem?: string): void {
    const sealed = this.sealed(id).seal("problem", problem ?? null);
    this.store.database.run(APPROVALS.judge, count, sealed, this.store.tenant, id, count);
  }

  /** Asks again after an edit that turned out to be invalid, unless it was used already. */
  reopen(id: string, problem: string): void {
    const sealed = this.sealed(id).seal("problem", problem);
    this.store.database.run(APPROVALS.reopen, sealed, this.store.tenant, id);
  }

  /** Marks the approval as spent on `effect`; false when another effect was first. */
  use(id: string, effect: string, visit: string): boolean {
    const { database, tenant } = this.store;
    database.run(APPROVALS.use, effect, visit, tenant, id);
    return this.row(id)?.used_by === effect;
  }

  /** True for the one caller who is to notify. */
  claimNotice(id: string): number | undefined {
    const now = this.store.clock.now();
    return this.store.database.run(APPROVALS.claimNotice, now, this.store.tenant, id).changes === 1 ? now : undefined;
  }

  releaseNotice(id: string, claim: number): void {
    this.store.database.run(APPROVALS.releaseNotice, this.store.tenant, id, claim);
  }

  private row(id: string): ApprovalRow | undefined {
    return this.store.database.get<ApprovalRow>(APPROVALS.byId, this.store.tenant, id);
  }

  private approvalOf(row: ApprovalRow): Approval {
    return approvalFrom(this.sealed(row.id).open(row));
  }

  private sealed(id: string): SealedRow<"approval"> {
    return new SealedRow(this.store, "approval", [id]);
  }
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
