import type { SourceFile, Variable } from "../project/source-file.js";
import { numberOf } from "../project/value.js";
import { enclosingFunction, memberName, unwrap, walkFunction } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";
import { flagSubject, isFlag } from "./flags.js";
import type { Guard } from "./state.js";

export interface Branches {
  readonly whenTrue: readonly Guard[];
  readonly whenFalse: readonly Guard[];
  /** A condition that is always so. */
  readonly always?: boolean;
}

const NONE: Branches = { whenTrue: [], whenFalse: [] };

/** What a condition says about things that do not change: constants, parameters, and members of those. */
export function branchesOf(test: Node | null | undefined, file: SourceFile): Branches {
  if (!test) return { ...NONE, always: true };
  const node = unwrap(test);
  switch (node.type) {
    case "Literal":
      return { ...NONE, always: Boolean(node.value) };
    case "UnaryExpression": {
      if (node.operator !== "!") return NONE;
      const { whenTrue, whenFalse, always } = branchesOf(node.argument, file);
      return { whenTrue: whenFalse, whenFalse: whenTrue, ...(always === undefined ? {} : { always: !always }) };
    }
    case "LogicalExpression": {
      const left = branchesOf(node.left, file);
      const right = branchesOf(node.right, file);
      if (node.operator === "&&") return { whenTrue: [...left.whenTrue, ...right.whenTrue], whenFalse: [] };
      return node.operator === "||" ? { whenTrue: [], whenFalse: [...left.whenFalse, ...right.whenFalse] } : NONE;
    }
    case "BinaryExpression":
      return comparison(node, file);
    default: {
      const subject = subjectOf(node, file);
      if (subject === undefined) return NONE;
      return { whenTrue: [{ ...subject, holds: "truthy", node }], whenFalse: [{ ...subject, holds: "falsy", node }] };
    }
  }
}

function comparison(node: Node & { type: "BinaryExpression" }, file: SourceFile): Branches {
  const equality = node.operator === "===" || node.operator === "==";
  if (!equality && node.operator !== "!==" && node.operator !== "!=") return NONE;
  const [left, right] = [unwrap(node.left), unwrap(node.right)];
  const subject = subjectOf(left, file);
  if (subject === undefined) return NONE;
  const swap = (is: readonly Guard[], not: readonly Guard[]): Branches =>
    equality ? { whenTrue: is, whenFalse: not } : { whenTrue: not, whenFalse: is };
  const nothing =
    (right.type === "Literal" && right.value === null) || (right.type === "Identifier" && right.name === "undefined");
  if (nothing) return swap([{ ...subject, holds: "falsy", node }], []);
  const empty =
    right.type === "Literal" && right.value === 0 && left.type === "MemberExpression" && memberName(left) === "length";
  if (empty) return swap([{ ...subject, holds: "falsy", node }], [{ ...subject, holds: "truthy", node }]);
  if (right.type !== "Literal") return NONE;
  const literal = String(right.value);
  return swap([{ ...subject, holds: "is", literal, node }], [{ ...subject, holds: "is not", literal, node }]);
}

/** `state.sent`, `existing`, `existsSync(marker)`: what a condition can be about. */
function subjectOf(node: Node, file: SourceFile): Pick<Guard, "subject" | "variable"> | undefined {
  const inner = unwrap(node);
  if (inner.type === "CallExpression" || inner.type === "AwaitExpression") {
    return { subject: `call ${file.textOf(inner)} ${numberOf(inner)}`, variable: undefined };
  }
  const root = rootOf(inner);
  const variable = root === undefined ? undefined : file.variableOf(root);
  if (root === undefined || variable === undefined) return undefined;
  if (inner === root && isFlag(variable)) return { subject: flagSubject(variable), variable };
  if (!isStable(variable) || (inner.type === "MemberExpression" && isRefilled(inner, variable))) return undefined;
  const text = file.textOf(inner).replaceAll(/[?!\s]/g, "");
  if (inner.type === "MemberExpression" && assignedMembers(enclosingFunction(root), file).has(text)) return undefined;
  return { subject: `${numberOf(variable)} ${text}`, variable };
}

/** The identifier at the beginning of `a.b.c`. */
export function rootOf(node: Node): (Node & { type: "Identifier" }) | undefined {
  let at = unwrap(node);
  while (at.type === "MemberExpression") {
    if (memberName(at) === undefined) return undefined;
    at = unwrap(at.object);
  }
  return at.type === "Identifier" ? at : undefined;
}

/** Written once, where it is declared. */
function isStable({ references, defs }: Variable): boolean {
  const writes = references.filter((reference) => reference.isWrite()).length;
  return defs.length > 0 && writes <= (defs[0]?.type === "Variable" ? 1 : 0);
}

const REFILLING = new Set(["push", "unshift", "pop", "shift", "splice", "set", "add", "delete", "clear"]);

/** `list.length` says something else after `list.push(x)`. */
function isRefilled(member: Node, { references }: Variable): boolean {
  const name = memberName(member);
  if (name !== "length" && name !== "size") return false;
  return references.some(({ identifier }) => {
    const { parent } = identifier as Node;
    return parent?.type === "MemberExpression" && REFILLING.has(memberName(parent) ?? "");
  });
}

const ASSIGNED = new WeakMap<FunctionNode, ReadonlySet<string>>();

/** The members that a function assigns to, as they are written. */
function assignedMembers(fn: FunctionNode | undefined, file: SourceFile): ReadonlySet<string> {
  if (!fn?.body) return new Set();
  const known = ASSIGNED.get(fn);
  if (known !== undefined) return known;
  const texts = new Set<string>();
  walkFunction(fn.body, (node) => {
    if (node.type === "AssignmentExpression") texts.add(file.textOf(node.left).replaceAll(/[?!\s]/g, ""));
  });
  ASSIGNED.set(fn, texts);
  return texts;
}
