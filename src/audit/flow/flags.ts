import type { SourceFile, Variable } from "../project/source-file.js";
import { enclosingFunction, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import { numberOf } from "../project/value.js";
import { withoutSubject } from "./state.js";
import type { Flow, Guard } from "./state.js";

const KNOWN = new WeakMap<Variable, boolean>();

/** A variable that only ever says yes or no, and is set by the function that declares it alone: `let done = false`. */
export function isFlag(variable: Variable): boolean {
  const known = KNOWN.get(variable);
  if (known !== undefined) return known;
  const flag = isSetPlainly(variable);
  KNOWN.set(variable, flag);
  return flag;
}

function isSetPlainly({ defs, references }: Variable): boolean {
  const [definition, ...others] = defs;
  const declarator = definition?.node as Node | undefined;
  if (others.length > 0 || declarator?.type !== "VariableDeclarator" || truthOf(declarator.init) === undefined)
    return false;
  const home = enclosingFunction(declarator);
  return references.every((reference) => {
    if (!reference.isWrite() || reference.writeExpr === declarator.init) return true;
    const at = reference.identifier as Node;
    const { parent } = at;
    return (
      parent?.type === "AssignmentExpression" &&
      parent.operator === "=" &&
      truthOf(parent.right) !== undefined &&
      enclosingFunction(at) === home
    );
  });
}

function truthOf(node: Node | null | undefined): boolean | undefined {
  const value = node ? unwrap(node) : undefined;
  return value?.type === "Literal" && typeof value.value === "boolean" ? value.value : undefined;
}

/** What a condition about a flag is about. */
export function flagSubject(variable: Variable): string {
  return `flag ${numberOf(variable)}`;
}

/** The state after `flag = true`: whatever has happened so far, from now on the flag says so. */
export function withFlag(state: Flow, target: Node, value: Node | null | undefined, file: SourceFile): Flow {
  const says = truthOf(value);
  const variable = target.type === "Identifier" && says !== undefined ? file.variableOf(target) : undefined;
  if (state === undefined || variable === undefined || !isFlag(variable)) return state;
  const subject = flagSubject(variable);
  const guard: Guard = { subject, holds: says === true ? "truthy" : "falsy", variable, node: target };
  const { guards, effects, passed } = withoutSubject(state, subject);
  return {
    passed,
    guards: [...guards, guard],
    effects: new Map([...effects].map(([key, each]) => [key, { ...each, guards: [...each.guards, guard] }] as const)),
  };
}
