import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Command, Option } from "commander";
import {
  audit,
  baselineOf,
  githubReport,
  newSince,
  parseBaseline,
  RULES,
  sarifReport,
  SEVERITIES,
  textReport,
} from "../../audit/index.js";
import type { AuditResult, Finding, Severity } from "../../audit/index.js";
import { filesChangedSince } from "../changed-files.js";
import { CommandFailure } from "../failure.js";
import { jsonLine, printable } from "../terminal-text.js";
import type { Terminal } from "../terminal.js";

interface Options {
  readonly format: "text" | "json" | "sarif" | "github";
  readonly json?: boolean;
  readonly failOn: Severity | "never";
  readonly config?: string;
  readonly explain?: string;
  readonly baseline?: string;
  readonly changed?: string;
}

/** `waypoint audit` */
export function auditCommand(terminal: Terminal): Command {
  return new Command("audit")
    .description("find interrupts that are not safe to run again; reads the files and runs none")
    .argument("[paths...]", "files and folders", ["."])
    .addOption(
      new Option("--format <format>", "how to print").choices(["text", "json", "sarif", "github"]).default("text"),
    )
    .option("--json", "the same as --format json")
    .addOption(
      new Option("--fail-on <severity>", "exit with 1 from this severity on")
        .choices([...SEVERITIES, "never"])
        .default("medium"),
    )
    .option("--config <file>", "a configuration; a module is run. Else waypoint.config.json of this folder, if any")
    .option(
      "--baseline <file>",
      "report what this file does not know yet; written from what is found, if it is not there",
    )
    .option("--changed <ref>", "report what has to do with files that differ from this commit")
    .option("--explain <code>", "say what a code means, and audit nothing")
    .action(async (paths: string[], options: Options) => {
      if (options.explain !== undefined) {
        explain(options.explain, terminal);
        return;
      }
      const all = await audit(paths, options.config === undefined ? {} : { config: options.config });
      const result = { ...all, findings: reported(all.findings, options, terminal) };
      print(result, options, terminal);
      if (
        options.failOn !== "never" &&
        result.findings.some(({ severity }) => isAtLeast(severity, options.failOn as Severity))
      ) {
        terminal.exitCode = 1;
      }
    });
}

/** The findings that are asked for: all, those of changed files, those that are new. */
function reported(all: readonly Finding[], { changed, baseline }: Options, terminal: Terminal): Finding[] {
  const files = changed === undefined ? undefined : filesChangedSince(changed, process.cwd());
  const findings = all.filter(
    ({ interrupt, effect, chain }) =>
      files === undefined || [interrupt, ...(effect ? [effect] : []), ...chain].some(({ file }) => files.has(file)),
  );
  if (baseline === undefined) return findings;
  if (existsSync(baseline)) return newSince(findings, parseBaseline(readFileSync(baseline, "utf8"), baseline));
  writeFileSync(baseline, `${JSON.stringify(baselineOf(all), null, 2)}\n`);
  terminal.err(`${printable(baseline)}: written; from now on only what is new is reported\n`);
  return [];
}

function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}

function explain(code: string, terminal: Terminal): void {
  const rule = RULES.find((each) => each.code === code.toUpperCase() || each.name === code);
  if (rule === undefined)
    throw new CommandFailure(`There is no rule "${code}". The codes are ${RULES.map((each) => each.code).join(", ")}.`);
  terminal.out(`${rule.code} ${rule.name} (${rule.severity})\n${rule.summary}\n${rule.fix}\n`);
}

function print(result: AuditResult, { format, json }: Options, terminal: Terminal): void {
  if (format === "json" || json === true) {
    terminal.out(`${jsonLine(result)}\n`);
    return;
  }
  if (format === "sarif") {
    terminal.out(`${jsonLine(sarifReport(result.findings, version()))}\n`);
    return;
  }
  for (const { file, line, reason, codes } of result.unusedIgnores) {
    const why = reason === undefined ? "gives no reason (-- why), so it silences nothing" : "silences nothing";
    terminal.err(`${printable(file)}:${line}: waypoint-ignore ${codes.join(", ")} ${why}\n`);
  }
  for (const file of result.unparsable) terminal.err(`${printable(file)}: could not be parsed and was passed over\n`);
  if (format === "github") {
    if (result.findings.length > 0) terminal.out(`${githubReport(result.findings)}\n`);
    return;
  }
  if (result.findings.length > 0)
    terminal.out(`${textReport(result.findings, { paints: terminal.colors, printable, lineOf: lines() })}\n\n`);
  terminal.out(`${summary(result)}\n`);
}

function summary({ findings, files }: AuditResult): string {
  const counts = SEVERITIES.map(
    (severity) => [severity, findings.filter((each: Finding) => each.severity === severity).length] as const,
  );
  const found = counts.filter(([, count]) => count > 0).map(([severity, count]) => `${count} ${severity}`);
  return `${files} ${files === 1 ? "file" : "files"}: ${found.length === 0 ? "nothing found" : found.join(", ")}`;
}

function version(): string {
  return (createRequire(import.meta.url)("../../../package.json") as { version: string }).version;
}

/** The lines of files, each file read once. */
function lines(): (file: string, line: number) => string | undefined {
  const texts = new Map<string, string[]>();
  return (file, line) => {
    const known = texts.get(file) ?? readFileSync(join(process.cwd(), file), "utf8").split("\n");
    texts.set(file, known);
    return known[line - 1];
  };
}
