import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runChild } from "../../child.js";

const drafter = new URL("fixtures/drafter.ts", import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-memo-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the processes noted, by its first word. */
function notes(word: string): string[] {
  const lines = readFileSync(join(folder, "notes"), "utf8").split("\n");
  return lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length + 1));
}

/** Kills the process at the named moment, and lets another one finish. */
async function killAndRecover(die: string, parameters: object) {
  const killed = await runChild(drafter, { folder, die, ...parameters });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  const recovered = await runChild(drafter, { folder, ...parameters });
  expect(recovered.messages, recovered.stderr).toEqual(["done"]);
}

const everywhere = [
  { shape: "graph", durability: "async", saver: "slim" },
  { shape: "graph", durability: "async", saver: "slow" },
  { shape: "functional", durability: "sync", saver: "slow" },
  { shape: "functional", durability: "async", saver: "slim" },
];

describe("after a SIGKILL", () => {
  it.each(everywhere)("a memo that was recorded is found again: $shape, $durability, $saver", async (parameters) => {
    await killAndRecover("taken", parameters);
    expect(notes("took")).toHaveLength(1);
    const [before, after] = notes("value");
    expect(after).toBe(before);
    expect(new Set(notes("second")).size).toBe(1);
  });

  it("one that was being taken is taken again, and only that", async () => {
    await killAndRecover("taking", everywhere[0]!);
    expect(notes("took")).toHaveLength(2);
    expect(notes("value")).toHaveLength(1);
  });
});

describe("LangGraph by itself", () => {
  it("brings the node back under another task id, when the saver had not stored its checkpoint yet", async () => {
    await killAndRecover("bare", { shape: "graph", durability: "async", saver: "slow" });
    expect(new Set(notes("second")).size).toBe(2);
  });

  it("runs a finished functional task again, under another id, whatever the durability", async () => {
    await killAndRecover("bare", { shape: "functional", durability: "sync", saver: "slow" });
    expect(notes("first")).toHaveLength(2);
    expect(new Set(notes("first")).size).toBe(2);
  });
});
