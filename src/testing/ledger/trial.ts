import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nearestLedger, setLedger, type Ledger } from "../../nodes/ledger.js";
import { holds } from "../claims.js";
import { fakeDownstream } from "../downstream/fake-downstream.js";
import type { Downstream, DownstreamOptions } from "../downstream/fake-downstream.js";
import { TestClock } from "../test-clock.js";
import type { LedgerInitializer } from "./initializer.js";
import type { Job, Report } from "./jobs.js";

/** What one check works with: a ledger on storage of its own, a clock that it moves, and what else can be opened. */
export class LedgerTrial {
  private readonly key = randomUUID().slice(0, 8);
  private readonly opened: Ledger[] = [];
  private readonly children: ChildProcess[] = [];
  private folder: string | undefined;

  private constructor(
    private readonly initializer: LedgerInitializer,
    readonly ledger: Ledger,
    readonly clock: TestClock,
    private readonly before: Ledger | undefined,
  ) {}

  /** The ledger serves the process while the check goes on: approvals, memos and waits find it there. */
  static async begin(initializer: LedgerInitializer): Promise<LedgerTrial> {
    const clock = new TestClock({ skipSleeps: true });
    const before = nearestLedger(undefined);
    const ledger = await initializer.createLedger({ clock });
    setLedger(ledger);
    return new LedgerTrial(initializer, ledger, clock, before);
  }

  /** A name that no other check uses. */
  readonly name = (name: string): string => `${name}-${this.key}`;

  readonly bank = (options: Partial<DownstreamOptions> = {}): Downstream => fakeDownstream({ seed: 1, ...options });

  /** Another instance over the same storage. */
  async reopen(): Promise<Ledger> {
    const second = await this.initializer.reopen?.(this.ledger, { clock: this.clock });
    holds(second !== undefined, "The initializer opens no second instance: it has no `reopen`.");
    this.opened.push(second);
    return second;
  }

  /** A file for the books of a downstream that processes share. */
  books(): string {
    this.folder ??= mkdtempSync(join(tmpdir(), "waypoint-ledger-"));
    return join(this.folder, "bank");
  }

  /** Another process that has opened the storage, and waits for its job. */
  async child(): Promise<(job: Job) => Promise<Report | undefined>> {
    const { child: how } = this.initializer;
    holds(how !== undefined, "The initializer has no `child`.");
    const child = fork(how.module, [JSON.stringify(how.parameters(this.ledger))], {
      execArgv: [...(how.execArgv ?? process.execArgv)],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.children.push(child);
    await once(child, "message");
    return async (job) => {
      let last: Report | undefined;
      child.on("message", (report: Report) => (last = report));
      child.send(job);
      await once(child, "close");
      return last;
    };
  }

  async end(): Promise<void> {
    setLedger(this.before);
    for (const child of this.children) child.kill("SIGKILL");
    for (const ledger of [...this.opened, this.ledger]) await this.initializer.destroyLedger?.(ledger);
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}
