import { wrapped } from "../project/syntax.js";
import { plainQuestions } from "./plain-questions.js";
import type { SiteRule } from "./rule.js";

export const interruptResultThrown: SiteRule = {
  code: "WP202",
  name: "interrupt-result-thrown",
  severity: "high",
  summary: "`throw interrupt(…)` throws the answer when it comes.",
  fix: "Call interrupt() and use what it returns; it throws by itself when there is no answer yet.",
  find: (facts) =>
    plainQuestions(facts)
      .filter(({ node }) => {
        const outer = wrapped(node);
        const { parent } = outer.parent?.type === "AwaitExpression" ? wrapped(outer.parent) : outer;
        return parent?.type === "ThrowStatement";
      })
      .map((at) => ({ at, message: "The answer to this question is thrown, and the run fails with it." })),
};
