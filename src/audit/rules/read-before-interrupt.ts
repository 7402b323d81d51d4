import { where } from "./nondeterminism-before-interrupt.js";
import type { PairRule } from "./rule.js";

export const readBeforeInterrupt: PairRule = {
  code: "WP106",
  name: "read-before-interrupt",
  severity: "medium",
  summary:
    "Something is read before an interrupt and read again with every answer: what was approved may have changed.",
  fix: "Read it in a node before this one, or in task() or memo(), so that what is used is what was shown.",
  matches: ({ effect }) => effect.kind === "read",
  // What was read for an earlier round of a loop was not what is asked about now.
  severityOf: ({ reach, carried }) => (reach.branch || ((reach.payload || reach.later) && !carried) ? "medium" : "low"),
  message: (pair) => `${pair.effect.what} reads again when this question is answered${where(pair)}.`,
};
