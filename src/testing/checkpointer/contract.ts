import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { announce } from "../suite.js";
import { groupsFor } from "./groups/index.js";
import type { CheckpointerInitializer } from "./initializer.js";
import { Trial } from "./trial.js";

/**
 * A test suite for any LangGraph.js checkpointer: what LangGraph 1.7 relies on and its own validation package does not
 * look at. Order and repetition of writes, forks, values of every kind, hostile data, filters, namespaces, deletion,
 * runs of real graphs; and with the hooks for them restarts, races, kills, pruning and copying.
 *
 * Call it in a test file. It uses the `runner` of the initializer, or the global `describe` and `it`; it needs no
 * `expect`. Each test gets a checkpointer of its own and says what is wrong with it when it fails.
 *
 * @param initializer how checkpointers are made, and what they claim; see `CheckpointerInitializer`
 * @throws InvalidInputError where there is no test runner
 * @example
 * import { afterAll, beforeAll, describe, it } from "vitest";
 * checkpointerContract({
 *   checkpointerName: "MySaver",
 *   createCheckpointer: () => MySaver.open(":memory:"),
 *   destroyCheckpointer: (saver) => saver.close(),
 *   runner: { describe, it, beforeAll, afterAll },
 * });
 */
export function checkpointerContract<C extends BaseCheckpointSaver>(initializer: CheckpointerInitializer<C>): void {
  // What a hook is given is always what `createCheckpointer` or `reopen` of the same initializer made.
  const init = initializer as unknown as CheckpointerInitializer;
  announce(init.checkpointerName, groupsFor(init), init, () => Trial.begin(init));
}
