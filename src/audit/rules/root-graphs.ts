import type { CallSite } from "../project/calls.js";
import { enclosingFunction, memberName, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { ExternalValue, Value } from "../project/value.js";
import type { Facts } from "./rule.js";
import { sitesOf } from "./rule.js";

const LANGGRAPH = /^@langchain\/langgraph(?:$|\/)/;

/** A compiled graph of the project that is run from outside of any graph, and asks. */
export interface RootRun {
  /** `app.invoke(…)` */
  readonly at: CallSite;
  /** `new StateGraph(…)` */
  readonly origin: Node;
  readonly compiled: CallSite;
}

/** `graph.compile(…)` */
export function compiledSites(facts: Facts): CallSite[] {
  return sitesOf(facts, "compile").filter(
    ({ node, file }) => originOf(facts.world.evaluator.of(node, file, undefined), "compile()") !== undefined,
  );
}

/** Where graphs that ask are run, except inside of nodes: a subgraph gets its checkpointer from its parent. */
export function rootRuns(facts: Facts): RootRun[] {
  const compiled = new Map<Node, CallSite[]>();
  for (const site of compiledSites(facts)) {
    const origin = originOf(facts.world.evaluator.of(site.node, site.file, undefined), "compile()");
    if (origin) compiled.set(origin, [...(compiled.get(origin) ?? []), site]);
  }
  const inner = nestedGraphs(facts);
  return ["invoke", "stream", "streamEvents"].flatMap((name) =>
    sitesOf(facts, name).flatMap((at) => {
      const callee = unwrap(at.node.callee);
      if (callee.type !== "MemberExpression" || isInsideGraph(at, facts)) return [];
      const origin = originOf(facts.world.evaluator.of(callee.object, at.file, undefined), "compile()");
      const [site, ...others] = origin === undefined ? [] : (compiled.get(origin) ?? []);
      if (origin === undefined || site === undefined || others.length > 0 || inner.has(origin) || !asks(origin, facts))
        return [];
      return [{ at, origin, compiled: site }];
    }),
  );
}

function originOf(values: readonly Value[], last: string): Node | undefined {
  const [value, ...others] = values;
  if (value?.kind !== "external" || others.length > 0 || !LANGGRAPH.test(value.module)) return undefined;
  return value.path.at(-1) === last ? value.origin?.node : undefined;
}

function asks(origin: Node, { world, summaries }: Facts): boolean {
  return (world.roles.graphs.get(origin) ?? []).some((node) => summaries.of(node).asks.size > 0);
}

/** Graphs that are nodes of others. */
function nestedGraphs(facts: Facts): Set<Node> {
  const nested = new Set<Node>();
  for (const { node, file } of sitesOf(facts, "addNode")) {
    const values = node.arguments.flatMap((argument) => facts.world.evaluator.of(argument, file, undefined));
    for (const { origin } of values as Partial<ExternalValue>[]) if (origin !== undefined) nested.add(origin.node);
  }
  return nested;
}

/** In a function that LangGraph calls, or in a test that passes whatever it likes. */
function isInsideGraph({ node }: CallSite, { world }: Facts): boolean {
  for (let fn = enclosingFunction(node); fn; fn = enclosingFunction(fn)) if (world.roles.of.has(fn)) return true;
  return false;
}

/** Whether the call is expected to fail: `expect(() => app.invoke(…)).rejects`. */
export function isExpectedToFail({ node }: CallSite): boolean {
  for (let at: Node | null | undefined = node.parent; at; at = at.parent) {
    if (at.type === "MemberExpression" && /^(?:rejects|toThrow)/.test(memberName(at) ?? "")) return true;
    if (at.type === "CallExpression") {
      const callee = unwrap(at.callee);
      if (callee.type === "Identifier" && callee.name === "expect") return true;
      if (callee.type === "MemberExpression" && memberName(callee) === "rejects") return true;
    }
    if (at.type.endsWith("Statement")) return false;
  }
  return false;
}
