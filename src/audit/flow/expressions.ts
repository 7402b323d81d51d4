import { calleeName, isAwaited, isCombinator } from "../project/calls.js";
import type { CallNode } from "../project/calls.js";
import type { Variable } from "../project/source-file.js";
import { contains, eachChild, enclosingFunction, isFunction, memberName, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { FunctionValue } from "../project/value.js";
import { runCallbacks } from "./callbacks.js";
import { branchesOf } from "./conditions.js";
import { withFlag } from "./flags.js";
import { visitCombinator, visitSettled, visitSwallower } from "./promises.js";
import { meaningOf } from "./meaning.js";
import type { Meaning } from "./meaning.js";
import { join, withGuards } from "./state.js";
import type { Walk } from "./walk.js";

/** What an expression does, in the order in which it is evaluated. */
export function visitExpression(walk: Walk, expression: Node): void {
  if (walk.state === undefined) return;
  const node = unwrap(expression);
  switch (node.type) {
    case "Identifier":
    case "Literal":
    case "ThisExpression":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ClassExpression":
      return;
    case "CallExpression":
    case "NewExpression": {
      visitCall(walk, node);
      return;
    }
    case "TaggedTemplateExpression":
      for (const inner of node.quasi.expressions) visitExpression(walk, inner);
      {
        visitTagged(walk, node);
        return;
      }
    case "LogicalExpression": {
      visitLogical(walk, node);
      return;
    }
    case "ConditionalExpression": {
      visitConditional(walk, node);
      return;
    }
    case "AssignmentExpression":
      visitExpression(walk, node.right);
      visitExpression(walk, node.left);
      {
        visitMutation(walk, node, node.left);
        if (node.operator === "=") walk.state = withFlag(walk.state, node.left, node.right, walk.file);
        return;
      }
    case "UpdateExpression": {
      visitMutation(walk, node, node.argument);
      return;
    }
    default:
      eachChild(node, (child) => {
        if (!isFunction(child)) visitExpression(walk, child);
      });
  }
}

function visitLogical(walk: Walk, node: Node & { type: "LogicalExpression" }): void {
  visitExpression(walk, node.left);
  const skipped = walk.state;
  const { whenTrue, whenFalse } = branchesOf(node.left, walk.file);
  walk.state = withGuards(walk.state, node.operator === "&&" ? whenTrue : node.operator === "||" ? whenFalse : []);
  visitExpression(walk, node.right);
  walk.state = join(skipped, walk.state);
}

function visitConditional(walk: Walk, node: Node & { type: "ConditionalExpression" }): void {
  visitExpression(walk, node.test);
  const { whenTrue, whenFalse } = branchesOf(node.test, walk.file);
  const start = walk.state;
  walk.state = withGuards(start, whenTrue);
  visitExpression(walk, node.consequent);
  const yes = walk.state;
  walk.state = withGuards(start, whenFalse);
  visitExpression(walk, node.alternate);
  walk.state = join(yes, walk.state);
}

const SETTLING = new Set(["then", "catch"]);

function visitCall(walk: Walk, node: CallNode): void {
  if (node.type === "CallExpression") {
    if (isCombinator(node)) {
      visitCombinator(walk, node);
      return;
    }
    const callee = unwrap(node.callee);
    if (
      callee.type === "MemberExpression" &&
      SETTLING.has(memberName(callee) ?? "") &&
      visitSettled(walk, node, callee)
    )
      return;
  }
  const meaning = meaningOf(node, walk.file, walk.env, walk.world);
  if (visitSwallower(walk, node, meaning)) return;
  visitParts(walk, node, meaning);
  if (walk.state === undefined) return;
  if (endsProcess(meaning)) {
    walk.state = undefined;
    return;
  }
  if (!walk.absorbed.has(node)) walk.call(node, node.callee, meaning);
  runCallbacks(walk, node, meaning);
  if (node.type === "CallExpression") visitMutatingCall(walk, node, meaning);
}

/** The callee and the arguments. A chain of calls that is known by its end is one thing. */
export function visitParts(walk: Walk, node: CallNode, meaning: Meaning): void {
  const callee = unwrap(node.callee);
  if (meaning.values.length > 0 && meaning.kind !== undefined && meaning.kind !== "pure" && !meaning.guessed) {
    for (let inner = callee; inner.type === "MemberExpression" || inner.type === "CallExpression";) {
      if (inner.type === "CallExpression") walk.absorbed.add(inner);
      inner = unwrap(inner.type === "MemberExpression" ? inner.object : inner.callee);
    }
  }
  if (callee.type === "MemberExpression") {
    visitExpression(walk, callee.object);
    if (callee.computed) visitExpression(walk, callee.property);
  } else if (callee.type !== "Identifier") visitExpression(walk, callee);
  const skipped = node.type === "CallExpression" && node.optional ? walk.state : undefined;
  for (const argument of node.arguments) visitExpression(walk, argument);
  walk.state = join(walk.state, skipped);
  if (isFunction(callee)) walk.run([functionHere(walk, callee)], node, "an immediate function");
}

export function functionHere(walk: Walk, fn: Node): FunctionValue {
  return { kind: "function", fn: fn as FunctionValue["fn"], file: walk.file, env: walk.env };
}

function endsProcess({ values }: Meaning): boolean {
  return values.some(
    (value) => value.kind === "external" && value.module === "" && value.path.join(".") === "process.exit",
  );
}

/** `sql`…`` is a call of `sql`. */
function visitTagged(walk: Walk, node: Node & { type: "TaggedTemplateExpression" }): void {
  const call = { ...node, type: "CallExpression", callee: node.tag, arguments: [node.quasi] } as unknown as CallNode;
  const meaning = meaningOf(call, walk.file, walk.env, walk.world);
  if (meaning.guessed && !isAwaited(node, walk.file)) return;
  walk.call(node, node.tag, meaning);
}

const MUTATING = new Set([
  "push",
  "unshift",
  "pop",
  "shift",
  "splice",
  "set",
  "add",
  "delete",
  "clear",
  "sort",
  "reverse",
  "fill",
]);

function visitMutatingCall(walk: Walk, node: Node & { type: "CallExpression" }, meaning: Meaning): void {
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || !MUTATING.has(calleeName(node) ?? "")) return;
  const external = meaning.values.some((value) => value.kind === "external" && value.module !== "");
  if (meaning.functions.length === 0 && !external && (meaning.guessed || meaning.kind === "pure"))
    visitMutation(walk, node, callee);
}

