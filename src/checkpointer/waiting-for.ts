import type { ApprovalSummary, EffectSummary, WaitSummary } from "../store/sqlite/overview.js";

/** One thing that a thread waits for. */
export interface PositionWait {
  /**
   * `approval`: a row that `decide` can settle. `wait`: a moment or an event that nobody has to answer. `question`: whatever a
   * node asked by `interrupt()`.
   */
  readonly kind: "approval" | "wait" | "question";
  readonly id: string | undefined;
  /** Of a wait: `sleep`, `event` or `retry`, with the name that the code gave it. */
  readonly what: string;
  readonly decideBy?: string;
  /** Of a wait: when it is over, if it ends by itself. */
  readonly until?: string;
  /** Of a retry: why. */
  readonly reason?: string;
}

/** What an `interrupt()` asks. */
export interface AskedQuestion {
  readonly id: string | undefined;
  readonly value: unknown;
}

/** Approvals, waits and unknown effects as their rows say; every other question as it was asked. */
export function waitingFor(
  questions: readonly AskedQuestion[],
  approvals: readonly ApprovalSummary[],
  effects: readonly EffectSummary[],
  open: readonly WaitSummary[],
): PositionWait[] {
  const rows = approvals.map((approval): PositionWait => ({
    kind: "approval",
    id: approval.id,
    what: approval.summary ?? approval.action,
    ...(approval.decideBy === null ? {} : { decideBy: iso(approval.decideBy) }),
  }));
  const asked = new Set(questions.flatMap(({ value }) => waitIdsIn(value)));
  const waits = open.filter(({ id }) => asked.has(id)).map(inPosition);
  const others = questions
    .filter(({ value }) => !isApproval(value) && !isWait(value) && !isSettled(value, effects))
    .map(({ id, value }): PositionWait => ({ kind: "question", id, what: inWords(value) }));
  return [...rows, ...waits, ...others];
}

function inPosition({ id, kind, name, dueAt, reason }: WaitSummary): PositionWait {
  return {
    kind: "wait",
    id,
    what: name === "" ? kind : `${kind} ${name}`,
    ...(dueAt === null ? {} : { until: iso(dueAt) }),
    ...(reason === null ? {} : { reason }),
  };
}

function waitIdsIn(value: unknown): unknown[] {
  const { waits } = (value ?? {}) as { waits?: unknown };
  return isWait(value) && Array.isArray(waits) ? waits.map((wait: { id?: unknown } | null) => wait?.id) : [];
}

function isWait(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as { type?: unknown }).type === "waypoint.wait";
}

function isApproval(value: unknown): boolean {
  return typeof value === "object" && value !== null && "approvals" in value;
}

/** A question about unknown outcomes whose effects were all settled since. */
function isSettled(value: unknown, effects: readonly EffectSummary[]): boolean {
  const { type, effects: asked } = (value ?? {}) as { type?: unknown; effects?: unknown };
  if (type !== "waypoint.unknown_effect" || !Array.isArray(asked)) return false;
  const open = effects.filter(({ state }) => state === "UNKNOWN" || state === "STARTED").map(({ id }) => id);
  return (asked as { effectId: string }[]).every(({ effectId }) => !open.includes(effectId));
}

function inWords(value: unknown): string {
  if (typeof value === "string") return value;
  const { type, question, effects } = (value ?? {}) as { type?: unknown; question?: unknown; effects?: unknown };
  if (typeof question === "string") return question;
  const names = Array.isArray(effects) ? effects.map((effect) => String((effect as { name?: unknown }).name)) : [];
  if (typeof type === "string") return names.length > 0 ? `${type}: ${names.join(", ")}` : type;
  return value === undefined ? "a question" : asJson(value);
}

/** As JSON, also where there is a BigInt in it. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
