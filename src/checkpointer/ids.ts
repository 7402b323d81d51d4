import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import { ownLevels } from "../shared/langgraph.js";
import { ThreadIdError } from "./errors.js";

/** Longest id that is taken, in UTF-16 code units. */
const LONGEST = 1024;
const HALF_A_CHARACTER = /\p{Surrogate}/u;

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
export function addressOf(config: RunnableConfig | undefined, action: string): Address {
  const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = configurableOf(config);
  return {
    threadId: threadIdOf(thread, action),
    ns: idOf(ns ?? "", "checkpoint_ns", { empty: true }),
    checkpointId: optionalId(id, "checkpoint_id"),
  };
}

/** The `configurable` part of whatever was passed as a configuration. */
export function configurableOf(config: RunnableConfig | null | undefined): Record<string, unknown> {
  return (config?.configurable ?? {}) as Record<string, unknown>;
}

export function threadIdOf(value: unknown, action: string): string {
  if (isText(value) && value !== "") return value;
  const found = value === undefined ? "it is missing" : value === "" ? "it is empty" : describe(value);
  throw new ThreadIdError(
    `Cannot ${action}: configurable.thread_id must be a non-empty string of at most ${LONGEST} characters, and ${found}. ` +
      `Pass it with every call: app.invoke(input, { configurable: { thread_id: "…" } }).`,
  );
}

export function idOf(value: unknown, name: string, options: { empty?: boolean } = {}): string {
  if (isText(value) && (options.empty === true || value !== "")) return value;
  throw new InvalidInputError(
    `${name} must be a string of at most ${LONGEST} characters, and ${describe(value)}. ` +
      `Pass on the configuration that LangGraph gave you, or leave ${name} out.`,
  );
}

/** An id, or nothing; LangGraph passes `undefined` and `""` for "the newest". */
export function optionalId(value: unknown, name: string): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : idOf(value, name);
}

/** Checkpoint id by namespace, for every level that a running task hangs on. */
export function levelsOf(config: RunnableConfig): Record<string, string> {
  const { checkpoint_map: map, checkpoint_id: id, checkpoint_ns: ns } = configurableOf(config);
  if (typeof map === "object" && map !== null && Object.keys(map).length > 0) {
    return ownLevels(Object.fromEntries(Object.entries(map).map(([level, at]) => [level, idOf(at, "checkpoint_map")])));
  }
  const only = optionalId(id, "checkpoint_id");
  return only === undefined ? {} : { [idOf(ns ?? "", "checkpoint_ns", { empty: true })]: only };
}

/** A text with half a character in it would be stored as another text, and two such threads would be one. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST && !HALF_A_CHARACTER.test(value);
}

/** The run that stores a checkpoint, where the caller has named it: in `metadata`, in `configurable`, or as `runId`. */
export function runOf({ metadata, configurable, runId }: RunnableConfig): string | undefined {
  const named: unknown = [metadata?.run_id, configurable?.run_id, runId].find(
    (id) => typeof id === "string" && id !== "",
  );
  return typeof named === "string" ? named : undefined;
}

function describe(value: unknown): string {
  if (typeof value === "string" && HALF_A_CHARACTER.test(value))
    return "it holds half of a character (a lone surrogate)";
  if (typeof value === "string") return `it has ${value.length} characters`;
  return `it is ${value === null ? "null" : `a ${typeof value}`}`;
}
