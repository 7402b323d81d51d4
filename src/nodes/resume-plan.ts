import type { Approval } from "./approval.js";
import {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  ApprovalExpiredError,
  InvalidAnswerError,
  UnknownQuestionError,
} from "./approval-errors.js";
import { objection, readAnswer, readDecision, type ReadDecision, type WakeUp } from "./decision.js";
import { problemWithAnswer } from "./open-matters.js";
import type { OpenQuestions, PendingQuestion } from "./pending-questions.js";
import type { WaitRow } from "./wait.js";
import { planWaits, type EventForWait, type WaitPlan } from "./wait-plan.js";

/** All that is known before anything is changed. */
export interface ResumeInput extends OpenQuestions {
  readonly threadId: string;
  readonly answers: Readonly<Record<string, unknown>>;
  /** Rows of the approvals that are asked or named; undefined where no ledger was found. */
  readonly approvals: ReadonlyMap<string, Approval> | undefined;
  /** Rows of the waits that are asked about, as far as they were found. */
  readonly waits: ReadonlyMap<string, WaitRow>;
  /** Questions that are settled by other means, such as an effect whose outcome is known by now. */
  readonly isSettledElsewhere: (question: PendingQuestion) => boolean;
  readonly now: number;
}

export interface ResumePlan {
  /** Decisions on open approvals: written to their rows first, all or none. */
  readonly settle: readonly { readonly approval: Approval; readonly decision: ReadDecision }[];
  /** Events for open waits: written down first as well. */
  readonly deliver: readonly EventForWait[];
  /** What each question is answered with, by interrupt id. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Questions that nothing answers, but whose node is to run again. */
  readonly again: readonly PendingQuestion[];
}

/**
 * Decides what a resume does, or refuses it; a function of its input.
 *
 * @throws UnknownQuestionError, AlreadyAnsweredError, AmbiguousAnswerError, InvalidAnswerError, ApprovalExpiredError
 */
export function planResume(input: ResumeInput): ResumePlan {
  const given = assign(input);
  const settle: { approval: Approval; decision: ReadDecision }[] = [];
  const deliver: EventForWait[] = [];
  const values: Record<string, unknown> = {};
  const again: PendingQuestion[] = [];
  for (const question of input.pending) {
    const answer = given.get(question);
    const waiting = question.waitIds.length > 0 ? planWaits(question, answer, input) : undefined;
    deliver.push(...(waiting?.deliver ?? []));
    if (waiting?.next === "again") again.push(question);
    const value = waiting === undefined ? answerTo(question, answer, input, settle) : valueFor(waiting);
    if (value === undefined) continue;
    refuseTwins(question, input);
    values[question.interruptId] = value;
  }
  return { settle, deliver, values, again };
}

function valueFor({ next }: WaitPlan): unknown {
  return typeof next === "object" ? next.value : undefined;
}

function answerTo(
  question: PendingQuestion,
  given: Given | undefined,
  input: ResumeInput,
  settle: { approval: Approval; decision: ReadDecision }[],
): unknown {
  return input.approvals !== undefined && question.approvalIds.length > 0
    ? answerApprovals(question, given, input, settle)
    : answerForeign(question, given, input);
}

/** One question's answer: to the whole, or to some of its approvals or waits by id. */
interface Given {
  whole?: unknown;
  readonly parts: Map<string, unknown>;
}

function assign(input: ResumeInput): Map<PendingQuestion, Given> {
  const given = new Map<PendingQuestion, Given>();
  for (const [name, answer] of Object.entries(input.answers)) {
    const question = find(name, input);
    if (answer === undefined) throw invalid(input, `The answer to "${name}" is undefined.`);
    const before = given.get(question) ?? { parts: new Map<string, unknown>() };
    given.set(question, before);
    if (question.interruptId === name) before.whole = answer;
    else before.parts.set(name, answer);
    if (before.whole !== undefined && before.parts.size > 0) throw answeredTwice(question, input);
  }
  return given;
}

function find(name: string, input: ResumeInput): PendingQuestion {
  const found = input.pending.find((one) => namesOf(one).includes(name));
  if (found !== undefined) return found;
  const details = { details: { threadId: input.threadId, question: name } };
  const approval = input.approvals?.get(name);
  if (input.answered.includes(name) || (approval !== undefined && approval.state !== "pending")) {
    throw new AlreadyAnsweredError(
      `"${name}" was answered before${approval === undefined ? "" : ` (${approval.state})`}; nothing was changed in thread "${input.threadId}". ` +
        "Call resume() without this answer to continue.",
      details,
    );
  }
  if (approval !== undefined && approval.threadId !== input.threadId) {
    throw new UnknownQuestionError(
      `The approval "${name}" belongs to thread "${approval.threadId}", not to "${input.threadId}". Nothing was changed. ` +
        `Answer it with { configurable: { thread_id: ${JSON.stringify(approval.threadId)} } }, or with decide().`,
      details,
    );
  }
  throw new UnknownQuestionError(
    `Thread "${input.threadId}" does not ask "${name}"${approval === undefined ? "" : " any more: its state was changed since"}. ` +
      `It asks: ${names(input.pending)}. Nothing was changed. ${pendingHint(input)}`,
    details,
  );
}

