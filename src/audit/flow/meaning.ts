import { canonical } from "../catalogue/catalogue.js";
import type { Catalogue } from "../catalogue/catalogue.js";
import { DECISIONS } from "../catalogue/decide.js";
import { isEffect } from "../catalogue/kind.js";
import type { Kind } from "../catalogue/kind.js";
import { kindByName } from "../catalogue/names.js";
import { annotationAt } from "../project/annotations.js";
import { calleeName, howTaken, receiverName } from "../project/calls.js";
import type { CallNode } from "../project/calls.js";
import type { Evaluator } from "../project/evaluate.js";
import { isTakenOut } from "../project/externals.js";
import { returnsOf } from "../project/functions.js";
import { originFunctions } from "../project/roles.js";
import type { Roles } from "../project/roles.js";
import type { SourceFile } from "../project/source-file.js";
import { enclosingFunction, functionName, isFunction, memberName, stringOf, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { Env, ExternalValue, FunctionValue, Value } from "../project/value.js";

/** What is said of functions by name, in the user's configuration. */
export type Declared = (name: string, file: SourceFile | undefined) => Kind | undefined;

export interface World {
  readonly evaluator: Evaluator;
  readonly catalogue: Catalogue;
  readonly roles: Roles;
  readonly declared: Declared;
}

/** What a call may do: run functions of the project, and what else it is known or likely to do. */
export interface Meaning {
  readonly functions: readonly FunctionValue[];
  /** The functions' effects are recorded and do not happen again; their questions do. */
  readonly barrier: boolean;
  readonly kind: Kind | undefined;
  readonly guessed: boolean;
  /** It is LangGraph's own `interrupt`. */
  readonly interrupt: boolean;
  /** What is called, where it is known. */
  readonly values: readonly Value[];
}

const LANGGRAPH = /^@langchain\/langgraph(?:$|\/)/;
const RUNS_GRAPH = new Set(["invoke", "stream", "streamEvents", "batch"]);

export function meaningOf(call: CallNode, file: SourceFile, env: Env | undefined, world: World): Meaning {
  const callee = unwrap(call.callee);
  const values = world.evaluator.of(callee, file, env);
  const none: Meaning = { functions: [], barrier: false, kind: undefined, guessed: false, interrupt: false, values };
  const annotated = annotationAt(call, file);
  if (annotated !== undefined) return { ...none, kind: annotated };
  const said = world.declared(calleeName(call) ?? "", undefined);
  if (said !== undefined) return { ...none, kind: said };

  const functions = values.filter((value) => value.kind === "function");
  const known = functions
    .map(({ fn, file: home }) => annotationAt(fn, home) ?? world.declared(functionName(fn), home))
    .find((kind) => kind !== undefined);
  if (known !== undefined) return { ...none, kind: known };
  if (functions.length > 0) {
    const unknown = howTaken(call, file) === "awaited" && functions.some((value) => handsOutUnknown(value, world));
    return {
      ...none,
      functions: bound(functions, call, file, env, world),
      kind: unknown ? "unknown" : undefined,
      guessed: unknown,
    };
  }

  const outside = values.filter((value) => value.kind === "external" && !isTakenOut(value)) as ExternalValue[];
  for (const value of outside) {
    const meaning = ofExternal(value, call, none, world);
    if (meaning !== undefined) return meaning;
  }
  if (call.type === "NewExpression") return { ...none, ...constructed(values, call, file, env, world) };
  const certain = values.some(({ kind }) => kind === "class" || kind === "literal");
  if (certain) return { ...none, kind: "pure" };
  return { ...none, kind: byName(call, file, outside), guessed: true };
}

function bound(
  functions: readonly FunctionValue[],
  call: CallNode,
  file: SourceFile,
  env: Env | undefined,
  { evaluator }: World,
): FunctionValue[] {
  return functions.map((value) => ({
    ...value,
    env: evaluator.bindings.of(value, call.arguments, file, env, undefined),
  }));
}

function ofExternal(value: ExternalValue, call: CallNode, none: Meaning, world: World): Meaning | undefined {
  const { module, path } = value;
  const last = path.at(-1) ?? "";
  if (LANGGRAPH.test(module)) {
    if (path.length === 1 && path[0] === "interrupt") return { ...none, kind: "interrupt", interrupt: true };
    if (path.length === 1 && (path[0] === "task()" || path[0] === "entrypoint()")) {
      return { ...none, barrier: true, functions: originFunctions(value, world.evaluator), kind: "barrier" };
    }
    if (RUNS_GRAPH.has(last) && path.includes("compile()") && value.origin) {
      const nodes = isInsideGraph(call, world.roles) ? world.roles.graphs.get(value.origin.node) : undefined;
      return { ...none, barrier: true, functions: nodes ?? [], kind: "subgraph" };
    }
    if (RUNS_GRAPH.has(last) && path[0] === "entrypoint()") {
      return { ...none, barrier: true, functions: originFunctions(value, world.evaluator), kind: "subgraph" };
    }
  }
  const kind =
    call.type === "NewExpression" ? newKind(value, call) : world.catalogue.kindOf(module, path, call.arguments);
  if (kind === "tool") {
    const functions = originFunctions(value, world.evaluator);
    return { ...none, functions, kind: functions.length > 0 ? undefined : "unknown" };
  }
  return kind === undefined ? undefined : { ...none, kind };
}

/** Whether a function gives back what a call of a package gives of which nothing is known. */
function handsOutUnknown({ fn, file, env }: FunctionValue, { evaluator, catalogue }: World): boolean {
  return returnsOf(fn).some((returned) => {
    const node = unwrap(returned);
    if (node.type !== "CallExpression") return false;
    return evaluator
      .of(node.callee, file, env)
      .some((value) => value.kind === "external" && value.module !== "" && !catalogue.knows(value.module));
  });
}

/** A root graph gives back its question; one that runs inside of a node throws it. */
function isInsideGraph(call: Node, { of }: Roles): boolean {
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn)) if (of.has(fn)) return true;
  return false;
}

