import { siteKey } from "../flow/state.js";
import type { PairRule } from "./rule.js";

export const unstableInterruptOrder: PairRule = {
  code: "WP301",
  name: "unstable-interrupt-order",
  severity: "medium",
  summary: "Which questions are asked depends on outside data, and answers are matched to questions by their order.",
  fix: "Read the data in a node before this one, or record it with task() or memo(), so that every run asks the same questions.",
  matches: ({ question, effect, toEffect, reach }, { findings }) =>
    reach.branch &&
    (effect.kind === "read" || (toEffect.length === 0 && (effect.kind === "clock" || effect.kind === "random"))) &&
    findings.crowded.has(siteKey(question)),
  message: ({ effect }) =>
    `Whether this question is asked depends on ${effect.what}; if that changes, an answer goes to another question.`,
};
