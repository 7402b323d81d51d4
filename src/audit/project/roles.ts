import type { Evaluator } from "./evaluate.js";
import { callsIn } from "./calls.js";
import type { CallSite } from "./calls.js";
import { keyName, propertyOf, stringOf, unwrap, walk } from "./syntax.js";
import type { FunctionNode, Node } from "./syntax.js";
import type { SourceFile } from "./source-file.js";
import type { ExternalValue, FunctionValue, Value } from "./value.js";

export type Role = "node" | "router" | "tool" | "task" | "entrypoint" | "hook";

/** A function that LangGraph calls, and what it calls it as. */
export interface Entry {
  readonly role: Role;
  /** The name of the node, tool or hook, where it is written out. */
  readonly name: string;
  readonly value: FunctionValue;
  readonly at: CallSite;
}

/** Tools that are run together. */
export interface ToolSet {
  readonly at: CallSite;
  readonly maker: "ToolNode" | "createReactAgent" | "createAgent";
  readonly tools: readonly FunctionValue[];
  readonly middleware: readonly ExternalValue[];
}

export interface Roles {
  readonly entries: readonly Entry[];
  readonly of: ReadonlyMap<FunctionNode, readonly Entry[]>;
  readonly toolSets: readonly ToolSet[];
  /** The nodes of a graph, by the `new StateGraph` that makes it. */
  readonly graphs: ReadonlyMap<Node, readonly FunctionValue[]>;
}

export const NO_ROLES: Roles = { entries: [], of: new Map(), toolSets: [], graphs: new Map() };

const LANGGRAPH = /^@langchain\/langgraph(?:$|\/)/;
const BUILDERS = new Set(["StateGraph", "Graph", "MessageGraph"]);
const TOOL_CLASSES = /^(?:Structured|DynamicStructured|Dynamic)?Tool$/;
const LANGCHAIN = /^(?:@langchain\/|langchain(?:$|\/)|deepagents)/;

/** Looks through files for what is given to LangGraph to call. */
export function rolesIn(files: readonly SourceFile[], evaluator: Evaluator): Roles {
  const search = new RoleSearch(evaluator);
  for (const file of files) search.file(file);
  const of = new Map<FunctionNode, Entry[]>();
  for (const entry of search.entries) of.set(entry.value.fn, [...(of.get(entry.value.fn) ?? []), entry]);
  return { entries: search.entries, of, toolSets: search.toolSets, graphs: search.graphs };
}

class RoleSearch {
  readonly entries: Entry[] = [];
  readonly toolSets: ToolSet[] = [];
  readonly graphs = new Map<Node, FunctionValue[]>();

  constructor(private readonly evaluator: Evaluator) {}

