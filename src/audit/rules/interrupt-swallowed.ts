import type { SiteRule } from "./rule.js";

export const interruptSwallowed: SiteRule = {
  code: "WP201",
  name: "interrupt-swallowed",
  severity: "high",
  summary: "Something catches the interrupt, so that the node does not stop and goes on with a wrong value.",
  fix: "Ask outside of the try block, or throw the same error again: `if (isGraphInterrupt(e)) throw e;`.",
  find: ({ findings }) =>
    [...findings.swallows.values()].map(({ question, toQuestion, by }) => ({
      at: question,
      chain: [by, ...toQuestion],
      message: `${by.what} in line ${by.file.position(by.node).line} keeps this interrupt from reaching LangGraph: nobody is asked.`,
    })),
};
