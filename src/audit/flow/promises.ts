import { memberName, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { CallNode } from "../project/calls.js";
import { functionsIn, runCallbacks } from "./callbacks.js";
import { visitExpression, visitParts } from "./expressions.js";
import { link } from "./findings.js";
import { calledText } from "./meaning.js";
import type { Meaning } from "./meaning.js";
import { once } from "./statements.js";
import { join } from "./state.js";
import type { Flow, Occurrence } from "./state.js";
import { fateIn } from "./swallow.js";
import type { Fate } from "./swallow.js";
import type { TryFrame, Walk } from "./walk.js";

/** `Promise.all([a(), b()])`: each may have happened before each. */
export function visitCombinator(walk: Walk, node: Node & { type: "CallExpression" }): void {
  const callee = unwrap(node.callee);
  const settles = callee.type === "MemberExpression" && memberName(callee) === "allSettled";
  const by = link(node, walk.file, calledText(node.callee, walk.file));
  const frame: TryFrame = { thrown: undefined, abrupt: undefined, fate: () => "swallowed", by };
  if (settles) walk.tries.push(frame);
  const given = node.arguments[0] ? unwrap(node.arguments[0]) : undefined;
  if (given?.type === "ArrayExpression") visitSideBySide(walk, given, by);
  else if (given) visitAtOnce(walk, given, by);
  if (!settles) return;
  walk.tries.pop();
  walk.state = join(walk.state, frame.thrown);
}

function visitAtOnce(walk: Walk, node: Node, by: TryFrame["by"]): void {
  const outer = walk.parallel;
  walk.parallel = by;
  visitExpression(walk, node);
  walk.parallel = outer;
}

function visitSideBySide(walk: Walk, { elements }: Node & { type: "ArrayExpression" }, by: TryFrame["by"]): void {
  const start = walk.state;
  const { silent } = walk;
  walk.silent = true;
  const alone = elements.map((element) => {
    walk.state = start;
    const { asked } = walk;
    if (element) visitExpression(walk, element);
    return { effects: newEffects(start, walk.state), asks: walk.asked > asked };
  });
  walk.silent = silent;
  const many = alone.filter(({ asks }) => asks).length > 1;
  let end: Flow;
  for (const [index, element] of elements.entries()) {
    const others = alone.flatMap(({ effects }, other) => (other === index ? [] : effects));
    walk.state = start === undefined ? undefined : { ...start, effects: new Map([...start.effects, ...others]) };
    if (element && many) visitAtOnce(walk, element, by);
    else if (element) visitExpression(walk, element);
    end = join(end, walk.state);
  }
  walk.state = elements.length === 0 ? start : end;
}

function newEffects(before: Flow, after: Flow): [string, Occurrence][] {
  return [...(after?.effects ?? [])].filter(([key]) => before?.effects.has(key) !== true);
}

/** `promise.catch(handler)` and `promise.then(use, handler)`. */
export function visitSettled(
  walk: Walk,
  node: Node & { type: "CallExpression" },
  callee: Node & { type: "MemberExpression" },
): boolean {
  const [first, second] = node.arguments;
  const handler = memberName(callee) === "catch" ? first : second;
  const use = memberName(callee) === "then" ? first : undefined;
  if (handler === undefined && use === undefined) return false;
  if (handler === undefined) visitExpression(walk, callee.object);
  else {
    const by = link(handler, walk.file, `.${memberName(callee) ?? ""}()`);
    const frame: TryFrame = { thrown: undefined, abrupt: undefined, fate: once(() => fateOf(walk, handler)), by };
    walk.tries.push(frame);
    visitExpression(walk, callee.object);
    walk.tries.pop();
    const done = walk.state;
    walk.state = frame.thrown;
    const functions = functionsIn(walk, handler);
    if (functions.length > 0) walk.run(functions, handler, "the handler");
    walk.state = join(done, walk.state);
  }
  const functions = functionsIn(walk, use);
  if (functions.length > 0) walk.run(functions, node, "then()");
  return true;
}

function fateOf(walk: Walk, handler: Node): Fate {
  const values = walk.world.evaluator.of(handler, walk.file, walk.env);
  for (const value of values) {
    if (value.kind === "function" && value.fn.body) {
      return fateIn({ param: value.fn.params[0], body: value.fn.body }, value.file, value.env, walk.world.evaluator);
    }
    if (value.kind === "external") return value.module === "" ? "swallowed" : "unknown";
  }
  return "unknown";
}

/** Packages that keep an error to themselves, or try again whatever it is. */
const SWALLOWERS = new Set([
  "p-retry",
  "async-retry",
  "await-to-js",
  "p-settle",
  "p-reflect",
  "exponential-backoff",
  "cockatiel",
  "retry",
  "@lifeomic/attempt",
  "ts-retry",
  "ts-retry-promise",
]);

export function visitSwallower(walk: Walk, node: CallNode, meaning: Meaning): boolean {
  const known = meaning.values.some((value) => value.kind === "external" && SWALLOWERS.has(value.module));
  if (!known) return false;
  const by = link(node, walk.file, calledText(node.callee, walk.file));
  const frame: TryFrame = { thrown: undefined, abrupt: undefined, fate: () => "swallowed", by };
  walk.tries.push(frame);
  visitParts(walk, node, meaning);
  runCallbacks(walk, node, meaning);
  walk.tries.pop();
  walk.state = join(walk.state, frame.thrown);
  return true;
}
