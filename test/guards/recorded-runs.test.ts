import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CannotRunError } from "../../bench/bench.js";
import { dataFile } from "../../bench/data-folder.js";
import { waypoint } from "../cli/run.js";

interface Report {
  readonly tallies: { label: string; runs: number; reminded: number; tripped: number }[];
}

/** Where the recorded runs are missing, one line says what is left out; in CI that is a failure. */
function recorded(name: string): string | undefined {
  try {
    return dataFile(name);
  } catch (error) {
    if (!(error instanceof CannotRunError) || process.env.CI === "true") throw error;
    process.stderr.write(`Loops in recorded runs: ${error.message}\n`);
    return undefined;
  }
}

const airline = recorded("airline-transcripts.jsonl");
const shell = recorded("shell-runs.jsonl");

async function tallies(file: string): Promise<Report["tallies"]> {
  const { stdout } = await waypoint(["loops", file, "--json"]);
  return (JSON.parse(stdout) as Report).tallies;
}

describe("the defaults on runs that nobody made for them", () => {
  it.skipIf(airline === undefined)(
    "no solved airline conversation is tripped, and at most one is reminded",
    async () => {
      const [solved, unsolved] = await tallies(airline!);
      expect(solved).toMatchObject({ label: "solved", runs: 14, tripped: 0 });
      expect(solved!.reminded).toBeLessThanOrEqual(1);
      expect(unsolved).toMatchObject({ runs: 36, tripped: 0 });
    },
  );

  it.skipIf(shell === undefined)(
    "the table of docs/loops.md is what the shell runs give; no solved one is tripped",
    async () => {
      const rows = await tallies(shell!);
      const page = readFileSync(new URL("../../docs/loops.md", import.meta.url), "utf8");
      for (const { label, runs, reminded, tripped } of rows) {
        const row = new RegExp(`^\\| shell, ${label} +\\| ${runs} +\\| ${reminded} +\\| ${tripped} +\\|`, "m");
        expect(page).toMatch(row);
      }
      expect(rows[0]).toMatchObject({ label: "solved", tripped: 0 });
      expect(rows[1]!.reminded).toBeGreaterThan(rows[1]!.runs / 2);
    },
  );

  it("the page that explains them is there", () => {
    expect(existsSync(new URL("../../docs/loops.md", import.meta.url))).toBe(true);
  });
});
