export { SlimSaver } from "./slim-saver.js";
export type { SlimSaverOptions } from "./saver.js";
export type { Concurrency } from "./head.js";
export type {
  Position,
  PositionEffect,
  PositionReference,
  PositionSelectors,
  PositionTodo,
  PositionWait,
} from "./position.js";
export {
  CorruptObjectError,
  ImportMismatchError,
  NotDurableError,
  StaleCheckpointError,
  StaleFenceError,
  ThreadIdError,
  UnstorableValueError,
} from "./errors.js";
export { NotADatabaseError, SchemaVersionError, StoreClosedError, StoreUnavailableError } from "../store/errors.js";
export { importThreads } from "./import-threads.js";
export type { ImportOptions, ImportReport, Progress } from "./import-threads.js";
export type { Keep, PruneOptions, PruneReport } from "./retention.js";
export type { StorageStats } from "./stats.js";
export type { ListThreadsOptions, ThreadSummary } from "./threads.js";
export type { VerifyReport } from "./inspection.js";
