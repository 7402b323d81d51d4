export { createLoopDetector, detectLoops, type LoopDetector } from "./detect.js";
export { fingerprint, type Fingerprint, type FingerprintedCall } from "./fingerprint.js";
export { LoopOptionsError, LoopTrippedError } from "./errors.js";
export type {
  DetectorOptions,
  LoopOptions,
  LoopOverrides,
  PartialThresholds,
  ToolLoopOptions,
  ToolOutcome,
  TripAction,
} from "./options.js";
export type { LoopState } from "./loop-state.js";
export type { DetectorName, Threshold, Thresholds } from "./thresholds.js";
export type { Evidence, LoopClass, Verdict } from "./verdict.js";
export { classifyError, type ErrorClass } from "../shared/classify.js";
export { loopGuard } from "./loop-guard.js";
export { loopGuardEnded, loopGuardNode, loopGuardState, withReminder } from "./loop-node.js";
export type { GuardedState, LoopUpdate } from "./loop-node.js";
export type { LoopDecision, LoopHandoff } from "./handoff.js";
export type { Tried } from "./tried.js";
