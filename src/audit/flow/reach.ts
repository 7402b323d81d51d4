import { isAwaited, isCombinator, receiverName, calleeName } from "../project/calls.js";
import type { CallNode } from "../project/calls.js";
import { namesIn } from "../project/module-exports.js";
import type { SourceFile, Variable } from "../project/source-file.js";
import { contains, isFunction, spanOf, unwrap, walkFunction, wrapped } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";
import { kindByName } from "../catalogue/names.js";

/** What the result of a call before a question decides. */
export interface Reach {
  /** It is shown to the person. */
  readonly payload: boolean;
  /** It decides whether or how often the question is asked. */
  readonly branch: boolean;
  /** It is used after the answer. */
  readonly later: boolean;
}

/**
 * Follows the result of `source` through the variables of a function to what it has to do with the question `asked`. A
 * time ends where something outside is asked with it: what that gives is another matter.
 */
export function reachOf(source: Node, asked: Node, fn: FunctionNode, file: SourceFile, isTime = false): Reach {
  const search = new ReachSearch(asked, fn, file, isTime);
  search.value(source);
  const { payload, branch, later } = search;
  return { payload, branch, later };
}

export const REACHES_NOTHING: Reach = { payload: false, branch: false, later: false };

/** Whether the result of `source` comes out of the function: it is returned, decides what is, or is kept elsewhere. */
export function comesOut(source: Node, fn: FunctionNode, file: SourceFile, isTime = false): boolean {
  const search = new ReachSearch(undefined, fn, file, isTime);
  search.value(source);
  return search.out;
}

const ASKING = new Set(["interrupt", "requestApproval", "waitForEvent", "sleepUntil"]);

class ReachSearch implements Reach {
  payload = false;
  branch = false;
  later = false;
  /** It comes out of the function. */
  out = false;
  readonly #seen = new Set<Variable>();
  readonly #asked: readonly [number, number];

  constructor(
    private readonly asked: Node | undefined,
    private readonly fn: FunctionNode,
    private readonly file: SourceFile,
    private readonly isTime: boolean,
  ) {
    this.#asked = asked === undefined ? [Infinity, Infinity] : spanOf(asked);
  }

  /** An expression that carries the result: what becomes of it? */
  value(source: Node): void {
    let at = wrapped(source);
    if (this.asked && contains(this.asked, at) && at !== this.asked) this.payload = true;
    for (let { parent } = at; parent; at = parent, parent = at.parent) {
      if (parent === this.fn) {
        if (at === this.fn.body) this.out = true;
        return;
      }
      if (parent === this.asked) {
        this.payload = true;
        return;
      }
      if (this.#stopsAt(parent, at)) return;
    }
  }

  /** Whether the value goes no further up than this; what it goes into sideways is followed from here. */
  #stopsAt(parent: Node, at: Node): boolean {
    switch (parent.type) {
      case "VariableDeclarator":
        if (parent.init === at) this.#names(parent.id);
        return true;
      case "AssignmentExpression":
        if (parent.right === at) this.#target(parent.left);
        return true;
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        if (parent.test === at) this.#decides(parent);
        return true;
      case "SwitchStatement":
        if (parent.discriminant === at) this.#decides(parent);
        return true;
      case "ForOfStatement":
      case "ForInStatement":
        if (parent.right === at) this.#decides(parent);
        if (parent.right === at) this.#names(parent.left);
        return true;
      case "ForStatement":
        if (parent.test === at) this.#decides(parent);
        return true;
      case "ConditionalExpression":
      case "LogicalExpression": {
        const test = parent.type === "ConditionalExpression" ? parent.test : parent.left;
        if (test === at && this.asked && contains(parent, this.asked)) this.branch = true;
        return false;
      }
      case "CallExpression":
        return this.#passes(parent, at);
      case "ReturnStatement":
      case "ThrowStatement":
        this.out = true;
        return true;
      case "ExpressionStatement":
        return true;
      default:
        // A function that is handed out takes along what it uses.
        if (isFunction(parent)) this.value(parent);
        return isFunction(parent);
    }
  }

  /** Into a call and out of its result; `list.push(x)` keeps it in the list, a logger forgets it. */
  #passes(call: Node & { type: "CallExpression" }, at: Node): boolean {
    if (call.callee === at) return false;
    const name = calleeName(call) ?? "";
    // An answer is a person's own, whatever was shown.
    if (ASKING.has(name)) return true;
    if (isLog(call) || (this.isTime && isAwaited(call, this.file))) return true;
    const callee = unwrap(call.callee);
    if (callee.type === "MemberExpression" && !isCombinator(call) && /^(?:push|unshift|set|add|append)$/.test(name)) {
      this.#target(callee.object);
    }
    return false;
  }

  #decides(statement: Node): void {
    if (leaves(statement)) this.out = true;
    const [start, end] = spanOf(statement);
    const [from, to] = this.#asked;
    if (start <= from && to <= end) this.branch = true;
    else if (end <= from && leaves(statement)) this.branch = true;
    else if (start >= to) this.later = true;
  }

  #names(pattern: Node): void {
    const patterns = pattern.type === "VariableDeclaration" ? pattern.declarations.map(({ id }) => id) : [pattern];
    for (const name of patterns.flatMap(namesIn)) this.#variable(this.file.variableOf(name));
  }

  #target(left: Node): void {
    let at = unwrap(left);
    while (at.type === "MemberExpression") at = unwrap(at.object);
    if (at.type !== "Identifier") {
      if (at.type === "ThisExpression") this.out = true;
      this.#names(at);
      return;
    }
    const variable = this.file.variableOf(at);
    const declaration = variable?.defs[0];
    if (declaration?.type === "Parameter" || !declaration || !contains(this.fn, declaration.name as Node))
      this.out = true;
    this.#variable(variable);
  }

  #variable(variable: Variable | undefined): void {
    if (variable === undefined || this.#seen.has(variable)) return;
    this.#seen.add(variable);
    for (const reference of variable.references) {
      const use = reference.identifier as Node;
      if (!reference.isRead() || !contains(this.fn, use)) continue;
      if (spanOf(use)[0] >= this.#asked[1] && !isLogged(use)) this.later = true;
      this.value(use);
    }
  }
}

function isLog(call: CallNode): boolean {
  const name = calleeName(call) ?? "";
  return kindByName({ receiver: receiverName(call), name, taken: "plain" }) === "log" || name.startsWith("log");
}

function isLogged(use: Node): boolean {
  for (let at: Node | null | undefined = use.parent; at && !isFunction(at); at = at.parent) {
    if (at.type !== "CallExpression") continue;
    if (isLog(at)) return true;
  }
  return false;
}

/** Whether some way through a statement ends the function, the loop or the iteration. */
function leaves(statement: Node): boolean {
  let found = false;
  walkFunction(statement, ({ type }) => {
    found ||=
      type === "ReturnStatement" ||
      type === "ThrowStatement" ||
      type === "ContinueStatement" ||
      type === "BreakStatement";
  });
  return found;
}
