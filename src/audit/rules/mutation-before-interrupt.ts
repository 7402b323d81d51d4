import type { PairRule } from "./rule.js";

export const mutationBeforeInterrupt: PairRule = {
  code: "WP107",
  name: "mutation-before-interrupt",
  severity: "low",
  summary: "State or an outer variable is changed before an interrupt: the change is lost, or made twice.",
  fix: "Return the change from the node after the answer, and keep nothing outside of the state.",
  matches: ({ effect }) => effect.kind === "mutation",
  message: ({ effect }) =>
    `${effect.what} is changed before this question: in state the change is lost, elsewhere it is made again.`,
};
