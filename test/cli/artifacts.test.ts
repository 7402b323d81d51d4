import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { ArtifactRef } from "../../src/checkpointer/index.js";
import type { ShownPosition } from "../../src/cli/shown-position.js";
import { begin } from "../checkpointer/artifacts/support.js";
import { EVIL, SECRET } from "./fixture.js";
import { waypoint as runWaypoint } from "./run.js";
import type { Printed } from "./run.js";

let folder = "";
let db = "";
let ref: ArtifactRef;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-cli-artifacts-"));
  db = join(folder, "agent.db");
  const saver = SlimSaver.fromConnString(db);
  await begin(saver, "t");
  ref = await saver.putArtifact("the content", {
    threadId: "t",
    name: `../../${SECRET}${EVIL}.pdf`,
    mediaType: "application/pdf",
  });
  await saver.putArtifact(new Uint8Array(1_400_000), { threadId: "t" });
  await saver.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function waypoint(...args: string[]): Promise<Printed> {
  return runWaypoint([...args, "--db", db]);
}

it("show lists artifacts with type, size and reference, and hides what they are called", async () => {
  const { stdout, code } = await waypoint("show", "t");
  expect(code).toBe(0);
  expect(stdout).toMatch(/artifacts +…\(\d+ characters\) +application\/pdf +11 B\n/);
  expect(stdout).toMatch(/\(no name\) +application\/octet-stream +1\.4 MB\n/);
  expect(stdout).toContain(ref);
  expect(stdout).not.toContain(SECRET);
});

it("show says what they are called when it is asked to, in a way that no terminal can be steered with", async () => {
  const { stdout } = await waypoint("show", "t", "--no-redact");
  expect(stdout).toContain(`../../${SECRET}\\x1b[2J`);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const { references } = JSON.parse((await waypoint("show", "t", "--no-redact", "--json")).stdout) as ShownPosition;
  expect(references).toContainEqual(expect.objectContaining({ kind: "artifact", ref, bytes: 11 }));
});

it("verify names the artifact that is damaged, and exits with 1", async () => {
  expect((await waypoint("verify")).stdout).toMatch(/artifacts +2$/m);
  const handle = new Database(db);
  handle.prepare("DELETE FROM waypoint_artifact_contents WHERE stored = 11").run();
  handle.close();
  const { code, stdout } = await waypoint("verify");
  expect([code, stdout]).toEqual([1, expect.stringContaining("1 broken")]);
  expect(stdout).toMatch(new RegExp(`${ref} +missing +of thread t`));
});

it("stats counts them", async () => {
  expect((await waypoint("stats")).stdout).toMatch(/artifacts +2, 1\.4 kB/);
});
