import { announce } from "../suite.js";
import { groupsFor } from "./groups/index.js";
import type { LedgerInitializer } from "./initializer.js";
import { LedgerTrial } from "./trial.js";

/**
 * A test suite for any ledger: what effects, approvals, memos and waits rely on. That the intent is stored before the
 * call, that a key has one outcome, that what is unknown stays unknown until somebody says; and with the hooks for them
 * restarts, kills, and processes that race each other.
 *
 * Call it in a test file. It uses the `runner` of the initializer, or the global `describe` and `it`; it needs no
 * `expect`. Each test gets a ledger of its own and says what is wrong with it when it fails.
 *
 * @param initializer how ledgers are made; see `LedgerInitializer`
 * @throws InvalidInputError where there is no test runner
 * @example
 * import { afterAll, beforeAll, describe, it } from "vitest";
 * ledgerContract({
 *   ledgerName: "memoryLedger",
 *   createLedger: ({ clock }) => memoryLedger({ clock }),
 *   runner: { describe, it, beforeAll, afterAll },
 * });
 */
export function ledgerContract(initializer: LedgerInitializer): void {
  announce(initializer.ledgerName, groupsFor(initializer), initializer, () => LedgerTrial.begin(initializer));
}
