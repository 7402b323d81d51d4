import { WaypointError } from "../shared/errors.js";

/** The thread was never run, or its id is wrong. LangGraph itself would answer with an empty state and no error. */
export class UnknownThreadError extends WaypointError {
  readonly code = "UNKNOWN_THREAD";
}

/** The thread has nothing left to run, so an answer would be ignored. */
export class ThreadFinishedError extends WaypointError {
  readonly code = "THREAD_FINISHED";
}

/** The answer names no question that this thread asks or ever asked. */
export class UnknownQuestionError extends WaypointError {
  readonly code = "UNKNOWN_QUESTION";
}

/** The question was decided before, or is not asked any more. */
export class AlreadyAnsweredError extends WaypointError {
  readonly code = "ALREADY_ANSWERED";
}

/** It cannot be told which question is meant: two carry one id, or one is answered twice. */
export class AmbiguousAnswerError extends WaypointError {
  readonly code = "AMBIGUOUS_ANSWER";
}

/** The answer has the wrong shape, or is one that this question does not allow. */
export class InvalidAnswerError extends WaypointError {
  readonly code = "INVALID_ANSWER";
}

/** No approval has this id. */
export class ApprovalNotFoundError extends WaypointError {
  readonly code = "APPROVAL_NOT_FOUND";
}

/** What is about to happen is not what was approved; it was not sent. */
export class ApprovalMismatchError extends WaypointError {
  readonly code = "APPROVAL_MISMATCH";
}

/** The approval was given, but is too old by now; nothing was sent. */
export class ApprovalExpiredError extends WaypointError {
  readonly code = "APPROVAL_EXPIRED";
}

/** Nobody approved this action, or somebody rejected it; nothing was sent. */
export class ApprovalRejectedError extends WaypointError {
  readonly code = "APPROVAL_REJECTED";
}
