import type { SiteRule } from "./rule.js";
import { sitesOf } from "./rule.js";

export const deprecatedNodeInterrupt: SiteRule = {
  code: "WP403",
  name: "deprecated-node-interrupt",
  severity: "medium",
  summary: "NodeInterrupt is deprecated and takes no answer: the node stops again until its state changes.",
  fix: "Call interrupt() and use what it returns.",
  find: (facts) =>
    ["NodeInterrupt", "GraphInterrupt"].flatMap((name) =>
      sitesOf(facts, name)
        .filter(
          ({ node, file }) =>
            node.type === "NewExpression" && fromLangGraph(facts.world.evaluator.of(node.callee, file, undefined)),
        )
        .map((at) => ({ at, message: `${name} thrown by hand cannot be answered.` })),
    ),
};

function fromLangGraph(values: readonly { readonly kind: string; readonly module?: string }[]): boolean {
  return values.some(({ kind, module }) => kind === "external" && module?.startsWith("@langchain/langgraph") === true);
}
