import { systemClock, type Clock } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import type { RunningTask } from "../shared/langgraph.js";
import { processWide } from "../shared/process-wide.js";
import { storeOf, type Store } from "../store/home.js";
import { SqliteDatabase } from "../store/sqlite/database.js";
import { NoLedgerError } from "./errors.js";

const BRAND: unique symbol = Symbol.for("langgraph-waypoint.ledger") as never;
const processDefault = processWide("default-ledger", (): { ledger: Ledger | undefined } => ({ ledger: undefined }));

/** Where effects, approvals and questions are kept. Get one from `ledgerOf` or `memoryLedger`. */
export class Ledger {
  readonly [BRAND] = true;

  /** @internal */
  constructor(readonly store: Store) {}

  /** True for a ledger, also of another copy of the package (ESM beside CJS). */
  static is(candidate: unknown): candidate is Ledger {
    return typeof candidate === "object" && candidate !== null && BRAND in candidate;
  }
}

const ledgers = new WeakMap<Store, Ledger>();

function ledgerFor(store: Store): Ledger {
  const ledger = ledgers.get(store) ?? new Ledger(store);
  ledgers.set(store, ledger);
  return ledger;
}

/**
 * The ledger that lives in the same database as a SlimSaver's checkpoints.
 *
 * @param saver the SlimSaver
 * @throws InvalidInputError when `saver` is not a SlimSaver
 * @example await reconcile(ledgerOf(checkpointer));
 */
export function ledgerOf(saver: unknown): Ledger {
  const store = storeOf(saver);
  if (store !== undefined) return ledgerFor(store);
  throw new InvalidInputError(
    "ledgerOf needs a SlimSaver: only it keeps a ledger beside its checkpoints. " +
      "For another saver use memoryLedger() in tests, or ledgerOf(SlimSaver.fromConnString(…)) for a ledger of its own.",
  );
}

/**
 * Sets the ledger of this process: it serves whatever finds none nearer by. `undefined` takes it away.
 *
 * @throws InvalidInputError when `ledger` is not a ledger
 * @example setLedger(ledgerOf(SlimSaver.fromConnString("effects.db")));
 */
export function setLedger(ledger: Ledger | undefined): void {
  if (ledger !== undefined && !Ledger.is(ledger)) {
    throw new InvalidInputError("setLedger needs a ledger: ledgerOf(checkpointer) or memoryLedger().");
  }
  processDefault.ledger = ledger;
}

/**
 * A ledger in memory, for tests: beside MemorySaver, or without any graph. It ends with the process.
 *
 * @example setLedger(memoryLedger());
 */
export function memoryLedger(options: { clock?: Clock } = {}): Ledger {
  return new Ledger({ database: SqliteDatabase.open(":memory:"), clock: options.clock ?? systemClock, tenant: "" });
}

/**
 * The ledger that an operation uses: the one it names, else its graph's SlimSaver, else the one of this process.
 *
 * @throws NoLedgerError when there is none
 */
export function findLedger(explicit: Ledger | undefined, task: RunningTask | undefined): Ledger {
  const ledger = explicit ?? nearestLedger(task);
  if (ledger !== undefined) return ledger;
  const where =
    task === undefined ? "outside a graph" : `on thread "${task.threadId}", whose checkpointer is no SlimSaver`;
  throw new NoLedgerError(
    `There is no ledger ${where}, so nothing was done. Compile the graph with a SlimSaver, or call ` +
      `setLedger(ledgerOf(SlimSaver.fromConnString("effects.db"))) once at start; in tests, setLedger(memoryLedger()).`,
    { details: { threadId: task?.threadId } },
  );
}

/** The ledger of the graph's SlimSaver, else of the process. */
export function nearestLedger(task: RunningTask | undefined): Ledger | undefined {
  const store = storeOf(task?.checkpointer);
  return store === undefined ? processDefault.ledger : ledgerFor(store);
}