/** A question that is not about approvals gets what was given. */
function answerForeign(question: PendingQuestion, given: Given | undefined, input: ResumeInput): unknown {
  if (given?.whole !== undefined) {
    const wrong = problemWithAnswer(question, given.whole);
    if (wrong !== undefined) throw invalid(input, wrong, question.interruptId);
    return given.whole;
  }
  if (given !== undefined) return { decisions: Object.fromEntries(given.parts) };
  return input.isSettledElsewhere(question) ? wakeUp([]) : undefined;
}

/** What to answer a question about approvals with; undefined leaves it waiting. */
function answerApprovals(
  question: PendingQuestion,
  given: Given | undefined,
  input: ResumeInput,
  settle: { approval: Approval; decision: ReadDecision }[],
): unknown {
  const decisions = given === undefined ? new Map<string, ReadDecision>() : readGiven(question, given, input);
  const forTheRun: Record<string, unknown> = {};
  let waiting = 0;
  for (const id of question.approvalIds) {
    const approval = input.approvals?.get(id);
    const decision = decisions.get(id);
    if (decision !== undefined) check(decision, approval, input);
    if (decision !== undefined && (approval === undefined || approval.mode === "bound")) forTheRun[id] = decision;
    else if (decision !== undefined && approval !== undefined) settle.push({ approval, decision });
    else if (approval === undefined || (approval.state === "pending" && !isLate(approval, input.now))) waiting += 1;
  }
  if (Object.keys(forTheRun).length > 0) return { decisions: forTheRun };
  return waiting === 0 ? wakeUp(question.approvalIds) : undefined;
}

function readGiven(question: PendingQuestion, given: Given, input: ResumeInput): Map<string, ReadDecision> {
  const read = new Map<string, ReadDecision>();
  if (given.whole !== undefined) {
    readAnswer(given.whole, question.approvalIds).forEach((share, index) => {
      if (share.kind === "unreadable") throw invalid(input, share.problem, question.interruptId);
      if (share.kind === "decision") read.set(question.approvalIds[index] as string, share.decision);
    });
  }
  for (const [id, part] of given.parts) {
    const decision = readDecision(part);
    if (typeof decision === "string") throw invalid(input, decision, id);
    read.set(id, decision);
  }
  return read;
}

function check(decision: ReadDecision, approval: Approval | undefined, input: ResumeInput): void {
  if (approval === undefined) return;
  const details = { details: { threadId: input.threadId, approvalId: approval.id } };
  if (approval.state !== "pending") {
    throw new AlreadyAnsweredError(
      `The approval "${approval.id}" of "${approval.action}" in thread "${input.threadId}" was decided before (${approval.state}). ` +
        "Nothing was changed. Answer the rest by approval id, or call resume() without answers.",
      details,
    );
  }
  if (isLate(approval, input.now)) {
    throw new ApprovalExpiredError(
      `The approval "${approval.id}" of "${approval.action}" in thread "${input.threadId}" had to be decided by ${approval.decideBy}. ` +
        "Nothing was changed. Call resume() without this answer: the run then continues with it expired.",
      details,
    );
  }
  const wrong = objection(decision, approval);
  if (wrong !== undefined) throw invalid(input, wrong, approval.id);
}

/** LangGraph takes answers by interrupt id, so that two questions with one id could not be told apart. */
function refuseTwins(question: PendingQuestion, input: ResumeInput): void {
  if (input.pending.filter((one) => one.interruptId === question.interruptId).length < 2) return;
  throw new AmbiguousAnswerError(
    `Thread "${input.threadId}" asks two questions with the one id "${question.interruptId}"; an answer would reach both. ` +
      "Nothing was changed. Give each parallel branch its own task (Send or a node of its own).",
    { details: { threadId: input.threadId, question: question.interruptId } },
  );
}

function answeredTwice(question: PendingQuestion, { threadId }: ResumeInput): AmbiguousAnswerError {
  return new AmbiguousAnswerError(
    `The question "${question.interruptId}" of thread "${threadId}" is answered twice, by its interrupt id and by approval id. ` +
      "Nothing was changed. Give one answer.",
    { details: { threadId, question: question.interruptId } },
  );
}

function invalid({ threadId }: ResumeInput, problem: string, question?: string): InvalidAnswerError {
  const to = question === undefined ? "" : ` to "${question}"`;
  return new InvalidAnswerError(
    `The answer${to} cannot be used in thread "${threadId}": ${problem} Nothing was changed.`,
    {
      details: { threadId, ...(question === undefined ? {} : { question }) },
    },
  );
}

function isLate(approval: Approval, now: number): boolean {
  return approval.decideBy !== undefined && Date.parse(approval.decideBy) < now;
}

function wakeUp(decidedElsewhere: readonly string[]): WakeUp {
  return { decidedElsewhere };
}

function pendingHint({ pending }: ResumeInput): string {
  return pending.length === 0
    ? "Call resume() without answers to continue."
    : "Answer by one of these ids; resume() without answers returns the questions.";
}

function names(pending: readonly PendingQuestion[]): string {
  if (pending.length === 0) return "nothing";
  return pending.map((one) => namesOf(one).join(" / ")).join(", ");
}

function namesOf({ interruptId, approvalIds, waitIds }: PendingQuestion): string[] {
  return [interruptId, ...approvalIds, ...waitIds];
}
