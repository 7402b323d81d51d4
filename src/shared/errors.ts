/**
 * The one base class. Every error this package throws on purpose is a `WaypointError` with a stable `code`;
 * `docs/errors/<CODE>.md` explains each code and what to do.
 */

const BRAND = Symbol.for("langgraph-waypoint.error");

/** Where an error happened, in the terms a person can look up. */
export interface ErrorDetails {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly path?: string | undefined;
  readonly [detail: string]: unknown;
}

/**
 * Base class of all errors of this package.
 *
 * - `code` is stable across versions; match on it, not on the message.
 * - `WaypointError.is(e)` also recognises errors of another copy of the package (ESM beside CJS), where
 *   `instanceof` does not.
 *
 * @example
 * try { await app.invoke(input, config); }
 * catch (e) { if (WaypointError.is(e) && e.code === "STALE_CHECKPOINT") await retryLater(); else throw e; }
 */
export abstract class WaypointError extends Error {
  abstract readonly code: string;
  readonly details: ErrorDetails;
  readonly [BRAND] = true;

  constructor(message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.details = options.details ?? {};
  }

  /** True for an error of this package, from whichever copy of it. */
  static is(error: unknown): error is WaypointError {
    return typeof error === "object" && error !== null && BRAND in error;
  }
}

/** An argument is missing or has the wrong shape; nothing was done. */
export class InvalidInputError extends WaypointError {
  readonly code = "INVALID_INPUT";
}

/** An optional package is needed for the feature that was used: it is not installed, or without its native part. */
export class MissingDependencyError extends WaypointError {
  readonly code = "MISSING_DEPENDENCY";

  constructor(packageName: string, feature: string, options: { cause?: unknown; unbuilt?: boolean } = {}) {
    const { cause, unbuilt = false } = options;
    const [problem, command] = unbuilt
      ? ["whose native part is missing or was built for another Node", `npm rebuild ${packageName}`]
      : ["which is not installed", `npm install ${packageName}`];
    super(`${feature} needs the package "${packageName}", ${problem}. Run: ${command}`, {
      cause,
      details: { packageName },
    });
  }
}
