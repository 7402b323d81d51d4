import type { Approval, DecisionType } from "./approval.js";

/** One approval's share of an answer. */
export type Share =
  /** Nothing in the answer is meant for this approval. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly problem: string }
  | {
      readonly kind: "decision";
      readonly decision: ReadDecision;
      /** True when the answer names the approval, and does not merely stand at its position. */
      readonly named: boolean;
    };

/** A decision of the right shape. */
export type ReadDecision = { readonly actionHash?: string } & (
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly args: unknown; readonly name?: string }
  | { readonly type: "reject"; readonly reason?: string }
  | { readonly type: "respond"; readonly message: string }
);

/** What wakes a question that was decided elsewhere: it says so, and decides nothing. */
export interface WakeUp {
  readonly decidedElsewhere: readonly string[];
}

const ABSENT: Share = { kind: "absent" };

const EXPECTED =
  'Expected { decisions: [{ type: "approve" | "edit" | "reject", ... }] }, one decision for each action in order, ' +
  "or a record of decisions by approval id.";

/**
 * Splits the answer to one question among the approvals it asked for. Accepted are langchain's
 * `{ decisions: [...] }` by position, a record by approval id (bare or under `decisions`), and for a single approval
 * the bare decision.
 */
export function readAnswer(answer: unknown, ids: readonly string[]): Share[] {
  if (isWakeUp(answer)) return ids.map(() => ABSENT);
  const only = ids.length === 1 ? ids[0] : undefined;
  if (only !== undefined && isRecord(answer) && typeof answer.type === "string") return [readShare(answer, only)];
  const decisions = isRecord(answer) && "decisions" in answer ? answer.decisions : answer;
  if (Array.isArray(decisions)) return readPositions(decisions, ids, namedIds(answer));
  if (isRecord(decisions)) return readNames(decisions, ids);
  return ids.map(() => unreadable(`The answer ${show(answer)} has the wrong shape. ${EXPECTED}`));
}

/** Reads one decision, as `decide` is given it; the problem as a sentence when it has the wrong shape. */
export function readDecision(input: unknown): ReadDecision | string {
  if (!isRecord(input)) return `The decision ${show(input)} has the wrong shape. ${EXPECTED}`;
  const hash = input.actionHash;
  if (hash !== undefined && typeof hash !== "string") return "The actionHash of a decision must be a text.";
  const decision = readByType(input);
  return typeof decision === "string" || hash === undefined ? decision : { ...decision, actionHash: hash };
}

/** Why this decision cannot be taken on this approval, whoever gives it; undefined when it can. */
export function objection(decision: ReadDecision, approval: Approval): string | undefined {
  if (!approval.allowedDecisions.includes(decision.type)) {
    return `The decision "${decision.type}" is not allowed for "${approval.action}"; allowed: ${approval.allowedDecisions.join(", ")}.`;
  }
  if (decision.actionHash !== undefined && decision.actionHash !== approval.actionHash) {
    return `The decision was made on another version of the action "${approval.action}" (its actionHash differs).`;
  }
  if (decision.type === "edit" && decision.name !== undefined && decision.name !== approval.action) {
    return `An edit may change the arguments of "${approval.action}", not turn it into "${decision.name}". Reject it instead.`;
  }
  return undefined;
}

/** Why `by` may not decide; undefined when they may. */
export function foreign(by: string | undefined, approval: Approval): string | undefined {
  if (approval.approvers === undefined || (by !== undefined && approval.approvers.includes(by))) return undefined;
  return `${by === undefined ? "Nobody known" : JSON.stringify(by)} may not decide on this; approvers: ${approval.approvers.join(", ")}.`;
}

export function isWakeUp(answer: unknown): answer is WakeUp {
  return isRecord(answer) && Array.isArray(answer.decidedElsewhere);
}

function readByType(input: Record<string, unknown>): ReadDecision | string {
  switch (input.type as DecisionType) {
    case "approve":
      return { type: "approve" };
    case "edit":
      return readEdit(input);
    case "reject": {
      const reason = input.message ?? input.reason;
      if (reason === undefined) return { type: "reject" };
      return typeof reason === "string" ? { type: "reject", reason } : "The message of a rejection must be a text.";
    }
    case "respond": {
      const message = input.message;
      return typeof message === "string"
        ? { type: "respond", message }
        : "A response needs a message, which is a text.";
    }
    default:
      return `The decision type ${show(input.type)} is not known. ${EXPECTED}`;
  }
}

function readEdit(input: Record<string, unknown>): ReadDecision | string {
  const edited = input.editedAction;
  if (edited === undefined) return "args" in input ? { type: "edit", args: input.args } : "An edit needs args.";
  if (!isRecord(edited) || !("args" in edited)) return "editedAction must be { name, args }.";
  const name = edited.name;
  if (name !== undefined && typeof name !== "string") return "The name of an editedAction must be a text.";
  return name === undefined ? { type: "edit", args: edited.args } : { type: "edit", args: edited.args, name };
}

function readPositions(decisions: unknown[], ids: readonly string[], names: readonly unknown[]): Share[] {
  if (decisions.length !== ids.length) {
    return ids.map(() =>
      unreadable(`The answer holds ${decisions.length} decisions for ${ids.length} actions. ${EXPECTED}`),
    );
  }
  return ids.map((id, index) => readShare(decisions[index], id, names[index]));
}

function readNames(decisions: Record<string, unknown>, ids: readonly string[]): Share[] {
  const strangers = Object.keys(decisions).filter((name) => !ids.includes(name));
  if (strangers.length > 0 || Object.keys(decisions).length === 0) {
    return ids.map(() => unreadable(`The answer ${show(decisions)} has the wrong shape. ${EXPECTED}`));
  }
  return ids.map((id) => (Object.hasOwn(decisions, id) ? readShare(decisions[id], id, id) : ABSENT));
}

function readShare(input: unknown, id: string, name?: unknown): Share {
  const said = (isRecord(input) ? input.approvalId : undefined) ?? name;
  if (said !== undefined && said !== id)
    return unreadable(`The answer names the approval ${show(said)}; asked was ${id}.`);
  const decision = readDecision(input);
  return typeof decision === "string" ? unreadable(decision) : { kind: "decision", decision, named: said === id };
}

/** `approvals: [ids]` (or the entries of the payload themselves) beside positional decisions names them. */
function namedIds(answer: unknown): readonly unknown[] {
  const approvals = isRecord(answer) ? answer.approvals : undefined;
  if (!Array.isArray(approvals)) return [];
  return approvals.map((entry: unknown) => (isRecord(entry) ? entry.id : entry));
}

function unreadable(problem: string): Share {
  return { kind: "unreadable", problem };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LONGEST = 200;

function show(value: unknown): string {
  const text = textOf(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function textOf(value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? typeof value;
  } catch {
    return Object.prototype.toString.call(value);
  }
}
