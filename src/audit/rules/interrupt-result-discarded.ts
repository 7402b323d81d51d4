import type { Question } from "../flow/findings.js";
import { wrapped } from "../project/syntax.js";
import { plainQuestions } from "./plain-questions.js";
import type { SiteRule } from "./rule.js";

export const interruptResultDiscarded: SiteRule = {
  code: "WP203",
  name: "interrupt-result-discarded",
  severity: "medium",
  summary: "The answer is not looked at, so that a rejection changes nothing.",
  fix: "Use what interrupt() returns to decide what happens, or write `void interrupt(…)` where any answer may go on.",
  find: (facts) =>
    plainQuestions(facts)
      .filter(isDiscarded)
      .map((at) => ({ at, message: "Whatever is answered to this question, the node goes on in the same way." })),
};

function isDiscarded({ node, file }: Question): boolean {
  const call = wrapped(node);
  const outer = call.parent?.type === "AwaitExpression" ? wrapped(call.parent) : call;
  const { parent } = outer;
  if (parent?.type === "ExpressionStatement") return true;
  if (parent?.type !== "VariableDeclarator" || parent.id.type !== "Identifier") return false;
  const variable = file.variableOf(parent.id);
  const exported = parent.parent?.parent?.type === "ExportNamedDeclaration";
  return variable !== undefined && !exported && !variable.references.some((reference) => reference.isRead());
}