/** Making an object does nothing that counts, with few exceptions. */
function newKind({ module, path }: ExternalValue, { arguments: given }: CallNode): Kind {
  return module === "" && canonical(path) === "Date" && given.length === 0 ? "clock" : "pure";
}

function constructed(
  values: readonly Value[],
  call: CallNode,
  file: SourceFile,
  env: Env | undefined,
  world: World,
): Partial<Meaning> {
  const builders = values.flatMap((value): FunctionValue[] => {
    if (value.kind !== "class") return [];
    for (const element of value.node.body.body) {
      if (element.type === "MethodDefinition" && element.kind === "constructor" && element.value.body) {
        return [{ kind: "function", fn: element.value, file: value.file, env: value.env }];
      }
    }
    return [];
  });
  return { functions: bound(builders, call, file, env, world), kind: "pure" };
}

const BUILT_IN = new Set(["Date", "Map", "Set", "Array", "Object", "String", "Number", "RegExp", "Error"]);

function byName(call: CallNode, file: SourceFile, outside: readonly ExternalValue[]): Kind {
  const callee = unwrap(call.callee);
  const name = calleeName(call) ?? "";
  // `.then` of something: what is before it was looked at by itself.
  if (callee.type === "MemberExpression" && ["then", "catch", "finally"].includes(memberName(callee) ?? ""))
    return "pure";
  if (outside.some(({ module, path }) => module === "" && BUILT_IN.has(path[0] ?? ""))) return "pure";
  const taken = howTaken(call, file);
  // A function that is handed to something unknown is what the call does.
  if (call.arguments.some((argument) => isFunction(unwrap(argument)))) return "pure";
  const sql = kindOfSql(call);
  if (sql !== undefined) return sql;
  const kind =
    (taken === "plain" ? undefined : kindOfStatement(call)) ??
    kindByName({ receiver: receiverName(call), name, taken });
  const typed = outside.some(({ module }) => module !== "");
  return typed && taken === "plain" && isEffect(kind) ? "pure" : kind;
}

const STATEMENTS: Readonly<Record<string, Kind>> = {
  select: "read",
  selectFrom: "read",
  selectDistinct: "read",
  insert: "write",
  insertInto: "write",
  update: "write",
  updateTable: "write",
  delete: "write",
  deleteFrom: "write",
  upsert: "idempotent",
};

const SQL = /^\s*(?:insert|update|delete|replace|merge|select|with)\s/i;

/** `db.query("INSERT …")`, `db.prepare("UPDATE …").run()`: the statement says what it does, whatever it is given to. */
function kindOfSql(call: CallNode): Kind | undefined {
  for (let at: Node = call; at.type === "CallExpression" || at.type === "MemberExpression";) {
    if (at.type === "CallExpression" && isSql(at.arguments[0]))
      return DECISIONS.sql(at.arguments, calleeName(at) ?? "");
    at = unwrap(at.type === "CallExpression" ? at.callee : at.object);
  }
  return undefined;
}

function isSql(given: Node | undefined): boolean {
  if (given === undefined) return false;
  const node = unwrap(given);
  const text = node.type === "TemplateLiteral" ? node.quasis[0]?.value.raw : stringOf(node);
  return text !== undefined && SQL.test(text);
}

/** `db.insert(t).values(x)`, `client.from(t).select()`: a query builder says by its first verb what it does. */
function kindOfStatement(call: CallNode): Kind | undefined {
  const names: string[] = [];
  for (let at: Node = call; at.type === "CallExpression" || at.type === "MemberExpression";) {
    if (at.type === "CallExpression") names.push(calleeName(at) ?? "");
    at = unwrap(at.type === "CallExpression" ? at.callee : at.object);
  }
  if (names.length < 2) return undefined;
  if (names.some((name) => name.startsWith("onConflict") || name.startsWith("onDuplicateKey"))) return "idempotent";
  return names
    .reverse()
    .map((name) => STATEMENTS[name])
    .find((kind) => kind !== undefined);
}

/** A call as a person would write it down: its name, on one line, not too long. */
export function calledText(callee: Node, file: SourceFile): string {
  const text = file
    .textOf(callee)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?(\?\.|\.) ?/g, "$1");
  const short = text.length > 60 ? `…${text.slice(-57)}` : text;
  return `${short}()`;
}
