import { resolve } from "node:path";
import type { ESLint, Linter, Rule as EslintRule, SourceCode } from "eslint";
import { findingsOf } from "./engine.js";
import type { Finding, Severity } from "./finding.js";
import { DiskProject } from "./project/disk.js";
import { SourceFile, speaksOfInterrupts } from "./project/source-file.js";
import type { Comment } from "./project/source-file.js";
import { indexSyntax } from "./project/syntax.js";
import type { Program } from "./project/syntax.js";
import { RULES } from "./rules/index.js";
import type { Rule } from "./rules/rule.js";

const NAME = "langgraph-waypoint";
const FINDINGS = new WeakMap<SourceCode, readonly Finding[]>();

/** The findings of a file, made once for all rules. Files that it imports are read from the disk. */
function findingsIn(sourceCode: SourceCode, path: string, root: string): readonly Finding[] {
  const known = FINDINGS.get(sourceCode);
  if (known !== undefined) return known;
  const file = hostFile(sourceCode, path);
  const project = new DiskProject([file]);
  const asking = importedBy(file, project).filter(({ text }) => speaksOfInterrupts(text));
  const found = findingsOf(project.with([file, ...asking]), { root }).filter(
    ({ interrupt }) => resolve(root, interrupt.file) === path,
  );
  FINDINGS.set(sourceCode, found);
  return found;
}

/** The file as the host has parsed it, with the scopes that the host knows. */
function hostFile({ ast, scopeManager, text }: SourceCode, path: string): SourceFile {
  const program = ast as unknown as Program;
  const comments = ast.comments.map(({ value, range: [start, end] = [0, 0] }): Comment => ({
    text: value,
    start,
    end,
  }));
  return new SourceFile(path, text, () => ({
    program,
    index: indexSyntax(program),
    scopes: scopeManager,
    comments,
  }));
}

function importedBy(file: SourceFile, project: DiskProject): SourceFile[] {
  const specifiers = file.program.body.flatMap((statement) =>
    (statement.type === "ImportDeclaration" || statement.type === "ExportNamedDeclaration") && statement.source
      ? [statement.source.value]
      : [],
  );
  return specifiers.flatMap((specifier) => project.resolve(file, specifier) ?? []);
}

function ruleFor({ code, name, summary }: Rule): EslintRule.RuleModule {
  return {
    meta: {
      type: "problem",
      docs: { description: `${code}: ${summary}` },
      messages: { finding: "{{code}} {{message}} {{fix}}" },
      schema: [],
    },
    create: (context) => ({
      "Program:exit": () => {
        for (const finding of findingsIn(context.sourceCode, context.filename, context.cwd)) {
          if (finding.rule !== name) continue;
          const { line, column } = finding.interrupt;
          const { message, fix } = finding;
          context.report({ loc: { line, column: column - 1 }, messageId: "finding", data: { code, message, fix } });
        }
      },
    }),
  };
}

function configOf(levels: Readonly<Record<Severity, Linter.StringSeverity>>, name: string): Linter.Config {
  const rules = RULES.map((rule): [string, Linter.StringSeverity] => [`${NAME}/${rule.name}`, levels[rule.severity]]);
  return { name: `${NAME}/${name}`, plugins: { [NAME]: plugin }, rules: Object.fromEntries(rules) };
}

/**
 * The rules of the audit for ESLint 9 and 10, with any parser that gives ESTree: `effect-before-interrupt` and the
 * others, under the names that `waypoint audit` prints.
 *
 * - `configs.recommended`: errors for high, warnings for medium
 * - `configs.strict`: errors for both, warnings for the rest
 *
 * @example
 * import waypoint from "langgraph-waypoint/eslint";
 * export default [waypoint.configs.recommended];
 */
export const plugin = {
  meta: { name: NAME },
  rules: Object.fromEntries(RULES.map((rule) => [rule.name, ruleFor(rule)])),
  get configs(): { recommended: Linter.Config; strict: Linter.Config } {
    return {
      recommended: configOf({ high: "error", medium: "warn", low: "off", info: "off" }, "recommended"),
      strict: configOf({ high: "error", medium: "error", low: "warn", info: "warn" }, "strict"),
    };
  },
} satisfies ESLint.Plugin;
