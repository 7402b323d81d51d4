import type { Pair } from "../flow/findings.js";
import type { PairRule } from "./rule.js";

/** Kinds that change or reach something outside, as far as is known. */
export function changesSomething({ effect }: Pair): boolean {
  return effect.kind === "write" || effect.kind === "send" || effect.kind === "unknown";
}

export const effectBeforeInterrupt: PairRule = {
  code: "WP101",
  name: "effect-before-interrupt",
  severity: "high",
  summary: "An effect runs before an interrupt and runs again with every answer.",
  fix: "Move it behind the interrupt, into a node of its own, or into task() or effect(), whose result is recorded.",
  matches: changesSomething,
  severityOf: ({ effect }) => (effect.kind === "unknown" ? "medium" : "high"),
  message: ({ effect }) =>
    effect.kind === "unknown"
      ? `${effect.what} runs again when this question is answered, and nothing says that this does no harm.`
      : `${effect.what} runs again when this question is answered.`,
};
