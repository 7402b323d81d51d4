import { Linter } from "eslint";
import { join } from "node:path";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { RULES } from "../../src/audit/index.js";
import waypoint from "../../src/eslint/index.js";
import { folderOf, UNSAFE } from "./folder.js";

const PARSERS = [
  ["espree", {}],
  ["typescript-eslint", { languageOptions: { parser: tseslint.parser as Linter.Parser } }],
] as const;

function lint(text: string, cwd: string, filename: string, more: Linter.Config): string[] {
  const linter = new Linter({ cwd });
  const config = [
    { files: ["**/*"], ...more },
    { ...waypoint.configs.strict, files: ["**/*"] },
  ];
  return linter
    .verify(text, config, { filename: join(cwd, filename) })
    .map(({ ruleId, line, column, message }) => `${ruleId ?? message} ${line}:${column}`);
}

describe.each(PARSERS)("with the parser of %s", (_name, more) => {
  it("a file gets the findings of the audit, where the question is", () => {
    expect(lint(UNSAFE, folderOf({}), "node.js", more)).toEqual(["langgraph-waypoint/effect-before-interrupt 6:16"]);
  });

  it("effects and questions in imported files are followed", () => {
    const cwd = folderOf({
      "pay.js": 'import { appendFile } from "node:fs/promises";\nexport const pay = () => appendFile("log", "paid");\n',
      "ask.js": 'import { interrupt } from "@langchain/langgraph";\nexport const ask = () => interrupt("ok?");\n',
    });
    const here =
      'import { interrupt } from "@langchain/langgraph";\nimport { pay } from "./pay.js";\nexport async function node() {\n  await pay();\n  return interrupt("ok?");\n}\n';
    expect(lint(here, cwd, "node.js", more)).toEqual(["langgraph-waypoint/effect-before-interrupt 5:10"]);
  });

  it("code without interrupts gets none", () => {
    expect(
      lint("export const a = 1;\nexport async function f(x) {\n  await x.send();\n}\n", folderOf({}), "a.js", more),
    ).toEqual([]);
  });
});

it("every rule is there, and every config names it", () => {
  expect(Object.keys(waypoint.rules)).toEqual(RULES.map(({ name }) => name));
  for (const { rules } of Object.values(waypoint.configs)) {
    expect(Object.keys(rules ?? {})).toEqual(RULES.map(({ name }) => `langgraph-waypoint/${name}`));
  }
});
