import { visitorKeys } from "@typescript-eslint/visitor-keys";
import type {
  ArrowFunctionExpression,
  Expression,
  Function as FunctionLike,
  Node,
  Program,
  PropertyKey as KeyNode,
} from "oxc-parser";

/** The syntax is ESTree with TypeScript's nodes, as oxc-parser and typescript-eslint both give it. */
export type { Node, Expression, Program };
export type CallNode = Node & { type: "CallExpression" | "NewExpression" };
export type FunctionNode = FunctionLike | ArrowFunctionExpression;

/** Expressions that are their inner expression as far as values are concerned. */
export function unwrap(node: Node): Node {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case "ParenthesizedExpression":
      case "ChainExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
      case "TSInstantiationExpression":
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

const WRAPPERS = new Set([
  "ParenthesizedExpression",
  "ChainExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);

/** The outermost expression that only wraps this one: parentheses, casts, optional chains. */
export function wrapped(node: Node): Node {
  let outer = node;
  while (outer.parent && WRAPPERS.has(outer.parent.type)) outer = outer.parent;
  return outer;
}

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return (
    node?.type === "FunctionDeclaration" ||
    node?.type === "FunctionExpression" ||
    node?.type === "ArrowFunctionExpression"
  );
}

/** Where a node begins and ends; the hosts of ESLint give `range` alone. */
export function spanOf(node: Node): readonly [number, number] {
  const { range } = node as { range?: [number, number] };
  return range ?? [node.start, node.end];
}

export function startOf(node: Node): number {
  return spanOf(node)[0];
}

export function contains(outer: Node, inner: Node): boolean {
  const [start, end] = spanOf(outer);
  const [from, to] = spanOf(inner);
  return start <= from && to <= end;
}

const TYPE_KEYS = new Set(["typeAnnotation", "returnType", "typeArguments", "typeParameters", "superTypeArguments"]);
const KEYS = new Map<string, readonly string[]>();

/** The keys under which a node has children that run; types have none. */
function keysOf(node: Node): readonly string[] {
  const known = KEYS.get(node.type);
  if (known !== undefined) return known;
  const listed =
    visitorKeys[node.type] ?? Object.keys(node).filter((key) => !["parent", "range", "loc", "type"].includes(key));
  const keys = listed.filter((key) => !TYPE_KEYS.has(key));
  KEYS.set(node.type, keys);
  return keys;
}

/** Calls `visit` for each child in the order of the text. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  const record = node as unknown as Record<string, unknown>;
  for (const key of keysOf(node)) {
    const value = record[key];
    if (Array.isArray(value)) value.filter(isNode).forEach(visit);
    else if (isNode(value)) visit(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** Every node below, without going into the functions that `into` refuses. */
export function walk(node: Node, visit: (node: Node) => void, into: (node: Node) => boolean = () => true): void {
  visit(node);
  eachChild(node, (child) => {
    if (into(child)) walk(child, visit, into);
  });
}

/** Like `walk`, inside one function alone. */
export function walkFunction(node: Node, visit: (node: Node) => void): void {
  walk(node, visit, (child) => !isFunction(child));
}

/** The functions and calls of a file, and the calls in each function, those of functions inside of it included. */
export interface SyntaxIndex {
  readonly functions: readonly FunctionNode[];
  readonly calls: readonly CallNode[];
  readonly callsOf: ReadonlyMap<FunctionNode, readonly CallNode[]>;
}

const DEEPEST = 700;

/** Syntax that goes deeper than can be followed: generated tables, sums of thousands of strings. */
export class TooDeep extends RangeError {}

/**
 * Goes through a file once: tells every node its parent, and writes down what is asked for most.
 *
 * @throws TooDeep
 */
export function indexSyntax(program: Program): SyntaxIndex {
  const functions: FunctionNode[] = [];
  const calls: CallNode[] = [];
  const callsOf = new Map<FunctionNode, CallNode[]>();
  const around: CallNode[][] = [];
  const visit = (node: Node, parent: Node | null, depth: number): void => {
    if (depth > DEEPEST) throw new TooDeep();
    (node as { parent?: Node | null }).parent = parent;
    const inner = isFunction(node) ? node : undefined;
    if (inner !== undefined) {
      const own: CallNode[] = [];
      functions.push(inner);
      callsOf.set(inner, own);
      around.push(own);
    }
    if (node.type === "CallExpression" || node.type === "NewExpression") {
      calls.push(node);
      for (const list of around) list.push(node);
    }
    eachChild(node, (child) => visit(child, node, depth + 1));
    if (inner !== undefined) around.pop();
  };
  visit(program, null, 0);
  return { functions, calls, callsOf };
}

/** The name that a property, method or specifier is known by, where it is written out. */
export function keyName(key: KeyNode | Node, computed: boolean): string | undefined {
  if (key.type === "Literal") return typeof key.value === "string" ? key.value : String(key.value);
  if (computed) return undefined;
  if (key.type === "Identifier") return key.name;
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  return undefined;
}

/** `a.b` and `a["b"]`: the name of the member. */
export function memberName(node: Node): string | undefined {
  return node.type === "MemberExpression" ? keyName(node.property, node.computed) : undefined;
}

export function stringOf(node: Node | null | undefined): string | undefined {
  if (!node) return undefined;
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** `name` of a property in an object literal, where it is there in plain sight. */
export function propertyOf(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  for (const property of node.properties) {
    if (property.type === "Property" && keyName(property.key, property.computed) === name) return property.value;
  }
  return undefined;
}

export function enclosingFunction(node: Node): FunctionNode | undefined {
  let at = node.parent;
  while (at) {
    if (isFunction(at)) return at;
    at = at.parent;
  }
  return undefined;
}

/** The name that people know a function by. */
export function functionName(fn: FunctionNode): string {
  if (fn.id) return fn.id.name;
  const outer = wrapped(fn).parent;
  if (outer?.type === "VariableDeclarator" && outer.id.type === "Identifier") return outer.id.name;
  if (outer?.type === "Property" || outer?.type === "MethodDefinition" || outer?.type === "PropertyDefinition") {
    return keyName(outer.key, outer.computed) ?? "a function";
  }
  if (outer?.type === "AssignmentExpression") return memberName(unwrap(outer.left)) ?? "a function";
  return "a function";
}
