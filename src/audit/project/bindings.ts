import type { Evaluator } from "./evaluate.js";
import type { SourceFile, Variable } from "./source-file.js";
import { wrapped } from "./syntax.js";
import type { FunctionNode, Node } from "./syntax.js";
import { Environments } from "./value.js";
import type { Env, FunctionValue, Value } from "./value.js";

const DEEPEST_ENV = 3;
const MOST = 8;

/** Makes the environments in which functions run: what their parameters and `this` stand for. */
export class Bindings {
  readonly #environments = new Environments();
  readonly #envsOf = new Map<FunctionNode, Set<string>>();

  constructor(private readonly evaluator: Evaluator) {}

  /** The environment of a method of an object that is known with what it was made of. */
  ofMethod(self: Value & { kind: "instance" }): Env | undefined {
    return self.env === undefined ? undefined : this.withSelf(self, self.env);
  }

  withSelf(self: Value, env: Env | undefined): Env {
    return this.#environments.make(new Map(), self, env);
  }

  /**
   * The environment in which a function runs when it is called with these arguments. Arguments that nothing is known of
   * bind nothing, so that such calls share one environment.
   */
  of(
    value: FunctionValue,
    given: readonly Node[],
    file: SourceFile,
    env: Env | undefined,
    self: Value | undefined,
  ): Env | undefined {
    const bindings = new Map<Variable, readonly Value[]>();
    if ((value.env?.depth ?? 0) < DEEPEST_ENV && !given.some(({ type }) => type === "SpreadElement")) {
      for (const [index, parameter] of value.fn.params.entries()) {
        const argument = given[index];
        if (argument === undefined) break;
        const values = this.evaluator.of(argument, file, env).filter(({ kind }) => kind !== "literal");
        if (values.length > 0) this.#bindPattern(parameter, values, value.file, bindings);
      }
    }
    if (bindings.size === 0 && self?.kind !== "instance") return value.env;
    return this.#limited(value.fn, this.#environments.make(bindings, self, value.env));
  }

  /** A function that is called in very many ways is looked at as if nothing were known of its arguments. */
  #limited(fn: FunctionNode, env: Env): Env | undefined {
    const known = this.#envsOf.get(fn) ?? new Set<string>();
    this.#envsOf.set(fn, known);
    if (!known.has(env.id) && known.size >= MOST) return undefined;
    known.add(env.id);
    return env;
  }

  #bindPattern(
    pattern: Node,
    values: readonly Value[],
    file: SourceFile,
    bindings: Map<Variable, readonly Value[]>,
  ): void {
    const target = pattern.type === "TSParameterProperty" ? pattern.parameter : pattern;
    if (target.type === "AssignmentPattern") {
      this.#bindPattern(target.left, values, file, bindings);
      return;
    }
    if (target.type === "Identifier") {
      const variable = file.variableOf(target);
      if (variable && (isUsedAsTool(variable) || decides(variable) || values.every(({ kind }) => kind === "function")))
        bindings.set(variable, values);
      return;
    }
    if (target.type !== "ObjectPattern") return;
    for (const property of target.properties) {
      if (property.type !== "Property" || property.key.type !== "Identifier") continue;
      const found = this.evaluator.members(values, property.key.name);
      if (found.length > 0) this.#bindPattern(property.value, found, file, bindings);
    }
  }
}

/** Whether a member of a parameter is asked for in a condition: `if (options?.silent)`. */
function decides({ references }: Variable): boolean {
  return references.some(({ identifier }) => {
    let at = wrapped(identifier as Node);
    if (at.parent?.type !== "MemberExpression" || at.parent.object !== at) return false;
    at = wrapped(at.parent);
    if (at.parent?.type === "UnaryExpression") at = wrapped(at.parent);
    return at.parent?.type === "IfStatement" && at.parent.test === at;
  });
}

/** Whether anything is called on a parameter, or it is handed on: else it does not matter what it is. */
function isUsedAsTool({ references }: Variable): boolean {
  return references.some(({ identifier }) => {
    let at = identifier as Node;
    while (at.parent?.type === "MemberExpression" && at.parent.object === at) at = at.parent;
    const { parent } = at;
    if (parent?.type === "CallExpression" || parent?.type === "NewExpression") return true;
    return (
      at === identifier &&
      (parent?.type === "Property" || parent?.type === "AssignmentExpression" || parent?.type === "VariableDeclarator")
    );
  });
}
