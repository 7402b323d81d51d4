import { propertyOf, unwrap } from "../project/syntax.js";
import { compiledSites } from "./root-graphs.js";
import type { SiteRule } from "./rule.js";

export const staticBreakpoint: SiteRule = {
  code: "WP404",
  name: "static-breakpoint",
  severity: "info",
  summary: "interruptBefore and interruptAfter are for debugging: they ask nothing and take no answer.",
  fix: "Call interrupt() in the node where a person is to decide.",
  find: (facts) =>
    compiledSites(facts).flatMap((at) => {
      const config = at.node.arguments[0] ? unwrap(at.node.arguments[0]) : undefined;
      return ["interruptBefore", "interruptAfter"].flatMap((name) => {
        const value = propertyOf(config, name);
        return value === undefined
          ? []
          : [{ at: { node: value, file: at.file }, message: `${name} stops the graph, but asks nobody.` }];
      });
    }),
};
