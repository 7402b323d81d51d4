import { keyName, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import { isExpectedToFail, rootRuns } from "./root-graphs.js";
import type { SiteRule } from "./rule.js";

export const noCheckpointer: SiteRule = {
  code: "WP501",
  name: "no-checkpointer",
  severity: "high",
  summary: "A graph that asks is compiled without a checkpointer and run: there is nothing to continue from.",
  fix: 'Give compile() a checkpointer, such as SlimSaver.fromConnString("agent.db").',
  find: (facts) =>
    rootRuns(facts)
      .filter(({ at, compiled }) => !isExpectedToFail(at) && lacksCheckpointer(compiled.node.arguments))
      .map(({ at, compiled }) => ({
        at,
        chain: [{ ...compiled, what: "compile()" }],
        message: `This graph asks, but is compiled without a checkpointer in line ${compiled.file.position(compiled.node).line}.`,
      })),
};

/** What is given by another name may hold a checkpointer. */
function lacksCheckpointer([first]: readonly Node[]): boolean {
  if (first === undefined) return true;
  const config = unwrap(first);
  if (config.type !== "ObjectExpression") return false;
  return config.properties.every(
    (property) => property.type === "Property" && keyName(property.key, property.computed) !== "checkpointer",
  );
}
