import { keyName, propertyOf, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import { isExpectedToFail, rootRuns } from "./root-graphs.js";
import type { SiteRule } from "./rule.js";

export const missingThreadId: SiteRule = {
  code: "WP502",
  name: "missing-thread-id",
  severity: "high",
  summary: "A graph that asks is run without a thread_id, so that its checkpoints cannot be stored.",
  fix: "Pass `{ configurable: { thread_id } }`, and the same one with the answer.",
  find: (facts) =>
    rootRuns(facts)
      .filter(
        ({ at, compiled }) =>
          compiled.node.arguments.length > 0 && !isExpectedToFail(at) && lacksThread(at.node.arguments),
      )
      .map(({ at }) => ({ at, message: "This graph asks, but is run without a thread_id." })),
};

function lacksThread([, second]: readonly Node[]): boolean {
  if (second === undefined) return true;
  const config = unwrap(second);
  if (config.type !== "ObjectExpression" || !isPlain(config)) return false;
  const configurable = propertyOf(config, "configurable");
  if (configurable === undefined) return true;
  const inner = unwrap(configurable);
  return inner.type === "ObjectExpression" && isPlain(inner) && propertyOf(inner, "thread_id") === undefined;
}

/** Without spreads and computed names, which may hold anything. */
function isPlain({ properties }: Node & { type: "ObjectExpression" }): boolean {
  return properties.every(
    (property) => property.type === "Property" && keyName(property.key, property.computed) !== undefined,
  );
}
