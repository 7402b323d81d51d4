import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { TestRunner } from "../runner.js";

type Awaitable<T> = T | Promise<T>;

/**
 * What the contract needs to know of a checkpointer. The first six fields are those of LangGraph's
 * `@langchain/langgraph-checkpoint-validation`, so that one initializer serves both.
 *
 * The optional hooks switch on the groups that need them.
 */
export interface CheckpointerInitializer<C extends BaseCheckpointSaver = BaseCheckpointSaver> {
  /** Stands in the names of the tests. */
  readonly checkpointerName: string;
  /** A checkpointer on empty storage of its own; called once for each test. */
  createCheckpointer(): Awaitable<C>;
  /** Called after each test, for every checkpointer that it had: close it, clear its storage. */
  destroyCheckpointer?(checkpointer: C): Awaitable<void>;
  /** Called once before all tests. */
  beforeAll?(): Awaitable<void>;
  /** How long `beforeAll` may take, in milliseconds; default 10,000. */
  readonly beforeAllTimeout?: number;
  /** Called once after all tests. */
  afterAll?(): Awaitable<void>;

  /** The test runner's functions; those that are global without it. */
  readonly runner?: TestRunner;
  /** How long one test may take, in milliseconds; default 30,000. Groups with processes or large values get four times that. */
  readonly timeout?: number;

  /**
   * Opens the storage of `checkpointer` once more, as another process or a restarted one would; the first stays open.
   * Switches on the group about a second instance.
   */
  reopen?(checkpointer: C): Awaitable<C>;
  /** How another process opens the storage. Switches on the groups with processes: kills, and writers in parallel. */
  readonly child?: CheckpointerChild<C>;

  /** Claims that of two runs which continue one checkpoint exactly one advances the thread. */
  readonly ownership?: boolean;
  /** Claims that what a run brings to a thread after its deletion does not bring the thread back. */
  readonly tombstones?: boolean;
  /** Removes all but the newest checkpoint of each namespace of these threads (`latest`), or all of it (`nothing`). */
  prune?(checkpointer: C, threadIds: string[], keep: "latest" | "nothing"): Awaitable<unknown>;
  /** Copies a thread with all its namespaces and writes. */
  copyThread?(checkpointer: C, from: string, to: string): Awaitable<unknown>;
  /** Removes what these runs stored. A run is named by `run_id` in `config.metadata` and in the checkpoint's metadata. */
  deleteForRuns?(checkpointer: C, runIds: string[]): Awaitable<unknown>;
}

export interface CheckpointerChild<C extends BaseCheckpointSaver = BaseCheckpointSaver> {
  /** A module that calls `checkpointerChild`; a path, or a file URL. */
  readonly module: string | URL;
  /** What the module needs to open the storage of this checkpointer. It travels as JSON. */
  parameters(checkpointer: C): unknown;
  /** Flags for Node, such as `["--import", "tsx"]` for a module in TypeScript; those of this process without it. */
  readonly execArgv?: readonly string[];
}
