import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { InvalidInputError } from "../../shared/errors.js";
import { runnerFor } from "../runner.js";
import type { TestRunner } from "../runner.js";
import { asFailure } from "../suite.js";
import type { Group } from "../suite.js";
import { groupsFor } from "./groups/index.js";
import type { CheckpointerInitializer } from "./initializer.js";
import { Trial } from "./trial.js";

const TIMEOUT_MS = 30_000;
const BEFORE_ALL_MS = 10_000;
/** How much longer the groups with processes or large values may take. */
const PATIENCE = 4;

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
  const runner = runnerFor(init.runner);
  const { beforeAllTimeout = BEFORE_ALL_MS, timeout = TIMEOUT_MS } = init;
  for (const hook of ["beforeAll", "afterAll"] as const) {
    if (init[hook] !== undefined) hookOf(runner, hook)(async () => init[hook]?.(), beforeAllTimeout);
  }
  runner.describe(init.checkpointerName, () => {
    for (const group of groupsFor(init)) {
      const timeoutMs = group.patient === true ? timeout * PATIENCE : timeout;
      runner.describe(group.title, () => {
        for (const [name, check] of Object.entries(group.checks)) {
          runner.it(name, () => carryOut(init, name, check), timeoutMs);
        }
      });
    }
  });
}

function hookOf(runner: TestRunner, name: "beforeAll" | "afterAll"): NonNullable<TestRunner["beforeAll"]> {
  const hook = runner[name]?.bind(runner);
  if (hook !== undefined) return hook;
  throw new InvalidInputError(
    `The initializer has ${name}, and the runner has none. Add the test runner's ${name} to \`runner\`.`,
  );
}

async function carryOut(
  initializer: CheckpointerInitializer,
  name: string,
  check: Group<Trial>["checks"][string],
): Promise<void> {
  const trial = await Trial.begin(initializer);
  try {
    await check(trial);
  } catch (error) {
    throw asFailure(error, name);
  } finally {
    await trial.end();
  }
}
