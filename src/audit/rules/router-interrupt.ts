import type { SiteRule } from "./rule.js";

export const routerInterrupt: SiteRule = {
  code: "WP406",
  name: "router-interrupt",
  severity: "medium",
  summary: "The function of a conditional edge asks: the node that it leaves runs again with the answer.",
  fix: "Ask in a node of its own, and let the edge look at its result.",
  find: ({ world, summaries }) =>
    world.roles.entries
      .filter(({ role }) => role === "router")
      .flatMap(({ value, at: { node, file } }) =>
        [...summaries.of(value).asks.values()].map(({ question, chain }) => ({
          at: question,
          chain: [{ node, file, what: "addConditionalEdges()" }, ...chain],
          message: "This question is asked in a conditional edge: the whole node before it runs again with the answer.",
        })),
      ),
};
