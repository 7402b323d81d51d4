export { effect, type Effect } from "./effect.js";
export type { EffectContext, EffectDefinition, RetryPolicy } from "./definition.js";
export type { CircuitPolicy } from "./circuit.js";
export { autoKey, type AutoKey, type OnReplay } from "./key.js";
export { absent, failed, succeeded, unknown, type Outcome, type Verdict } from "./outcome.js";
export { durable, type DurableOptions } from "./durable.js";
export { Ledger, ledgerOf, memoryLedger, setLedger } from "./ledger.js";
export { reconcile, type Reconciled, type ReconcileReport } from "./reconcile.js";
export { resolve } from "./resolve.js";
export { compensate, type CompensateOptions, type CompensationReport, type CompensationStep } from "./compensate.js";
export type { Resolution } from "./resolution.js";
export type { UnknownEffect } from "./unknown-question.js";
export type { LatchMatter } from "./latch.js";
export type { EffectId, EffectState } from "./effect-row.js";
export {
  AutoKeyError,
  CircuitOpenError,
  CompensatedError,
  EffectClosedError,
  EffectDefinitionError,
  EffectFailedError,
  EffectInProgressError,
  EffectLatchedError,
  EffectNotDueError,
  EffectNotFoundError,
  EffectTimeoutError,
  IdempotencyConflictError,
  InterruptSwallowedError,
  LedgerUnavailableError,
  NoLedgerError,
  ResultNotStorableError,
  StaleFenceError,
  UnknownOutcomeError,
  type RecordedError,
} from "./errors.js";
export { memo, now, random, uuid } from "./memo.js";
export { MemoConflictError, MemoUseError } from "./memo-errors.js";
export { requestApproval, type ApprovalOptions } from "./request-approval.js";
export { approvalNode, type ApprovalNodeOptions, type PerformContext, type Proposal } from "./approval-node.js";
export { safeNode, type Defer, type SafeNodeTools } from "./safe-node.js";
export { decide, pendingApprovals, type DecideResult, type NotApplied } from "./decide.js";
export { resume, type ResumableGraph, type ResumedValues, type ResumeResult } from "./resume.js";
export type { PendingQuestion } from "./pending-questions.js";
export { sleepUntil } from "./sleep-until.js";
export { waitForEvent, type EventOptions } from "./wait-for-event.js";
export { retryLater, type RetryLaterOptions } from "./retry-later.js";
export { deliverEvent, type DeliverResult, type EventInput } from "./deliver-event.js";
export { pendingWaits } from "./pending-waits.js";
export type { Event, TimedOut, Wait, WaitKind, WaitReference, WaitRequest } from "./wait.js";
export { RetriesExhaustedError } from "./wait-errors.js";
export { effectContextOf, safeTools } from "./safe-tools.js";
export { safeToolsMiddleware } from "./safe-tools-middleware.js";
export { SafeToolNode } from "./safe-tool-node.js";
export type { ToolApproval, ToolArgs, ToolCallContext, ToolPolicy, ToolRule } from "./tool-policy.js";
export type {
  Approval,
  ApprovalMode,
  ApprovalOrigin,
  ApprovalPolicy,
  ApprovalState,
  AskFrequency,
  Decision,
  DecisionInput,
  DecisionType,
  Identify,
  Notify,
  Rejection,
} from "./approval.js";
export type { ActionRequest, ApprovalReference, ApprovalRequest, ReviewConfig } from "./approval-question.js";
export {
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  ApprovalExpiredError,
  ApprovalMismatchError,
  ApprovalNotFoundError,
  ApprovalRejectedError,
  InvalidAnswerError,
  ThreadFinishedError,
  UnknownQuestionError,
  UnknownThreadError,
} from "./approval-errors.js";
