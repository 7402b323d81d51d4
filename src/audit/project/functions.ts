import type { Class } from "oxc-parser";
import { walkFunction } from "./syntax.js";
import type { FunctionNode, Node } from "./syntax.js";

const RETURNS = new WeakMap<FunctionNode, Node[]>();

/** The expressions that a function returns. */
export function returnsOf(fn: FunctionNode): Node[] {
  const known = RETURNS.get(fn);
  if (known !== undefined) return known;
  const returned: Node[] = [];
  if (fn.body && fn.body.type !== "BlockStatement") returned.push(fn.body);
  else if (fn.body) {
    walkFunction(fn.body, (node) => {
      if (node.type === "ReturnStatement" && node.argument) returned.push(node.argument);
    });
  }
  RETURNS.set(fn, returned);
  return returned;
}

export function constructorOf(node: Class): FunctionNode | undefined {
  for (const element of node.body.body) {
    if (element.type === "MethodDefinition" && element.kind === "constructor" && element.value.body)
      return element.value;
  }
  return undefined;
}

export function constructedBy(fn: FunctionNode): Class | undefined {
  const method = fn.parent;
  return method?.type === "MethodDefinition" && method.kind === "constructor" ? classAround(method) : undefined;
}

/** The class whose method or field a node is in; functions other than arrows have their own `this`. */
export function classAround(node: Node): Class | undefined {
  let at = node.parent;
  while (at) {
    if (at.type === "ClassDeclaration" || at.type === "ClassExpression") return at;
    if (at.type === "FunctionDeclaration") return undefined;
    if (at.type === "FunctionExpression" && at.parent?.type !== "MethodDefinition") return undefined;
    at = at.parent;
  }
  return undefined;
}

export function declaratorOf(fn: FunctionNode): Node | undefined {
  const { parent } = fn;
  return parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id : undefined;
}

/** Only plain assignments say what a variable is; what a loop or a pattern gives it is not known. */
export function isPlainlyAssigned(identifier: Node): boolean {
  const { parent } = identifier;
  return parent?.type === "AssignmentExpression" && parent.left === identifier;
}
