import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RULES } from "../../src/audit/index.js";
import type { Cases } from "./cases.js";
import { CODES, expected, findingsIn, outcome, severitiesIn } from "./cases.js";

const TABLES = join(import.meta.dirname, "rules");
const PAGES = join(import.meta.dirname, "../../docs/rules");
const FEWEST = 6;

const tables = new Map<string, Cases>();
for (const name of readdirSync(TABLES)) {
  const { cases } = (await import(join(TABLES, name))) as { cases: Cases };
  tables.set(name.slice(0, -".ts".length), cases);
}

describe("every rule has all that belongs to it", () => {
  it.each(CODES)("%s has six cases or more of invalid and of valid code", (code) => {
    expect(tables.get(code)?.invalid.length ?? 0).toBeGreaterThanOrEqual(FEWEST);
    expect(tables.get(code)?.valid.length ?? 0).toBeGreaterThanOrEqual(FEWEST);
  });

  it.each(RULES.map(({ code, name, summary, fix }) => ({ code, name, summary, fix })))(
    "$code has a name, a summary and a fix of its own",
    ({ code, name, summary, fix }) => {
      expect(name).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
      expect(summary).toMatch(/\.$/);
      expect(fix).toMatch(/\.$/);
      expect(RULES.filter((other) => other.code === code || other.name === name)).toHaveLength(1);
    },
  );

  it.each(CODES)("%s has a page whose bad code it finds and whose good code is clean", (code) => {
    const file = join(PAGES, `${code}.md`);
    expect(existsSync(file), `docs/rules/${code}.md is missing`).toBe(true);
    const page = readFileSync(file, "utf8");
    const [, name] = /^# (\S+) (\S+)$/m.exec(page)?.slice(1) ?? [];
    expect(RULES.find((rule) => rule.code === code)?.name).toBe(name);
    expect(page).toMatch(/^## Why$/m);
    expect(page).toMatch(/^## Silencing it$/m);
    const [bad, good] = ["Bad", "Good"].map((heading) => blockUnder(page, heading));
    expect(findingsIn(bad ?? "").map((finding) => finding.code)).toContain(code);
    expect(findingsIn(good ?? "").map((finding) => finding.code)).not.toContain(code);
  });

  it("no table and no page is about a rule that is not there", () => {
    const pages = readdirSync(PAGES).map((name) => name.slice(0, -".md".length));
    expect([...tables.keys(), ...pages].filter((code) => !CODES.includes(code) && code !== "README")).toEqual([]);
  });
});

function blockUnder(page: string, heading: string): string {
  return new RegExp(`^## ${heading}$.*?^\`\`\`ts\n(.*?)^\`\`\``, "ms").exec(page)?.[1] ?? "";
}

describe.each([...tables])("%s", (code, { invalid, valid, mild = [] }) => {
  it.each(invalid.map((snippet) => [snippet]))("finds it, and the line of the effect, in %j", (snippet) => {
    const { found, effects } = expected(snippet);
    expect(outcome(snippet, code)).toEqual({ found, effects });
  });

  it.each(mild.map((snippet) => [snippet]))("finds nothing that counts in %j", (snippet) => {
    const severities = severitiesIn(snippet, code);
    expect(severities.length).toBeGreaterThan(0);
    expect(severities.filter((severity) => severity === "high" || severity === "medium")).toEqual([]);
  });

  it.each(valid.map((snippet) => [snippet]))("finds nothing in %j", (snippet) => {
    expect(outcome(snippet, code).found).toEqual([]);
  });
});
