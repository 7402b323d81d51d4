import type { SiteRule } from "./rule.js";

export const generatorNode: SiteRule = {
  code: "WP405",
  name: "generator-node",
  severity: "high",
  summary: "A generator function is no node: its body never runs, and its question is never asked.",
  fix: "Make it an async function, and stream with config.writer.",
  find: ({ world, summaries }) =>
    world.roles.entries
      .filter(({ role, value }) => role === "node" && value.fn.generator)
      .flatMap(({ value, at: { node, file }, name }) =>
        [...summaries.of(value).asks.values()].map(({ question, chain }) => ({
          at: question,
          chain: [{ node, file, what: `addNode("${name}")` }, ...chain],
          message: `The node "${name}" is a generator function: this question is never asked.`,
        })),
      ),
};
