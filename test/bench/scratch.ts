import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for the databases of one benchmark, and what is left in it. */
export function scratchFolder(): { readonly path: string; left(): string[] } {
  const path = mkdtempSync(join(tmpdir(), "waypoint-bench-test-"));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return { path, left: () => readdirSync(path) };
}
