import type { Summaries } from "../flow/analysis.js";
import type { Findings, Pair } from "../flow/findings.js";
import type { World } from "../flow/meaning.js";
import type { EffectSite, Link } from "../flow/state.js";
import type { Severity } from "../finding.js";
import { callsIn } from "../project/calls.js";
import type { CallSite } from "../project/calls.js";
import type { SourceFile } from "../project/source-file.js";

/** All that a rule may look at. */
export interface Facts {
  readonly files: readonly SourceFile[];
  readonly world: World;
  readonly findings: Findings;
  readonly summaries: Summaries;
}

export interface Meta {
  readonly code: string;
  readonly name: string;
  readonly severity: Severity;
  /** One sentence: what is wrong. */
  readonly summary: string;
  /** One sentence: what to do. */
  readonly fix: string;
}

/** What a rule has found. */
export interface Report {
  readonly at: Omit<Link, "what">;
  readonly message: string;
  readonly severity?: Severity;
  readonly effect?: EffectSite;
  readonly chain?: readonly Link[];
  readonly repeats?: number | "unbounded";
}

/** A rule about single places. */
export interface SiteRule extends Meta {
  readonly find: (facts: Facts) => Report[];
}

/** A rule about an effect before a question; of those that match, the first of the list is the most specific. */
export interface PairRule extends Meta {
  readonly matches: (pair: Pair, facts: Facts) => boolean;
  readonly message: (pair: Pair) => string;
  readonly severityOf?: (pair: Pair) => Severity;
}

export type Rule = SiteRule | PairRule;

/** The calls and `new`s of a name, in all files. */
export function sitesOf({ files }: Facts, name: string): CallSite[] {
  return files.flatMap((file) => callsIn(file).get(name) ?? []);
}
