import type { SiteRule } from "./rule.js";

export const parallelInterrupts: SiteRule = {
  code: "WP302",
  name: "parallel-interrupts",
  severity: "high",
  summary: "Questions are asked side by side in one node, and answers are matched to them by their order.",
  fix: "Ask one after the other, or give each its own node with Send.",
  find: ({ findings }) =>
    [...findings.parallels.values()].map(({ question, toQuestion, by }) => ({
      at: question,
      chain: [by, ...toQuestion],
      message: `${by.what} asks this question beside others or without waiting for it: answers may go to the wrong one.`,
    })),
};
