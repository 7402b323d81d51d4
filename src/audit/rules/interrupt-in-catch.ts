import type { PairRule } from "./rule.js";

export const interruptInCatch: PairRule = {
  code: "WP204",
  name: "interrupt-in-catch",
  severity: "medium",
  summary:
    "The question is asked in the catch block of what failed: with the answer that is tried again first, and may now succeed.",
  fix: "Catch the failure, return it as state, and ask in the next node.",
  matches: ({ effect, inCatch }) =>
    inCatch && effect.kind !== "mutation" && effect.kind !== "clock" && effect.kind !== "random",
  message: ({ effect }) =>
    `${effect.what} is tried again before this question is reached; if it then succeeds, the answer is lost or goes to another question.`,
};
