import type { Question } from "../flow/findings.js";
import type { Facts } from "./rule.js";

/** The calls of LangGraph's own `interrupt()` that something leads to. */
export function plainQuestions({ findings }: Facts): Question[] {
  return [...findings.questions.values()].filter(({ plain }) => plain);
}
