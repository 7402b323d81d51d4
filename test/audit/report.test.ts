import fc from "fast-check";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { githubReport, RULES, sarifReport, textReport } from "../../src/audit/index.js";
import type { Finding } from "../../src/audit/index.js";
import { printable } from "../../src/cli/terminal-text.js";

const hostile = (text: string): Finding => ({
  code: "WP101",
  rule: "effect-before-interrupt",
  severity: "high",
  message: text,
  fix: text,
  interrupt: { file: text, line: 1, column: 2 },
  effect: { file: text, line: 3, column: 4, what: text },
  chain: [{ file: text, line: 5, what: text }],
  repeats: 1,
});

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("::error::x", "a\n::error::b", "\u001b[2J", "\u202Ex", "a,b:c%"),
);

describe("what files say", () => {
  it("cannot begin another workflow command, nor steer a terminal, in annotations", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const report = githubReport([hostile(text), hostile("second")]);
        expect(report.split("\n")).toHaveLength(2);
        expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
        const [properties] = /^::error (.*?)::/.exec(report)?.slice(1) ?? [];
        expect(properties?.split(",").map((each) => each.split("=")[0])).toEqual(["file", "line", "col", "title"]);
      }),
    );
  });

  it("cannot steer a terminal in text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const report = textReport([hostile(text)], { paints: pc.createColors(false), printable, lineOf: () => text });
        expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
      }),
    );
  });
});

describe("a SARIF log", () => {
  const log = sarifReport([hostile("a b.ts")], "1.2.3") as {
    version: string;
    runs: {
      tool: { driver: { version: string; rules: { id: string }[] } };
      results: { ruleId: string; ruleIndex: number; level: string; locations: unknown[] }[];
    }[];
  };

  it("names every rule, and the rule and place of each result", () => {
    const [run] = log.runs;
    expect(log.version).toBe("2.1.0");
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(RULES.map(({ code }) => code));
    const [result] = run?.results ?? [];
    expect(result).toMatchObject({ ruleId: "WP101", level: "error" });
    expect(run?.tool.driver.rules[result?.ruleIndex ?? -1]?.id).toBe("WP101");
    expect(result?.locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: "a%20b.ts" }, region: { startLine: 1, startColumn: 2 } } },
    ]);
  });
});
