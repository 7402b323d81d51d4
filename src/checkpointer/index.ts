export { SlimSaver } from "./slim-saver.js";
export type { SlimSaverOptions } from "./saver.js";
export type { Concurrency } from "./head.js";
export type {
  Position,
  PositionArtifact,
  PositionChannel,
  PositionEffect,
  PositionReference,
  PositionSelectors,
  PositionTodo,
  PositionWait,
} from "./position.js";
export { artifactRef } from "./artifact.js";
export type {
  Artifact,
  ArtifactInfo,
  ArtifactRef,
  ArtifactRequest,
  Authorize,
  GetArtifactOptions,
  PutArtifactOptions,
} from "./artifact.js";
export type { ArtifactsReport, BrokenArtifact } from "./artifact-verify.js";
export { aes256gcm } from "../store/encryption.js";
export type { Encryption } from "../store/encryption.js";
export { fileObjects } from "../store/objects/file-objects.js";
export type { ObjectStore } from "../store/objects/object-store.js";
export { unstorageObjects } from "../store/objects/unstorage-objects.js";
export type { RawStorage } from "../store/objects/unstorage-objects.js";
export {
  ArtifactCorruptError,
  ArtifactDeniedError,
  CorruptObjectError,
  ImportMismatchError,
  NotDurableError,
  StaleCheckpointError,
  StaleFenceError,
  ThreadIdError,
  UnstorableValueError,
} from "./errors.js";
export {
  DecryptionError,
  NotADatabaseError,
  ObjectsUnavailableError,
  SchemaVersionError,
  StoreClosedError,
  StoreUnavailableError,
} from "../store/errors.js";
export { slim } from "./slim/slim.js";
export type { SlimOptions } from "./slim/slim.js";
export type { SerializableClass } from "./classes.js";
export { importThreads } from "./import-threads.js";
export type { ImportOptions, ImportReport, LeftThread, Progress, UnreadableCheckpoint } from "./import-threads.js";
export type { Keep, PruneOptions, PruneReport } from "./retention.js";
export type { StorageStats } from "./stats.js";
export type { ListThreadsOptions, ThreadSummary } from "./threads.js";
export type { VerifyReport } from "./inspection.js";
