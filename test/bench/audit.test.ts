import { expect, it } from "vitest";
import { measureAudit } from "../../bench/audit/audit.js";
import { show } from "../../bench/audit/command.js";
import { scratchFolder } from "./scratch.js";

it("every file is read, every unsafe node is found, and nothing is left", { timeout: 60_000 }, async () => {
  const scratch = scratchFolder();
  const report = await measureAudit({ files: 60, runs: 1, seed: 7 }, scratch.path, () => {});
  expect(report).toMatchObject({ bench: "audit", files: 60, questions: 9, unsafe: 3 });
  expect(report.ms).toBeGreaterThan(0);
  expect(report.peakBytes).toBeGreaterThan(10_000_000);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report)).toContain("files a second");
  expect(scratch.left()).toEqual([]);
});
