import type { Entry, ToolSet } from "../project/roles.js";
import type { Facts, Report, SiteRule } from "./rule.js";

export const middlewareHook: SiteRule = {
  code: "WP305",
  name: "middleware-hook",
  severity: "high",
  summary:
    "A middleware asks around a call, where the call is made again or another middleware takes the interrupt for a failure.",
  fix: "Ask in beforeModel or afterModel, which are nodes of their own.",
  find: (facts) => [
    ...facts.world.roles.entries
      .filter(({ role, name }) => role === "hook" && name.startsWith("wrap"))
      .flatMap((entry) => inHook(entry, facts)),
    ...facts.world.roles.toolSets.flatMap((set) => behindRetry(set, facts)),
  ],
};

function inHook({ name, value, at: { node, file } }: Entry, { summaries }: Facts): Report[] {
  return [...summaries.of(value).asks.values()].map(({ question, chain }) => ({
    at: question,
    chain: [{ node, file, what: name }, ...chain],
    message: `${name} asks here: what it has called so far is called again with the answer, and an outer middleware may swallow the question.`,
  }));
}

/** Tool calls are tried again whatever they throw. */
function behindRetry({ tools, middleware, at: { node, file } }: ToolSet, { summaries }: Facts): Report[] {
  if (!middleware.some(({ path }) => path.some((step) => step.startsWith("toolRetryMiddleware")))) return [];
  return tools.flatMap((tool) =>
    [...summaries.of(tool).asks.values()].map(({ question, chain }) => ({
      at: question,
      chain: [{ node, file, what: "toolRetryMiddleware()" }, ...chain],
      message: "toolRetryMiddleware runs this tool again and makes an error message of its question.",
    })),
  );
}
