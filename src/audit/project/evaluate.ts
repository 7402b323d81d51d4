import type { Class } from "oxc-parser";
import { Bindings } from "./bindings.js";
import { called, extended, external } from "./externals.js";
import { classAround, constructedBy, constructorOf, declaratorOf, isPlainlyAssigned, returnsOf } from "./functions.js";
import { exportsOf, wayTo } from "./module-exports.js";
import { memberOf } from "./members.js";
import type { Project } from "./project.js";
import type { Definition, SourceFile, Variable } from "./source-file.js";
import { isFunction, memberName, stringOf, unwrap } from "./syntax.js";
import type { FunctionNode, Node } from "./syntax.js";
import { typeAnnotationOf, valuesOfType } from "./type-values.js";
import { NOTHING, numberOf, valueKey } from "./value.js";
import type { Env, Value } from "./value.js";

const MOST = 8;
const DEEPEST = 40;

/**
 * Says what an expression may stand for, by following bindings: through declarations, imports, re-exports, classes,
 * object literals, factories and the arguments of calls. What it cannot follow, it does not guess.
 */
export class Evaluator {
  readonly #known = new Map<Node, Map<string, readonly Value[]>>();
  readonly #active = new Set<string>();
  readonly bindings = new Bindings(this);

  readonly #membersKnown = new Map<string, readonly Value[]>();

  constructor(readonly project: Project) {}

  of(expression: Node, file: SourceFile, env: Env | undefined): readonly Value[] {
    const node = unwrap(expression);
    const key = env?.id ?? "";
    const known = this.#known.get(node)?.get(key);
    if (known !== undefined) return known;
    const mark = `${numberOf(node)}/${key}`;
    if (this.#active.has(mark) || this.#active.size > DEEPEST) {
      return NOTHING;
    }
    this.#active.add(mark);
    const values = distinct(this.#evaluate(node, file, env));
    this.#active.delete(mark);
    // A circle that was cut short gives less than everything; to go round again costs more than it finds.
    const byEnv = this.#known.get(node) ?? new Map<string, readonly Value[]>();
    this.#known.set(node, byEnv.set(key, values));
    return values;
  }

  #evaluate(node: Node, file: SourceFile, env: Env | undefined): readonly Value[] {
    switch (node.type) {
      case "Identifier":
        return this.#identifier(node, file, env);
      case "Literal":
        return [{ kind: "literal", value: node.value }];
      case "TemplateLiteral": {
        const text = stringOf(node);
        return text === undefined ? NOTHING : [{ kind: "literal", value: text }];
      }
      case "ThisExpression":
        return this.#self(node, file, env);
      case "Super":
        return this.#super(node, file, env);
      case "MemberExpression":
        return this.members(this.of(node.object, file, env), memberName(node) ?? "[]");
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return [{ kind: "function", fn: node, file, env }];
      case "ClassDeclaration":
      case "ClassExpression":
        return [{ kind: "class", node, file, env }];
      case "ObjectExpression":
        return [{ kind: "object", node, file, env }];
      case "ArrayExpression":
        return [{ kind: "array", node, file, env }];
      case "NewExpression":
        return this.#new(node, file, env);
      case "CallExpression":
        return this.#call(node, file, env);
      case "ImportExpression":
        return this.#module(file, stringOf(node.source));
      case "AwaitExpression":
        return this.of(node.argument, file, env);
      case "AssignmentExpression":
        return this.of(node.right, file, env);
      case "ConditionalExpression":
        return [...this.of(node.consequent, file, env), ...this.of(node.alternate, file, env)];
      case "LogicalExpression":
        return [...(node.operator === "&&" ? [] : this.of(node.left, file, env)), ...this.of(node.right, file, env)];
      case "SequenceExpression": {
        const last = node.expressions.at(-1);
        return last === undefined ? NOTHING : this.of(last, file, env);
      }
      default:
        return NOTHING;
    }
  }

  members(values: readonly Value[], name: string): readonly Value[] {
    return distinct(values.flatMap((value) => this.#member(value, name)));
  }

  /** Types and objects may hold themselves: what is being looked for already is not looked for again. */
  #member(value: Value, name: string): readonly Value[] {
    if (value.kind === "external") return memberOf(this, value, name);
    const key = `${valueKey(value)}.${name}`;
    const known = this.#membersKnown.get(key);
    if (known !== undefined) return known;
    this.#membersKnown.set(key, NOTHING);
    const found = memberOf(this, value, name);
    this.#membersKnown.set(key, found);
    return found;
  }

  #identifier(node: Node & { type: "Identifier" }, file: SourceFile, env: Env | undefined): readonly Value[] {
    const variable = file.variableOf(node);
    if (variable === undefined || variable.defs.length === 0) {
      return node.name === "undefined" ? NOTHING : [external("", [node.name])];
    }
    return this.variable(variable, file, env);
  }