/** A change of what outlives the visit: the state that the node was given, or a variable around the node. */
function visitMutation(walk: Walk, node: Node, target: Node): void {
  let at = unwrap(target);
  const whole = at;
  while (at.type === "MemberExpression") at = unwrap(at.object);
  if (at.type !== "Identifier") return;
  const variable = walk.file.variableOf(at);
  const [definition] = variable?.defs ?? [];
  if (variable === undefined || definition === undefined) return;
  const name = definition.name as Node;
  const outer = !contains(walk.fn, name);
  const ofState = whole.type === "MemberExpression" && isState(walk, variable);
  if (outer ? !isLocalToCaller(walk, variable) : ofState) {
    walk.effect(
      "mutation",
      node,
      walk.file.textOf(whole).replaceAll(/\s+/g, " ").slice(0, 60),
      false,
      outer ? variable : undefined,
    );
  }
}

/** The first parameter of what LangGraph calls. */
function isState({ fn, world }: Walk, variable: Variable): boolean {
  const [first] = fn.params;
  if (!world.roles.of.has(fn) || first === undefined) return false;
  return variable.defs.some(({ type, name }) => type === "Parameter" && contains(first, name as Node));
}

/** Types and imports are no variables that change. */
function isLocalToCaller(_walk: Walk, variable: Variable): boolean {
  const node = variable.defs[0]?.node as Node | undefined;
  return (
    node === undefined ||
    node.type === "ImportSpecifier" ||
    (enclosingFunction(node) === undefined && node.type !== "VariableDeclarator")
  );
}
