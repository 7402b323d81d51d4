import { relative, sep } from "node:path";
import { Catalogue } from "./catalogue/catalogue.js";
import type { CatalogueEntry } from "./catalogue/catalogue.js";
import type { Finding, Place, Severity } from "./finding.js";
import { analyse } from "./flow/analysis.js";
import type { Pair } from "./flow/findings.js";
import { relevantFiles } from "./flow/relevant.js";
import type { Declared } from "./flow/meaning.js";
import { siteKey } from "./flow/state.js";
import type { Link } from "./flow/state.js";
import { Evaluator } from "./project/evaluate.js";
import type { Project } from "./project/project.js";
import { NO_ROLES, rolesIn } from "./project/roles.js";
import { PAIR_RULES, SITE_RULES } from "./rules/index.js";
import type { Facts, Meta, Report } from "./rules/rule.js";

export interface EngineOptions {
  /** Paths in findings are relative to it. */
  readonly root: string;
  readonly catalogue?: readonly CatalogueEntry[];
  readonly declared?: Declared;
  /** Severities by code, and `off`. */
  readonly severity?: Readonly<Record<string, Severity | "off">>;
}

/** All findings of a project: a function of its files and of nothing else. */
export function findingsOf(project: Project, options: EngineOptions): Finding[] {
  const evaluator = new Evaluator(project);
  const known = {
    evaluator,
    catalogue: new Catalogue(options.catalogue),
    declared: options.declared ?? (() => undefined),
  };
  const files = relevantFiles(project, { ...known, roles: NO_ROLES });
  const world = { ...known, roles: rolesIn(files, evaluator) };
  const facts: Facts = { files, world, ...analyse(files, world) };
  const found = [...weighed(pairReports(facts)), ...siteReports(facts)].flatMap(([rule, report]) => {
    const severity = options.severity?.[rule.code] ?? report.severity ?? rule.severity;
    return severity === "off" ? [] : [findingOf(rule, report, severity, options.root)];
  });
  return found.sort(byPlace);
}

function pairReports(facts: Facts): [Meta, Report][] {
  const pairs = [...facts.findings.pairs.values()];
  const asked = new Map<string, number>();
  for (const { effect } of pairs) asked.set(siteKey(effect), (asked.get(siteKey(effect)) ?? 0) + 1);
  return pairs.flatMap((pair): [Meta, Report][] => {
    const rule = PAIR_RULES.find(({ matches }) => matches(pair, facts));
    if (rule === undefined) return [];
    const { question, effect } = pair;
    const report: Report = {
      at: question,
      effect,
      chain: chainOf(pair),
      message: rule.message(pair),
      severity: rule.severityOf?.(pair) ?? rule.severity,
      repeats: pair.looped ? "unbounded" : (asked.get(siteKey(effect)) ?? 1),
    };
    return [[rule, report]];
  });
}

/** Rules about what a re-run reads, pays for or finds changed, and about nothing that it does to others. */
const LESSER = new Set(["WP104", "WP105", "WP106", "WP301"]);
const FAR = 3;

/**
 * A question that something graver stands before: what is read over many calls is of little account beside it, and is
 * reported as low.
 */
function weighed(reports: readonly [Meta, Report][]): [Meta, Report][] {
  const grave = new Set(reports.flatMap(([, { at, severity }]) => (severity === "high" ? [siteKey(at)] : [])));
  return reports.map(([rule, report]) =>
    LESSER.has(rule.code) &&
    report.severity === "medium" &&
    (report.chain?.length ?? 0) >= FAR &&
    grave.has(siteKey(report.at))
      ? [rule, { ...report, severity: "low" }]
      : [rule, report],
  );
}

/** From the function in which both are: first to the question, then to the effect. */
function chainOf({ toQuestion, toEffect }: Pair): readonly Link[] {
  return [...toQuestion, ...toEffect];
}

function siteReports(facts: Facts): [Meta, Report][] {
  return SITE_RULES.flatMap((rule) => rule.find(facts).map((report): [Meta, Report] => [rule, report]));
}

function findingOf({ code, name, fix }: Meta, report: Report, severity: Severity, root: string): Finding {
  const { at, effect, chain = [], message, repeats = 1 } = report;
  return {
    code,
    rule: name,
    severity,
    message,
    fix,
    interrupt: placeOf(at, root),
    ...(effect === undefined ? {} : { effect: { ...placeOf(effect, root), what: effect.what } }),
    chain: chain.map((link) => ({
      file: pathOf(link, root),
      line: link.file.position(link.node).line,
      what: link.what,
    })),
    repeats,
  };
}

function placeOf(link: Omit<Link, "what">, root: string): Place {
  return { file: pathOf(link, root), ...link.file.position(link.node) };
}

function pathOf({ file }: Omit<Link, "what">, root: string): string {
  return relative(root, file.path).split(sep).join("/");
}

function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.interrupt.file, b.interrupt.file) ||
    a.interrupt.line - b.interrupt.line ||
    a.interrupt.column - b.interrupt.column ||
    compare(a.code, b.code) ||
    (a.effect?.line ?? 0) - (b.effect?.line ?? 0)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
