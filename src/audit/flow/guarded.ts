import { isEffect } from "../catalogue/kind.js";
import { unwrap, walkFunction } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import { meaningOf } from "./meaning.js";
import type { Guard, Occurrence } from "./state.js";
import type { Walk } from "./walk.js";

/**
 * Whether an effect happens only when something that was read says that it has not happened yet: find or create, a
 * marker file. What a node itself puts into the state does not count: it is lost when the node stops.
 */
export function isGuarded({ guards, chain }: Occurrence, walk: Walk): boolean {
  return chain.length === 0 && guards.some((guard) => guard.holds === "falsy" && comesFromRead(guard, walk));
}

function comesFromRead({ variable, node }: Guard, walk: Walk): boolean {
  if (variable === undefined) return asksOutside(node, walk);
  const declaration = variable.defs[0]?.node as Node | undefined;
  if (declaration?.type !== "VariableDeclarator" || !declaration.init) return false;
  return asksOutside(declaration.init, walk);
}

function asksOutside(expression: Node, { file, env, world }: Walk): boolean {
  let found = false;
  walkFunction(unwrap(expression), (node) => {
    if (node.type !== "CallExpression" || found) return;
    const { kind, functions } = meaningOf(node, file, env, world);
    found =
      kind === undefined
        ? functions.some(({ fn }) => fn.async)
        : isEffect(kind) && kind !== "clock" && kind !== "random";
  });
  return found;
}
