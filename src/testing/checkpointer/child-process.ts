import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Go, Job, Report } from "./jobs.js";

/** A child process of the contract, seen from the test. */
export class Child {
  private readonly reports: Report[] = [];
  private readonly waiting = new Set<() => void>();
  private stderr = "";
  private ended = false;

  private constructor(private readonly process: ChildProcess) {
    process.on("message", (report: Report) => {
      this.reports.push(report);
      this.wake();
    });
    process.stderr?.on("data", (text: Buffer) => (this.stderr += text.toString()));
    process.on("close", () => {
      this.ended = true;
      this.wake();
    });
  }

  /** @param parameters reach the module as JSON */
  static start(module: string | URL, parameters: unknown, execArgv: readonly string[] = process.execArgv): Child {
    return new Child(
      fork(module, [JSON.stringify(parameters)], {
        execArgv: [...execArgv],
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      }),
    );
  }

  do(job: Job | Go): void {
    this.process.send(job);
  }

  /** The first report of one of these events. @throws Error when the process ends without it */
  async until<E extends Report["event"]>(...events: E[]): Promise<Extract<Report, { event: E }>> {
    for (;;) {
      const report = this.reports.find(({ event }) => (events as string[]).includes(event));
      if (report !== undefined) return report as Extract<Report, { event: E }>;
      const failed = this.reports.find((one) => one.event === "failed");
      if (failed !== undefined) throw new Error(`The run in the child process failed: ${failed.message}`);
      if (this.ended)
        throw new Error(`The child process ended before it reported "${events.join('" or "')}". ${this.stderr}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** The nodes that have begun in it, in order. */
  get nodes(): string[] {
    return this.reports.flatMap(({ event }) => (event.startsWith("node ") ? [event.slice("node ".length)] : []));
  }

  /** Ends it with SIGKILL: nothing in it gets the chance to clean up. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "close");
    this.process.kill("SIGKILL");
    await ended;
  }

  private wake(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
  }
}
