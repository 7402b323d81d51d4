import { audit } from "../../src/audit/index.js";
import { answerTask } from "../child.js";
import { Stopwatch } from "../stopwatch.js";

export interface AuditTask {
  readonly folder: string;
}

export interface AuditAnswer {
  readonly ms: number;
  readonly cpuMs: number;
  /** The most memory that the process has held, in bytes. */
  readonly peakBytes: number;
  readonly files: number;
  /** Questions before which something runs that must not run again. */
  readonly unsafe: number;
}

await answerTask<AuditTask>(async ({ folder }): Promise<AuditAnswer> => {
  const stopwatch = new Stopwatch();
  const { findings, files } = await stopwatch.time(() => audit(["."], { cwd: folder, config: {} }));
  const unsafe = new Set(findings.filter(({ code }) => code === "WP101").map(({ interrupt: { file } }) => file)).size;
  // Kilobytes on every platform.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { ms: stopwatch.ms, cpuMs: stopwatch.cpuMs, peakBytes, files, unsafe };
});
