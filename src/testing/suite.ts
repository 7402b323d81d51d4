import { InvalidInputError } from "../shared/errors.js";
import { BrokenClaim, describe } from "./claims.js";
import { runnerFor } from "./runner.js";
import type { TestRunner } from "./runner.js";

const TIMEOUT_MS = 30_000;
const BEFORE_ALL_MS = 10_000;
/** How much longer patient groups may take. */
const PATIENCE = 4;

/** Checks by the property that they prove. A check that throws has failed. */
export interface Group<Subject> {
  readonly title: string;
  readonly checks: Readonly<Record<string, (subject: Subject) => Promise<void>>>;
  /** Needs longer than others, as a group with processes does. */
  readonly patient?: boolean;
}

/** What a suite needs to know beside its checks. */
export interface SuiteOptions {
  readonly runner?: TestRunner | undefined;
  readonly timeout?: number | undefined;
  readonly beforeAllTimeout?: number | undefined;
  beforeAll?(): void | Promise<void>;
  afterAll?(): void | Promise<void>;
}

/** What one check works with, and how that is cleared away. */
export interface Trial {
  end(): Promise<void>;
}

/**
 * Tells the test runner of every check; each gets a trial of its own.
 *
 * @throws InvalidInputError where there is no test runner, or none with the hooks that the options have
 */
export function announce<Subject extends Trial>(
  name: string,
  groups: readonly Group<Subject>[],
  options: SuiteOptions,
  begin: () => Promise<Subject>,
): void {
  const runner = runnerFor(options.runner);
  const { beforeAllTimeout = BEFORE_ALL_MS, timeout = TIMEOUT_MS } = options;
  for (const hook of ["beforeAll", "afterAll"] as const) {
    if (options[hook] !== undefined) hookOf(runner, hook)(async () => options[hook]?.(), beforeAllTimeout);
  }
  runner.describe(name, () => {
    for (const group of groups) {
      const timeoutMs = group.patient === true ? timeout * PATIENCE : timeout;
      runner.describe(group.title, () => {
        for (const [title, check] of Object.entries(group.checks)) {
          runner.it(title, () => carryOut(begin, title, check), timeoutMs);
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

async function carryOut<Subject extends Trial>(
  begin: () => Promise<Subject>,
  title: string,
  check: Group<Subject>["checks"][string],
): Promise<void> {
  const trial = await begin();
  try {
    await check(trial);
  } catch (error) {
    throw asFailure(error, title);
  } finally {
    await trial.end();
  }
}

/**
 * Whatever a check throws that is no claim of its own came from the thing under test: that is said, with the check that
 * was carried out.
 */
function asFailure(error: unknown, check: string): BrokenClaim {
  if (error instanceof BrokenClaim) return error;
  return new BrokenClaim(`It threw while this was checked: ${check}.\n${describe(error)}`, { cause: error });
}
