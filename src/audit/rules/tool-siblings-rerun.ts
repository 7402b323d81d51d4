import type { ToolSet } from "../project/roles.js";
import { propertyOf, stringOf, unwrap } from "../project/syntax.js";
import type { Facts, Report, SiteRule } from "./rule.js";

export const toolSiblingsRerun: SiteRule = {
  code: "WP304",
  name: "tool-siblings-rerun",
  severity: "high",
  summary: "A tool asks in a ToolNode, and every other tool that the same message calls runs again with the answer.",
  fix: "Use createAgent, or one Send per tool call, or ask for all calls in a node before the tools run.",
  find: (facts) => facts.world.roles.toolSets.flatMap((set) => (runsTogether(set) ? reportsOf(set, facts) : [])),
};

/** All calls of a message are one task; `createAgent` and version 2 of `createReactAgent` give each its own. */
function runsTogether({ maker, at }: ToolSet): boolean {
  if (maker !== "createReactAgent") return maker === "ToolNode";
  const config = at.node.arguments[0];
  return config === undefined || stringOf(propertyOf(unwrap(config), "version")) !== "v2";
}

function reportsOf({ tools, at: { node, file } }: ToolSet, { summaries }: Facts): Report[] {
  const known = tools.map((tool) => ({ tool, summary: summaries.of(tool) }));
  return known.flatMap(({ tool, summary: { asks } }) =>
    [...asks.values()].flatMap(({ question, chain }) =>
      known.flatMap((other): Report[] => {
        const effect = [...other.summary.effects.values()].find(
          ({ site }) => site.kind === "write" || site.kind === "send",
        );
        if (other.tool.fn === tool.fn || effect === undefined) return [];
        return [
          {
            at: question,
            effect: effect.site,
            chain: [{ node, file, what: "ToolNode" }, ...chain],
            message: `${effect.site.what} of another tool runs again when this question is answered, if one message calls both.`,
          },
        ];
      }),
    ),
  );
}
