import { memberName, unwrap, wrapped } from "./syntax.js";
import type { CallNode, Node } from "./syntax.js";
import type { SourceFile } from "./source-file.js";

export type { CallNode };

/** A call or `new` by the last name of what is called. */
export interface CallSite {
  readonly node: CallNode;
  readonly file: SourceFile;
}

const INDEXES = new WeakMap<SourceFile, ReadonlyMap<string, readonly CallSite[]>>();

/** The calls of a file, by name. */
export function callsIn(file: SourceFile): ReadonlyMap<string, readonly CallSite[]> {
  const known = INDEXES.get(file);
  if (known !== undefined) return known;
  const index = new Map<string, CallSite[]>();
  for (const node of file.index.calls) {
    const name = calleeName(node) ?? "";
    const sites = index.get(name);
    if (sites === undefined) index.set(name, [{ node, file }]);
    else sites.push({ node, file });
  }
  INDEXES.set(file, index);
  return index;
}

/** `c` of `a.b.c()` and of `c()`. */
export function calleeName({ callee }: CallNode): string | undefined {
  const node = unwrap(callee);
  if (node.type === "Identifier") return node.name;
  return node.type === "MemberExpression" ? memberName(node) : undefined;
}

/** `b` of `a.b.c()`. */
export function receiverName({ callee }: CallNode): string {
  const node = unwrap(callee);
  if (node.type !== "MemberExpression") return "";
  const object = unwrap(node.object);
  if (object.type === "Identifier") return object.name;
  if (object.type === "MemberExpression") return memberName(object)?.replace(/^#/, "") ?? "";
  return object.type === "CallExpression" ? (calleeName(object) ?? "") : "";
}

const SETTLES = new Set(["then", "catch", "finally"]);

/** How the result of a call is taken: awaited, given back by the function that makes the call, or taken as it is. */
export type Taken = "awaited" | "returned" | "plain";

export function howTaken(call: Node, file: SourceFile): Taken {
  const outer = wrapped(call);
  const { parent } = outer;
  if (parent?.type === "ReturnStatement") return "returned";
  if (parent?.type === "ArrowFunctionExpression" && parent.body === outer) return "returned";
  if (parent && isChoice(parent, outer)) return howTaken(parent, file);
  if (parent?.type === "ArrayExpression" || (parent?.type === "CallExpression" && isCombinator(parent))) {
    return howTaken(parent, file);
  }
  return isAwaited(call, file) ? "awaited" : "plain";
}

/** `c ? here : here`, `a ?? here`: what becomes of the whole becomes of this. */
function isChoice(parent: Node, part: Node): boolean {
  if (parent.type === "ConditionalExpression") return parent.test !== part;
  return parent.type === "LogicalExpression" && (parent.right === part || parent.operator !== "&&");
}

/** Whether somebody waits for the result of a call: at once, in a `Promise.all`, or later through a variable. */
export function isAwaited(call: Node, file: SourceFile): boolean {
  const outer = wrapped(call);
  const { parent } = outer;
  switch (parent?.type) {
    case "AwaitExpression":
      return true;
    case "ForOfStatement":
      return parent.await && parent.right === outer;
    case "ConditionalExpression":
    case "LogicalExpression":
      return isChoice(parent, outer) && isAwaited(parent, file);
    case "ArrayExpression":
      return isAwaited(parent, file);
    case "CallExpression":
      return parent.callee !== outer && isCombinator(parent) && howTaken(parent, file) !== "plain";
    case "MemberExpression":
      return (
        parent.object === outer && SETTLES.has(memberName(parent) ?? "") && parent.parent?.type === "CallExpression"
      );
    case "VariableDeclarator":
      return parent.id.type === "Identifier" && awaitedLater(parent.id, file);
    default:
      return false;
  }
}

function awaitedLater(name: Node, file: SourceFile): boolean {
  const references = file.variableOf(name)?.references ?? [];
  return references.some(({ identifier }) => {
    const { parent } = wrapped(identifier as Node);
    if (parent?.type === "AwaitExpression") return true;
    return parent?.type === "ArrayExpression" && isAwaited(parent, file);
  });
}

const COMBINATORS = new Set(["all", "allSettled", "race", "any"]);

/** `Promise.all(…)` and its like. */
export function isCombinator(node: Node): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || !COMBINATORS.has(memberName(callee) ?? "")) return false;
  const object = unwrap(callee.object);
  return object.type === "Identifier" && object.name === "Promise";
}