  file(file: SourceFile): void {
    const calls = callsIn(file);
    const each = (name: string, visit: (site: CallSite) => void): void => calls.get(name)?.forEach(visit);
    each("addNode", (site) => this.#addNode(site));
    each("addSequence", (site) => this.#addNode(site));
    each("addConditionalEdges", (site) => this.#router(site));
    each("tool", (site) => this.#wrapped(site, "tool", LANGCHAIN, 0));
    each("task", (site) => this.#wrapped(site, "task", LANGGRAPH, 1));
    each("entrypoint", (site) => this.#wrapped(site, "entrypoint", LANGGRAPH, 1));
    each("createMiddleware", (site) => this.#middleware(site));
    for (const name of ["DynamicStructuredTool", "DynamicTool"]) each(name, (site) => this.#dynamicTool(site));
    for (const name of ["ToolNode", "createReactAgent", "createAgent"] as const)
      each(name, (site) => this.#toolSet(site, name));
    if (file.text.includes("_call")) this.#toolClasses(file);
  }

  #addNode(site: CallSite): void {
    const { node, file } = site;
    const callee = unwrap(node.callee);
    if (callee.type !== "MemberExpression") return;
    const builders = this.evaluator.of(callee.object, file, undefined);
    if (builders.length > 0 && !builders.some(isBuilder)) return;
    const origins = builders.flatMap((value) => (value.kind === "external" && value.origin ? [value.origin.node] : []));
    for (const [name, fn] of this.#nodesOf(node.arguments, file)) this.#node(name, fn, site, origins);
  }

  #nodesOf([first, second]: readonly Node[], file: SourceFile): [string, Node][] {
    if (!first) return [];
    const name = stringOf(unwrap(first));
    if (second && unwrap(first).type !== "ObjectExpression" && unwrap(first).type !== "ArrayExpression") {
      return [[name ?? file.textOf(first), second]];
    }
    const many = this.evaluator.of(first, file, undefined).find(({ kind }) => kind === "object" || kind === "array");
    if (many?.kind === "object") {
      return many.node.properties.flatMap((property): [string, Node][] =>
        property.type === "Property" ? [[keyName(property.key, property.computed) ?? "", property.value]] : [],
      );
    }
    if (many?.kind !== "array") return [];
    return many.node.elements.flatMap((element): [string, Node][] => {
      const pair = element ? unwrap(element) : undefined;
      const [key, value] = pair?.type === "ArrayExpression" ? pair.elements : [];
      return key && value ? [[stringOf(unwrap(key)) ?? "", value]] : [];
    });
  }

  #node(name: string, fn: Node, site: CallSite, origins: readonly Node[]): void {
    for (const value of this.#functions(fn, site.file)) {
      this.entries.push({ role: "node", name, value, at: site });
      for (const origin of origins) this.graphs.set(origin, [...(this.graphs.get(origin) ?? []), value]);
    }
    // The node may be a graph itself; its nodes are then nodes of this one.
    for (const value of this.evaluator.of(fn, site.file, undefined)) {
      const inner = value.kind === "external" && value.origin ? this.graphs.get(value.origin.node) : undefined;
      for (const origin of inner ? origins : [])
        this.graphs.set(origin, [...(this.graphs.get(origin) ?? []), ...(inner ?? [])]);
    }
  }

  #router(site: CallSite): void {
    const { node, file } = site;
    const [first, second] = node.arguments;
    const router =
      second ??
      propertyOf(first ? unwrap(first) : undefined, "condition") ??
      propertyOf(first ? unwrap(first) : undefined, "path");
    if (!router) return;
    for (const value of this.#functions(router, file)) this.entries.push({ role: "router", name: "", value, at: site });
  }

  #wrapped(site: CallSite, role: "tool" | "task" | "entrypoint", module: RegExp, index: number): void {
    const { node, file } = site;
    if (!this.#isFrom(node.callee, file, module, role)) return;
    const fn = node.arguments[index];
    const config = node.arguments[1 - index];
    const name = config ? (stringOf(unwrap(config)) ?? stringOf(propertyOf(unwrap(config), "name"))) : undefined;
    if (fn) this.#add(role, name ?? "", fn, site);
  }

  #dynamicTool(site: CallSite): void {
    const { node, file } = site;
    const config = node.arguments[0] ? unwrap(node.arguments[0]) : undefined;
    const fn = propertyOf(config, "func");
    if (fn && this.#isFrom(node.callee, file, LANGCHAIN))
      this.#add("tool", stringOf(propertyOf(config, "name")) ?? "", fn, site);
  }

  #middleware(site: CallSite): void {
    const { node, file } = site;
    const config = node.arguments[0] ? unwrap(node.arguments[0]) : undefined;
    if (config?.type !== "ObjectExpression" || !this.#isFrom(node.callee, file, LANGCHAIN)) return;
    for (const property of config.properties) {
      if (property.type !== "Property") continue;
      const name = keyName(property.key, property.computed) ?? "";
      if (!/^(?:before|after|wrap)(?:Agent|Model|ToolCall)/.test(name)) continue;
      const fn = propertyOf(unwrap(property.value), "hook") ?? property.value;
      this.#add("hook", name, fn, site);
    }
  }

  #toolSet(site: CallSite, maker: ToolSet["maker"]): void {
    const { node, file } = site;
    if (!this.#isFrom(node.callee, file, LANGCHAIN)) return;
    const first = node.arguments[0];
    const config = first ? this.evaluator.of(first, file, undefined) : [];
    const given = maker === "ToolNode" ? config : this.evaluator.members(config, "tools");
    const tools = this.evaluator.members(given, "[]").flatMap((value) => this.toolFunctions(value));
    const middleware = this.evaluator
      .members(this.evaluator.members(config, "middleware"), "[]")
      .filter((value) => value.kind === "external");
    this.toolSets.push({ at: site, maker, tools, middleware });
  }

  /** The function behind `tool(fn, …)`, `new DynamicStructuredTool({ func })` or an instance of a tool class. */
  toolFunctions(value: Value): FunctionValue[] {
    if (value.kind === "instance")
      return this.evaluator.members([value], "_call").filter((each) => each.kind === "function");
    if (value.kind !== "external") return [];
    return originFunctions(value, this.evaluator);
  }

  #toolClasses(file: SourceFile): void {
    walk(file.program, (node) => {
      if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") return;
      const parents = node.superClass ? this.evaluator.of(node.superClass, file, undefined) : [];
      const isTool = parents.some(
        (value) =>
          value.kind === "external" && LANGCHAIN.test(value.module) && TOOL_CLASSES.test(value.path.at(-1) ?? ""),
      );
      if (!isTool) return;
      for (const element of node.body.body) {
        if (element.type !== "MethodDefinition" || keyName(element.key, element.computed) !== "_call") continue;
        const value: FunctionValue = { kind: "function", fn: element.value, file, env: undefined };
        this.entries.push({ role: "tool", name: node.id?.name ?? "", value, at: { node: node as never, file } });
      }
    });
  }

  #add(role: Role, name: string, fn: Node, at: CallSite): void {
    for (const value of this.#functions(fn, at.file)) this.entries.push({ role, name, value, at });
  }

  #functions(node: Node, file: SourceFile): FunctionValue[] {
    return this.evaluator.of(node, file, undefined).filter((value) => value.kind === "function");
  }

  #isFrom(callee: Node, file: SourceFile, module: RegExp, name?: string): boolean {
    return this.evaluator
      .of(callee, file, undefined)
      .some(
        (value) =>
          value.kind === "external" && module.test(value.module) && (name === undefined || value.path.at(-1) === name),
      );
  }
}

function isBuilder(value: Value): boolean {
  return value.kind === "external" && LANGGRAPH.test(value.module) && BUILDERS.has(value.path[0] ?? "");
}

/** The functions in the call that made a value: of `task("name", fn)`, `tool(fn, …)`, `new DynamicTool({ func })`. */
export function originFunctions({ origin }: ExternalValue, evaluator: Evaluator): FunctionValue[] {
  if (origin?.node.type !== "CallExpression" && origin?.node.type !== "NewExpression") return [];
  return origin.node.arguments
    .flatMap((argument) => {
      const config = unwrap(argument);
      const node = propertyOf(config, "func") ?? config;
      return evaluator.of(node, origin.file, origin.env);
    })
    .filter((value) => value.kind === "function");
}