  variable(variable: Variable, file: SourceFile, env: Env | undefined): readonly Value[] {
    for (let at = env; at !== undefined; at = at.outer) {
      const bound = at.bindings.get(variable);
      if (bound !== undefined) return bound;
    }
    return variable.defs.flatMap((definition) => this.#definition(definition, variable, file, env));
  }

  #definition(definition: Definition, variable: Variable, file: SourceFile, env: Env | undefined): readonly Value[] {
    const node = definition.node as Node;
    const name = definition.name as Node;
    switch (definition.type) {
      case "ImportBinding":
        return this.#import(node, file);
      case "FunctionName":
        return isFunction(node) ? [{ kind: "function", fn: node, file, env }] : NOTHING;
      case "ClassName":
        return [{ kind: "class", node: node as Class, file, env }];
      case "Variable":
        return node.type === "VariableDeclarator" ? this.#declared(node, name, variable, file, env) : NOTHING;
      case "Parameter":
        return isFunction(node) ? this.#parameter(node, name, file, env) : NOTHING;
      default:
        return NOTHING;
    }
  }

  #declared(
    node: Node & { type: "VariableDeclarator" },
    name: Node,
    variable: Variable,
    file: SourceFile,
    env: Env | undefined,
  ): readonly Value[] {
    const values: Value[] = [];
    const way = wayTo(node.id, name);
    if (node.init) {
      const whole = this.of(node.init, file, env);
      values.push(...(way?.path ?? []).reduce<readonly Value[]>((from, step) => this.members(from, step), whole));
    }
    if (way?.fallback) values.push(...this.of(way.fallback, file, env));
    const annotation = typeAnnotationOf(node.id);
    if (annotation && values.length === 0) values.push(...valuesOfType(this, annotation, file, env));
    for (const reference of variable.references.slice(0, 30)) {
      const written = reference.isWrite() ? (reference.writeExpr as Node | null | undefined) : undefined;
      const at = reference.identifier as Node;
      if (written && written !== node.init && isPlainlyAssigned(at)) values.push(...this.of(written, file, env));
    }
    return values;
  }

  /** A parameter that no call on the way has bound: its type, its default, or what the calls in this file give. */
  #parameter(fn: FunctionNode, name: Node, file: SourceFile, env: Env | undefined): readonly Value[] {
    for (const [index, parameter] of fn.params.entries()) {
      const way = wayTo(parameter, name);
      if (way === undefined) continue;
      const follow = (whole: readonly Value[]): readonly Value[] =>
        way.path.reduce((from, step) => this.members(from, step), whole);
      const annotation = typeAnnotationOf(parameter);
      const typed = annotation ? valuesOfType(this, annotation, file, env, way.path) : NOTHING;
      if (typed.some(({ kind }) => kind !== "shape")) return typed;
      const given = this.#given(fn, index, file).flatMap((argument) => follow(this.of(argument, file, undefined)));
      return [...given, ...typed, ...(way.fallback ? this.of(way.fallback, file, env) : [])];
    }
    return NOTHING;
  }

  #given(fn: FunctionNode, index: number, file: SourceFile): Node[] {
    const named = fn.id ?? declaratorOf(fn);
    const owner = constructedBy(fn);
    const variable = named ? file.variableOf(named) : owner?.id ? file.variableOf(owner.id) : undefined;
    if (variable === undefined) return [];
    const given: Node[] = [];
    for (const { identifier } of variable.references) {
      const call = (identifier as Node).parent;
      if (call?.type !== (owner ? "NewExpression" : "CallExpression") || call.callee !== identifier) continue;
      const argument = call.arguments[index];
      if (argument && argument.type !== "SpreadElement") given.push(argument);
      if (given.length >= MOST) break;
    }
    return given;
  }

  #import(node: Node, file: SourceFile): readonly Value[] {
    const declaration = node.parent;
    if (node.type === "TSImportEqualsDeclaration") {
      const { moduleReference } = node;
      return moduleReference.type === "TSExternalModuleReference"
        ? this.#module(file, stringOf(moduleReference.expression))
        : NOTHING;
    }
    if (declaration?.type !== "ImportDeclaration") return NOTHING;
    const specifier = declaration.source.value;
    if (node.type === "ImportNamespaceSpecifier") return this.#module(file, specifier);
    if (node.type === "ImportDefaultSpecifier") return this.imported(file, specifier, "default");
    if (node.type !== "ImportSpecifier") return NOTHING;
    const { imported } = node;
    return this.imported(file, specifier, imported.type === "Literal" ? imported.value : imported.name);
  }

  #module(file: SourceFile, specifier: string | undefined): readonly Value[] {
    if (specifier === undefined) return NOTHING;
    const door = this.project.doorOf(file, specifier);
    if (door !== undefined) return [external(door, [])];
    const target = this.project.resolve(file, specifier);
    return [target === undefined ? external(specifier, []) : { kind: "module", file: target }];
  }

  /** What `name` of a module stands for; `*` is the module. */
  imported(file: SourceFile, specifier: string, name: string): readonly Value[] {
    if (name === "*") return this.#module(file, specifier);
    const door = this.project.doorOf(file, specifier);
    if (door !== undefined) return [external(door, [name])];
    const target = this.project.resolve(file, specifier);
    return target === undefined ? [external(specifier, name === "default" ? [] : [name])] : this.exported(target, name);
  }

  exported(file: SourceFile, name: string, seen = new Set<SourceFile>()): readonly Value[] {
    if (seen.has(file)) return NOTHING;
    seen.add(file);
    const { named, stars, whole } = exportsOf(file);
    const source = named.get(name);
    if (source?.kind === "here") return this.of(source.node, file, undefined);
    if (source?.kind === "there") return this.imported(file, source.specifier, source.name);
    if (whole !== undefined) {
      const values = this.of(whole, file, undefined);
      return name === "default" ? values : this.members(values, name);
    }
    if (name === "default" && named.size > 0 && stars.length === 0) return [{ kind: "module", file }];
    for (const specifier of stars) {
      const target = this.project.resolve(file, specifier);
      const values = target === undefined ? NOTHING : this.exported(target, name, seen);
      if (values.length > 0) return values;
    }
    const outside = stars.filter((specifier) => this.project.resolve(file, specifier) === undefined);
    return outside.length === 1 && outside[0] !== undefined ? [external(outside[0], [name])] : NOTHING;
  }

  #self(node: Node, file: SourceFile, env: Env | undefined): readonly Value[] {
    for (let at = env; at !== undefined; at = at.outer) if (at.self !== undefined) return [at.self];
    const owner = classAround(node);
    return owner === undefined
      ? NOTHING
      : [{ kind: "instance", of: { kind: "class", node: owner, file, env: undefined }, env: undefined }];
  }

  #super(node: Node, file: SourceFile, env: Env | undefined): readonly Value[] {
    const parent = classAround(node)?.superClass;
    return parent
      ? this.of(parent, file, env).flatMap((value) => this.instantiate(value, [], file, env, node))
      : NOTHING;
  }

  #new(node: Node & { type: "NewExpression" }, file: SourceFile, env: Env | undefined): readonly Value[] {
    return this.of(node.callee, file, env).flatMap((value) => this.instantiate(value, node.arguments, file, env, node));
  }

  instantiate(
    value: Value,
    given: readonly Node[],
    file: SourceFile,
    env: Env | undefined,
    at: Node,
  ): readonly Value[] {
    if (value.kind === "class") {
      const builder = constructorOf(value.node);
      const inner =
        builder && given.length > 0
          ? this.bindings.of(
              { kind: "function", fn: builder, file: value.file, env: value.env },
              given,
              file,
              env,
              undefined,
            )
          : value.env;
      return [{ kind: "instance", of: value, env: inner }];
    }
    return value.kind === "external" ? [extended(value, "new", { node: at, file, env })] : NOTHING;
  }

  #call(node: Node & { type: "CallExpression" }, file: SourceFile, env: Env | undefined): readonly Value[] {
    const callee = unwrap(node.callee);
    if (callee.type === "Identifier" && callee.name === "require" && file.variableOf(callee) === undefined) {
      return this.#module(file, stringOf(node.arguments[0]));
    }
    const bound = this.#boundFunction(callee, node, file, env);
    if (bound !== undefined) return bound;
    return this.of(callee, file, env).flatMap((value) => this.#result(value, node, file, env));
  }

  /** `fn.bind(this)` is the function; Node's `promisify` and `traceable` give back what they are given. */
  #boundFunction(
    callee: Node,
    node: Node & { type: "CallExpression" },
    file: SourceFile,
    env: Env | undefined,
  ): readonly Value[] | undefined {
    if (callee.type !== "MemberExpression" || memberName(callee) !== "bind") return undefined;
    const self = node.arguments[0] ? this.of(node.arguments[0], file, env)[0] : undefined;
    return this.of(callee.object, file, env).map((value) =>
      value.kind === "function" && self?.kind === "instance"
        ? { ...value, env: this.bindings.withSelf(self, value.env) }
        : value,
    );
  }

  #result(
    value: Value,
    node: Node & { type: "CallExpression" },
    file: SourceFile,
    env: Env | undefined,
  ): readonly Value[] {
    if (value.kind === "function") {
      const inner = this.bindings.of(value, node.arguments, file, env, undefined);
      return returnsOf(value.fn).flatMap((returned) => this.of(returned, value.file, inner));
    }
    if (value.kind !== "external") return NOTHING;
    const [first] = node.arguments;
    if (first && GIVES_BACK.has(`${value.module}#${value.path.join(".")}`)) return this.of(first, file, env);
    return [called(value, { node, file, env })];
  }
}

const GIVES_BACK = new Set([
  "langsmith/traceable#traceable",
  "langsmith#traceable",
  "util#promisify",
  "node:util#promisify",
  "@langchain/core/runnables#RunnableLambda.from",
  "react#cache",
  "langgraph-waypoint#safeNode",
  "langgraph-waypoint/nodes#safeNode",
]);

function distinct(values: readonly Value[]): readonly Value[] {
  if (values.length < 2) return values;
  const seen = new Map<string, Value>();
  for (const value of values) seen.set(valueKey(value), value);
  return [...seen.values()].slice(0, MOST);
}
