import { calleeName, howTaken } from "../project/calls.js";
import type { CallNode } from "../project/calls.js";
import { unwrap } from "../project/syntax.js";
import type { FunctionValue } from "../project/value.js";
import { link } from "./findings.js";
import { calledText } from "./meaning.js";
import type { Meaning } from "./meaning.js";
import { carriedBack, join, outOf } from "./state.js";
import type { Walk } from "./walk.js";

const ITERATING = new Set([
  "map",
  "forEach",
  "filter",
  "flatMap",
  "reduce",
  "reduceRight",
  "some",
  "every",
  "find",
  "findIndex",
  "findLast",
  "sort",
  "mapValues",
  "each",
  "eachSeries",
  "mapSeries",
  "mapLimit",
]);
/** Names of functions that run what they are given. */
const RUNNING =
  /^(?:with|run|retry|try|trace|measure|transaction|time|span|wrap|safe|startActiveSpan|observe|finally|use|guard|attempt|exec|call|lock|batch)/i;
/** Packages that run the functions they are given; others keep them for later. */
const RUNS =
  /^(?:lodash|lodash-es|ramda|remeda|p-map|p-limit|p-retry|async-retry|p-settle|@opentelemetry\/.*|async|effect|neverthrow)(?:$|\/)/;

/** Runs the functions that a call is given, when it runs them. */
export function runCallbacks(walk: Walk, node: CallNode, meaning: Meaning): void {
  if (walk.state === undefined || meaning.functions.length > 0) return;
  const functions = node.arguments.flatMap((argument) =>
    walk.world.evaluator.of(argument, walk.file, walk.env).filter((value) => value.kind === "function"),
  );
  if (functions.length === 0) return;
  const how = howItRuns(walk, node, meaning);
  if (how === "never") return;
  const what = calledText(node.callee, walk.file);
  if (how === "once") {
    walk.run(functions, node, what);
    return;
  }
  runForEach(walk, node, functions, what);
}

function howItRuns(walk: Walk, node: CallNode, { values, kind }: Meaning): "never" | "once" | "each" {
  const name = calleeName(node) ?? "";
  const external = values.find((value) => value.kind === "external");
  if (node.type === "NewExpression")
    return external?.module === "" && external.path[0] === "Promise" ? "once" : "never";
  if (external === undefined || (external.module === "" && external.path.length > 0 && external.path[0] === "Array")) {
    if (ITERATING.has(name) || (name === "from" && external !== undefined)) return "each";
    return RUNNING.test(name) || howTaken(node, walk.file) !== "plain" ? "once" : "never";
  }
  if (RUNS.test(external.module)) return ITERATING.has(name) || external.module === "p-map" ? "each" : "once";
  if (ITERATING.has(name) && external.path.some((step) => step.endsWith("()"))) return "each";
  const known = walk.world.catalogue.knows(external.module);
  return !known && kind === "pure" && howTaken(node, walk.file) !== "plain" ? "once" : "never";
}

/** As often as there are elements: what one run does comes before the next. */
function runForEach(walk: Walk, node: CallNode, functions: readonly FunctionValue[], what: string): void {
  const outer = walk.parallel;
  if (functions.some(({ fn }) => fn.async)) walk.parallel ??= link(node, walk.file, what);
  else walk.parallel = undefined;
  const start = walk.state;
  walk.run(functions, node, what);
  walk.state = join(start, carriedBack(walk.state, node));
  walk.run(functions, node, what);
  walk.state = outOf(join(start, walk.state), node);
  walk.parallel = outer;
}

/** Whether an argument is a function, in plain sight or by name. */
export function functionsIn(walk: Walk, argument: CallNode["arguments"][number] | undefined): readonly FunctionValue[] {
  if (argument === undefined) return [];
  return walk.world.evaluator.of(unwrap(argument), walk.file, walk.env).filter((value) => value.kind === "function");
}
