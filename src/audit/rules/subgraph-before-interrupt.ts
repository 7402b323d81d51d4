import type { PairRule } from "./rule.js";

export const subgraphBeforeInterrupt: PairRule = {
  code: "WP108",
  name: "subgraph-before-interrupt",
  severity: "low",
  summary: "A graph runs before an interrupt; whether it runs again depends on its checkpointer and on durability.",
  fix: "Add the graph as a node of its own, and ask in the next.",
  matches: ({ effect }) => effect.kind === "subgraph",
  message: ({ effect }) =>
    `${effect.what} runs again when this question is answered, unless it inherits the checkpointer and durability is not "exit".`,
};
