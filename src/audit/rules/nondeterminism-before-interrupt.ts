import type { Pair } from "../flow/findings.js";
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

/** A time that is only shown harms nobody; an id that is shown may be referred to. */
function matters({ effect, reach }: Pair): boolean {
  return reach.branch || reach.later || (reach.payload && effect.kind === "random");
}

/** What the value has to do with the question, as the end of a sentence. */
export function where({ reach }: Pair): string {
  if (reach.branch) return "; whether or what is asked depends on it";
  if (reach.payload && reach.later) return "; what was shown is not what is used afterwards";
  if (reach.later) return "; it is used after the answer";
  return reach.payload ? "; it is shown in the question" : "";
}
