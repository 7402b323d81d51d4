import type { Approval, DecisionType } from "./approval.js";
import { readAnswer, type Share } from "./decision.js";
import { registerRenderer, type Question } from "./slots.js";

/** What an interrupt for approvals carries: langchain's `HITLRequest`, and what binds an answer to it. */
export interface ApprovalRequest {
  readonly actionRequests: readonly ActionRequest[];
  readonly reviewConfigs: readonly ReviewConfig[];
  /** One for each action, in the same order. */
  readonly approvals: readonly ApprovalReference[];
  /** Why the last answer did not decide. */
  readonly problem?: string;
}

export interface ActionRequest {
  readonly name: string;
  readonly args: unknown;
  readonly description: string;
}

export interface ReviewConfig {
  readonly actionName: string;
  readonly allowedDecisions: readonly DecisionType[];
}

export interface ApprovalReference {
  readonly id: string;
  readonly actionHash: string;
  readonly mode: Approval["mode"];
  readonly decideBy?: string;
  readonly planVersion?: string;
  readonly approvers?: readonly string[];
  readonly toolCallId?: string;
  readonly standsFor?: "run";
}

/** One approval's part of a request. */
interface Part extends Record<string, unknown> {
  readonly request: ActionRequest;
  readonly review: ReviewConfig;
  readonly approval: ApprovalReference;
  readonly problem?: string;
  /** Its place among the questions that are asked together: the order in which the code started them. */
  readonly order: number;
}

/** The question for one approval, told from its frozen row alone, so that every re-run asks the same. */
export function questionFor(approval: Approval, place: string, order: number): Question {
  const part: Part = {
    request: { name: approval.action, args: approval.args, description: describe(approval) },
    review: { actionName: approval.action, allowedDecisions: approval.allowedDecisions },
    approval: reference(approval),
    order,
    ...(approval.problem === undefined ? {} : { problem: approval.problem }),
  };
  return { kind: "approval", place, payload: part };
}

/** Several approvals that are asked at one time become one request, answered by position or by id. */
export function combineApprovals(questions: readonly Question[]): ApprovalRequest & Record<string, unknown> {
  const parts = inOrder(questions).map(partOf);
  const problems = [...new Set(parts.flatMap((part) => part.problem ?? []))];
  return {
    actionRequests: parts.map((part) => part.request),
    reviewConfigs: parts.map((part) => part.review),
    approvals: parts.map((part) => part.approval),
    ...(problems.length === 0 ? {} : { problem: problems.join("\n") }),
  };
}

/** Each approval's share of the answer. */
export function splitApprovals(answer: unknown, questions: readonly Question[]): Share[] {
  const ordered = inOrder(questions);
  const shares = readAnswer(
    answer,
    ordered.map((question) => partOf(question).approval.id),
  );
  return questions.map((question) => shares[ordered.indexOf(question)] as Share);
}

function inOrder(questions: readonly Question[]): Question[] {
  return questions.toSorted((one, other) => partOf(one).order - partOf(other).order);
}

function partOf(question: Question): Part {
  return question.payload as Part;
}

registerRenderer("approval", { combine: combineApprovals, split: splitApprovals });

/** Arguments first: they are what runs. The summary is the model's word about them. */
function describe({ action, args, summary, toolCallId, standsFor }: Approval): string {
  const [title, label] = toolCallId === undefined ? ["Action", "Action"] : ["Tool execution", "Tool"];
  const text = `${title} requires approval\n\n${label}: ${action}\nArgs: ${JSON.stringify(args, null, 2)}`;
  const range = standsFor === "run" ? `\n\n${standing(action)}` : "";
  return summary === undefined ? `${text}${range}` : `${text}${range}\n\nSummary: ${summary}`;
}

/** @internal What a person is told who approves for a whole run. */
export function standing(action: string): string {
  return `Approving allows every later "${action}" of this run, whatever its arguments.`;
}

function reference(approval: Approval): ApprovalReference {
  const { id, actionHash, mode, decideBy, planVersion, approvers, toolCallId, standsFor } = approval;
  return {
    id,
    actionHash,
    mode,
    ...(decideBy === undefined ? {} : { decideBy }),
    ...(planVersion === undefined ? {} : { planVersion }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(standsFor === undefined ? {} : { standsFor }),
  };
}
