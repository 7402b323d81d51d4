import type { Finding, Place, Severity } from "../finding.js";
import { RULES } from "../rules/index.js";

const LEVELS = { high: "error", medium: "warning", low: "note", info: "note" } as const satisfies Record<
  Severity,
  string
>;

const PAGES = "https://www.npmjs.com/package/langgraph-waypoint";

/** A log of SARIF 2.1.0, as code hosts read it. Paths are relative to the working directory. */
export function sarifReport(findings: readonly Finding[], version: string): object {
  const rules = RULES.map(({ code, name, severity, summary, fix }) => ({
    id: code,
    name,
    shortDescription: { text: summary },
    help: { text: fix },
    helpUri: PAGES,
    defaultConfiguration: { level: LEVELS[severity] },
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "langgraph-waypoint", version, informationUri: PAGES, rules } },
        columnKind: "utf16CodeUnits",
        results: findings.map(resultOf),
      },
    ],
  };
}

function resultOf({ code, severity, message, fix, interrupt, effect, chain }: Finding): object {
  const related = [
    ...(effect === undefined ? [] : [{ ...location(effect), message: { text: effect.what } }]),
    ...chain.map((link) => ({ ...location(link), message: { text: link.what } })),
  ];
  return {
    ruleId: code,
    ruleIndex: RULES.findIndex((rule) => rule.code === code),
    level: LEVELS[severity],
    message: { text: `${message} ${fix}` },
    locations: [location(interrupt)],
    ...(related.length === 0 ? {} : { relatedLocations: related.map((each, id) => ({ id, ...each })) }),
  };
}

function location({ file, line, column }: Omit<Place, "column"> & { readonly column?: number }): object {
  const region = { startLine: line, ...(column === undefined ? {} : { startColumn: column }) };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } };
}

function uriOf(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}
