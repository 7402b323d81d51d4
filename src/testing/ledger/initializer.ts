import type { Ledger } from "../../nodes/ledger.js";
import type { Clock } from "../../shared/clock.js";
import type { TestRunner } from "../runner.js";

type Awaitable<T> = T | Promise<T>;

/** What the contract needs to know of a ledger. The optional hooks switch on the groups that need them. */
export interface LedgerInitializer {
  /** Stands in the names of the tests. */
  readonly ledgerName: string;
  /** A ledger on empty storage of its own, whose time is this clock's; called once for each test. */
  createLedger(options: { clock: Clock }): Awaitable<Ledger>;
  /** Called after each test, for every ledger that it had: close it, clear its storage. */
  destroyLedger?(ledger: Ledger): Awaitable<void>;
  /** Called once before all tests. */
  beforeAll?(): void | Promise<void>;
  /** How long `beforeAll` may take, in milliseconds; default 10,000. */
  readonly beforeAllTimeout?: number;
  /** Called once after all tests. */
  afterAll?(): void | Promise<void>;

  /** The test runner's functions; those that are global without it. */
  readonly runner?: TestRunner;
  /** How long one test may take, in milliseconds; default 30,000. The group with processes gets four times that. */
  readonly timeout?: number;

  /**
   * Opens the storage of `ledger` once more, as another process or a restarted one would; the first stays open. Switches
   * on the group about a second instance.
   */
  reopen?(ledger: Ledger, options: { clock: Clock }): Awaitable<Ledger>;
  /** How another process opens the storage. Switches on the group with processes: kills, and calls in parallel. */
  readonly child?: LedgerChild;
}

export interface LedgerChild {
  /** A module that calls `ledgerChild`; a path, or a file URL. */
  readonly module: string | URL;
  /** What the module needs to open the storage of this ledger. It travels as JSON. */
  parameters(ledger: Ledger): unknown;
  /** Flags for Node, such as `["--import", "tsx"]` for a module in TypeScript; those of this process without it. */
  readonly execArgv?: readonly string[];
}
