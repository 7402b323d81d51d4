import type { Node } from "../project/syntax.js";
import { isFunction } from "../project/syntax.js";
import { plainQuestions } from "./plain-questions.js";
import type { SiteRule } from "./rule.js";

export const validationLoop: SiteRule = {
  code: "WP303",
  name: "validation-loop",
  severity: "info",
  summary: "A question is asked in a loop until the answer is good; every run goes through all earlier answers again.",
  fix: "Ask once per node and lead back to it with a conditional edge, or give interrupt() a responseSchema.",
  find: (facts) =>
    plainQuestions(facts)
      .filter(({ node }) => isInOpenLoop(node))
      .map((at) => ({ at, message: "Every answer in this loop is replayed with each further one." })),
};

/** `while`, `do` and `for (;;)`; a loop over a list asks each question once. */
function isInOpenLoop(node: Node): boolean {
  for (let at = node.parent; at && !isFunction(at); at = at.parent) {
    if (at.type === "WhileStatement" || at.type === "DoWhileStatement") return true;
    if (at.type === "ForStatement" && !at.test) return true;
  }
  return false;
}
