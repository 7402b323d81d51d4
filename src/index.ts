export * from "./checkpointer/index.js";
export * from "./nodes/index.js";
export * from "./guards/index.js";
// Both doors have a type of this name.
export type { Verdict } from "./nodes/index.js";
export type { Verdict as LoopVerdict } from "./guards/index.js";
export { InvalidInputError, MissingDependencyError, WaypointError } from "./shared/errors.js";
export type { ErrorDetails } from "./shared/errors.js";
export { systemClock } from "./shared/clock.js";
export type { Clock, Duration } from "./shared/clock.js";
