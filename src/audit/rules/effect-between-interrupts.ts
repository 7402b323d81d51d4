import { changesSomething } from "./effect-before-interrupt.js";
import type { PairRule } from "./rule.js";

export const effectBetweenInterrupts: PairRule = {
  code: "WP102",
  name: "effect-between-interrupts",
  severity: "high",
  summary: "An effect runs between two interrupts and runs again when the second is answered.",
  fix: "Ask one question per node, or put the effect into task() or effect(), whose result is recorded.",
  matches: (pair) => changesSomething(pair) && pair.between,
  severityOf: ({ effect }) => (effect.kind === "unknown" ? "medium" : "high"),
  message: ({ effect }) => `${effect.what} runs after an answer and again when this second question is answered.`,
};
