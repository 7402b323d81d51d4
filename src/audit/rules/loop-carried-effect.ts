import { changesSomething } from "./effect-before-interrupt.js";
import type { PairRule } from "./rule.js";

export const loopCarriedEffect: PairRule = {
  code: "WP103",
  name: "loop-carried-effect",
  severity: "high",
  summary: "An effect of one iteration runs before the interrupt of the next, and again with every answer.",
  fix: "Collect all answers first and act on them behind the loop or in the next node, or record the effect with task() or effect().",
  matches: (pair) => changesSomething(pair) && pair.carried,
  severityOf: ({ effect }) => (effect.kind === "unknown" ? "medium" : "high"),
  message: ({ effect }) => `${effect.what} of an earlier iteration runs again with every answer in this loop.`,
};
