import type { PairRule } from "./rule.js";

export const modelCallBeforeInterrupt: PairRule = {
  code: "WP104",
  name: "model-call-before-interrupt",
  severity: "medium",
  summary:
    "A model is called before an interrupt: it is paid for again, and may say something else than what was shown.",
  fix: "Call the model in a node before this one, or in task() or memo(), and ask here about what the state holds.",
  matches: ({ effect }) => effect.kind === "model",
  message: ({ effect }) =>
    `${effect.what} asks the model again when this question is answered, and may answer differently.`,
};
