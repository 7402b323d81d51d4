import type { Pair } from "../flow/findings.js";
import type { Node } from "../project/syntax.js";
import { wrapped } from "../project/syntax.js";
import type { PairRule } from "./rule.js";

export const nondeterminismBeforeInterrupt: PairRule = {
  code: "WP105",
  name: "nondeterminism-before-interrupt",
  severity: "medium",
  summary: "A clock or a random value before an interrupt is another one when the node runs again.",
  fix: "Use now(), random() or uuid(), which are recorded, or make the value in a node before this one.",
  matches: ({ effect }) => effect.kind === "clock" || effect.kind === "random",
  severityOf: (pair) => (matters(pair) ? "medium" : "info"),
  message: (pair) => `${pair.effect.what} gives another value when this question is answered${where(pair)}.`,
};

/**
 * A time that is only shown harms nobody, nor does one that is only used afterwards: nobody has seen the first. An id
 * that is shown may be referred to, and one that is used may have been used before.
 */
function matters(pair: Pair): boolean {
  const { effect, reach, carried } = pair;
  if (reach.branch) return true;
  if (effect.kind === "random") return reach.later || reach.payload;
  return reach.later && reach.payload && !carried && !isFallback(pair);
}

/** `state.at ?? new Date()`: what stands in for a value that is there as a rule. */
function isFallback({ effect, toEffect }: Pair): boolean {
  let at = wrapped(toEffect[0]?.node ?? effect.node);
  for (let { parent } = at; parent; at = wrapped(parent), parent = at.parent) {
    if (parent.type === "LogicalExpression" && parent.right === at) return parent.operator !== "&&";
    if (!carriesOn(parent, at)) return false;
  }
  return false;
}

/** `new Date().toISOString()` and `` `id-${Date.now()}` `` are still the time. */
function carriesOn(parent: Node, part: Node): boolean {
  if (parent.type === "CallExpression") return parent.callee === part;
  return parent.type === "MemberExpression" || parent.type === "TemplateLiteral" || parent.type === "NewExpression";
}

/** What the value has to do with the question, as the end of a sentence. */
export function where({ reach }: Pair): string {
  if (reach.branch) return "; whether or what is asked depends on it";
  if (reach.payload && reach.later) return "; what was shown is not what is used afterwards";
  if (reach.later) return "; it is used after the answer";
  return reach.payload ? "; it is shown in the question" : "";
}
