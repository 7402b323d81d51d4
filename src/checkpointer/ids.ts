import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import { ThreadIdError } from "./errors.js";

/** Longest id that is taken, in UTF-16 code units. */
const LONGEST = 1024;

/** The address of a checkpoint as LangGraph passes it. */
export interface Address {
  readonly threadId: string;
  readonly ns: string;
  readonly checkpointId: string | undefined;
}

/**
 * Thread, namespace and checkpoint of a configuration.
 *
 * @throws ThreadIdError without a usable `thread_id`; InvalidInputError for any other id that cannot be one.
 */
export function addressOf(config: RunnableConfig, action: string): Address {
  return {
    threadId: threadIdOf(config.configurable?.thread_id, action),
    ns: idOf(config.configurable?.checkpoint_ns ?? "", "checkpoint_ns", { empty: true }),
    checkpointId: optionalId(config.configurable?.checkpoint_id, "checkpoint_id"),
  };
}

export function threadIdOf(value: unknown, action: string): string {
  if (typeof value === "string" && value !== "" && value.length <= LONGEST) return value;
  const found = value === undefined ? "it is missing" : value === "" ? "it is empty" : describe(value);
  throw new ThreadIdError(
    `Cannot ${action}: configurable.thread_id must be a non-empty string of at most ${LONGEST} characters, and ${found}. ` +
      `Pass it with every call: app.invoke(input, { configurable: { thread_id: "…" } }).`,
  );
}

export function idOf(value: unknown, name: string, options: { empty?: boolean } = {}): string {
  if (typeof value === "string" && value.length <= LONGEST && (options.empty === true || value !== "")) return value;
  throw new InvalidInputError(
    `${name} must be a string of at most ${LONGEST} characters, and ${describe(value)}. ` +
      `Pass on the configuration that LangGraph gave you, or leave ${name} out.`,
  );
}

/** An id, or nothing; LangGraph passes `undefined` and `""` for "the newest". */
export function optionalId(value: unknown, name: string): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : idOf(value, name);
}

/** The run that stores a checkpoint, where the caller has named it: in `metadata`, in `configurable`, or as `runId`. */
export function runOf({ metadata, configurable, runId }: RunnableConfig): string | undefined {
  const named: unknown = [metadata?.run_id, configurable?.run_id, runId].find(
    (id) => typeof id === "string" && id !== "",
  );
  return typeof named === "string" ? named : undefined;
}

function describe(value: unknown): string {
  if (typeof value === "string") return `it has ${value.length} characters`;
  return `it is ${value === null ? "null" : `a ${typeof value}`}`;
}
