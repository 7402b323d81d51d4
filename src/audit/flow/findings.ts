import type { SourceFile } from "../project/source-file.js";
import type { Node } from "../project/syntax.js";
import type { Reach } from "./reach.js";
import { siteKey } from "./state.js";
import type { EffectSite, Link } from "./state.js";

/** A question: a call of `interrupt()`, or of something of ours that asks. */
export interface Question extends Link {
  /** LangGraph's own `interrupt`. */
  readonly plain: boolean;
}

/** An effect that may have happened before a question, in one visit of a node. */
export interface Pair {
  readonly question: Question;
  readonly effect: EffectSite;
  /** The calls that lead from the function in which both are, to either. */
  readonly toQuestion: readonly Link[];
  readonly toEffect: readonly Link[];
  /** Only an earlier iteration has the effect. */
  readonly carried: boolean;
  /** Another question may come before the effect. */
  readonly between: boolean;
  /** The effect happens only when something that was read says that it has not. */
  readonly guarded: boolean;
  /** The question is asked in the catch block of the effect. */
  readonly inCatch: boolean;
  readonly reach: Reach;
  /** The question is asked again and again in a loop. */
  readonly looped: boolean;
}

/** A handler or a wrapper that keeps a question from reaching LangGraph. */
export interface Swallow {
  readonly question: Question;
  readonly toQuestion: readonly Link[];
  readonly by: Link;
}

/** Questions that are asked side by side. */
export interface Parallel {
  readonly question: Question;
  readonly toQuestion: readonly Link[];
  readonly by: Link;
}

/** What the flow has found out about all functions that lead to a question. */
export class Findings {
  readonly pairs = new Map<string, Pair>();
  readonly swallows = new Map<string, Swallow>();
  readonly parallels = new Map<string, Parallel>();
  readonly questions = new Map<string, Question>();
  /** Questions that are not the only one of their visit. */
  readonly crowded = new Set<string>();

  pair(pair: Pair): void {
    const key = `${siteKey(pair.question)}<${siteKey(pair.effect)}:${pair.effect.kind}`;
    const other = this.pairs.get(key);
    this.pairs.set(key, other === undefined ? pair : merged(other, pair));
  }

  swallow(swallow: Swallow): void {
    const key = `${siteKey(swallow.question)}<${siteKey(swallow.by)}`;
    if (!this.swallows.has(key)) this.swallows.set(key, swallow);
  }

  parallel(parallel: Parallel): void {
    const key = siteKey(parallel.question);
    if (!this.parallels.has(key)) this.parallels.set(key, parallel);
  }
}

function merged(a: Pair, b: Pair): Pair {
  const shorter = a.toEffect.length + a.toQuestion.length <= b.toEffect.length + b.toQuestion.length ? a : b;
  return {
    ...shorter,
    carried: a.carried && b.carried,
    between: a.between || b.between,
    guarded: a.guarded && b.guarded,
    inCatch: a.inCatch && b.inCatch,
    looped: a.looped || b.looped,
    reach: {
      payload: a.reach.payload || b.reach.payload,
      branch: a.reach.branch || b.reach.branch,
      later: a.reach.later || b.reach.later,
    },
  };
}

export function link(node: Node, file: SourceFile, what: string): Link {
  return { node, file, what };
}
