import type { Evaluator } from "../project/evaluate.js";
import type { SourceFile, Variable } from "../project/source-file.js";
import { isFunction, memberName, stringOf, unwrap, walkFunction } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";
import type { Env } from "../project/value.js";

/** What becomes of a GraphInterrupt in a handler: it goes on, it is lost, or it cannot be told. */
export type Fate = "passes" | "swallowed" | "unknown";

const ANCESTORS = new Set(["GraphInterrupt", "NodeInterrupt", "GraphBubbleUp", "BaseLangGraphError", "Error"]);
const PREDICATES = new Set(["isGraphInterrupt", "isGraphBubbleUp"]);
const NAMES = new Set(["GraphInterrupt", "NodeInterrupt", "GraphBubbleUp"]);
const DEEPEST = 4;

interface Context {
  readonly file: SourceFile;
  readonly env: Env | undefined;
  readonly evaluator: Evaluator;
  /** The names that the caught error has here. */
  readonly error: ReadonlySet<Variable>;
  readonly depth: number;
}

/** The ways in which a block can end when the error in it is a GraphInterrupt. */
type Ends = ReadonlySet<"rethrown" | "lost" | "falls" | "unknown">;

/** What becomes of a GraphInterrupt in a catch block or in a function that is given the error. */
export function fateIn(
  handler: { readonly param: Node | null | undefined; readonly body: Node },
  file: SourceFile,
  env: Env | undefined,
  evaluator: Evaluator,
  depth = 0,
): Fate {
  const ends = endsOf(handler, file, env, evaluator, depth);
  if (!ends.has("rethrown")) return "swallowed";
  if (ends.has("unknown")) return "unknown";
  return ends.has("lost") || ends.has("falls") ? "swallowed" : "passes";
}

function endsOf(
  { param, body }: { readonly param: Node | null | undefined; readonly body: Node },
  file: SourceFile,
  env: Env | undefined,
  evaluator: Evaluator,
  depth: number,
): Ends {
  const target = param?.type === "AssignmentPattern" ? param.left : param;
  const variable = target?.type === "Identifier" ? file.variableOf(target) : undefined;
  const error = new Set(variable === undefined ? [] : [variable]);
  const context: Context = { file, env, evaluator, error, depth };
  if (body.type !== "BlockStatement") return expressionEnds(body, context);
  return block(body.body, context);
}

function block(statements: readonly Node[], context: Context): Ends {
  const ends = new Set<"rethrown" | "lost" | "falls" | "unknown">();
  let names = context;
  for (const statement of statements) {
    names = withAliases(statement, names);
    const here = statementEnds(statement, names);
    for (const end of here) if (end !== "falls") ends.add(end);
    if (!here.has("falls")) return ends;
  }
  ends.add("falls");
  return ends;
}

const FALLS: Ends = new Set(["falls"]);
const LOST: Ends = new Set(["lost"]);

function statementEnds(node: Node, context: Context): Ends {
  switch (node.type) {
    case "BlockStatement":
      return block(node.body, context);
    case "ThrowStatement":
      return new Set([isError(node.argument, context) ? "rethrown" : thrownEnds(node.argument, context)]);
    case "ReturnStatement": {
      const ends = node.argument ? expressionEnds(node.argument, context) : FALLS;
      return new Set([...ends].map((end) => (end === "falls" ? "lost" : end)));
    }
    case "BreakStatement":
    case "ContinueStatement":
      return LOST;
    case "IfStatement": {
      const truth = truthOf(node.test, context);
      const yes = truth === false ? [] : [...statementEnds(node.consequent, context)];
      const no =
        truth === true ? [] : node.alternate ? [...statementEnds(node.alternate, context)] : ["falls" as const];
      if (truth !== "unknown") return new Set([...yes, ...no]);
      const ends = new Set([...yes, ...no]);
      // A test of the error that cannot be followed may well tell an interrupt from a failure.
      if (mentionsError(node.test, context)) ends.add("unknown");
      return ends;
    }
    case "ExpressionStatement":
      return expressionEnds(node.expression, context);
    case "TryStatement": {
      const ends = new Set([...block(node.block.body, context), ...(node.finalizer ? [] : [])]);
      return ends.has("rethrown") && node.handler ? new Set(["unknown"]) : ends;
    }
    case "SwitchStatement":
      return new Set(["falls", "unknown"]);
    default:
      return FALLS;
  }
}

/** A function of the project that always throws what it is given passes the error on. */
function expressionEnds(expression: Node, context: Context): Ends {
  const node = unwrap(expression);
  if (node.type === "AwaitExpression") return expressionEnds(node.argument, context);
  if (node.type === "ConditionalExpression") {
    const truth = truthOf(node.test, context);
    if (truth === "unknown") return FALLS;
    return expressionEnds(truth ? node.consequent : node.alternate, context);
  }
  if (node.type !== "CallExpression") return FALLS;
  const callee = unwrap(node.callee);
  if (
    callee.type === "MemberExpression" &&
    memberName(callee) === "reject" &&
    node.arguments[0] &&
    isError(node.arguments[0], context)
  ) {
    return new Set(["rethrown"]);
  }
  const index = node.arguments.findIndex((argument) => isError(argument, context));
  if (index === -1 || context.depth >= DEEPEST) return FALLS;
  const functions = context.evaluator
    .of(callee, context.file, context.env)
    .filter((value) => value.kind === "function");
  const [only] = functions;
  if (functions.length !== 1 || !only?.fn.body) return FALLS;
  const ends = endsOf(
    { param: only.fn.params[index], body: only.fn.body },
    only.file,
    only.env,
    context.evaluator,
    context.depth + 1,
  );
  // What returns there goes on here.
  return new Set([...ends].map((end) => (end === "lost" ? "falls" : end)));
}

/** `throw toError(e)`: a function that returns what it is given throws the same. */
function thrownEnds(argument: Node, context: Context): "rethrown" | "lost" | "unknown" {
  const node = unwrap(argument);
  if (node.type === "ConditionalExpression") {
    const truth = truthOf(node.test, context);
    if (truth === true) return isError(node.consequent, context) ? "rethrown" : "lost";
    if (truth === false) return isError(node.alternate, context) ? "rethrown" : "lost";
    return "unknown";
  }
  return "lost";
}

/** Other names for the error: `const err = e as Error`. */
function withAliases(statement: Node, context: Context): Context {
  if (statement.type !== "VariableDeclaration") return context;
  const error = new Set(context.error);
  for (const { id, init } of statement.declarations) {
    const variable =
      id.type === "Identifier" && init && isError(init, context) ? context.file.variableOf(id) : undefined;
    if (variable !== undefined) error.add(variable);
  }
  return { ...context, error };
}

function isError(node: Node, { file, error }: Context): boolean {
  const inner = unwrap(node);
  if (inner.type !== "Identifier") return false;
  const variable = file.variableOf(inner);
  return variable !== undefined && error.has(variable);
}

function mentionsError(test: Node, context: Context): boolean {
  let found = false;
  walkFunction(test, (node) => {
    found ||= isError(node, context);
  });
  return found;
}

type Truth = boolean | "unknown";

/** Whether a condition holds when the error is a GraphInterrupt. */
function truthOf(test: Node, context: Context): Truth {
  const node = unwrap(test);
  switch (node.type) {
    case "Literal":
      return Boolean(node.value);
    case "Identifier":
      return isError(node, context) ? true : namedTruth(node, context);
    case "UnaryExpression": {
      const inner = truthOf(node.argument, context);
      return node.operator === "!" && inner !== "unknown" ? !inner : "unknown";
    }
    case "LogicalExpression": {
      const left = truthOf(node.left, context);
      const right = truthOf(node.right, context);
      const decisive = node.operator === "||";
      if (left === decisive || right === decisive) return decisive;
      return left === "unknown" || right === "unknown" ? "unknown" : right;
    }
    case "BinaryExpression":
      return comparedTruth(node, context);
    case "CallExpression":
      return calledTruth(node, context);
    case "MemberExpression":
      return isError(node.object, context) ? memberTruth(memberName(node) ?? "") : "unknown";
    default:
      return "unknown";
  }
}

/** `const pause = isGraphInterrupt(e); if (pause) throw e;` */
function namedTruth(node: Node & { type: "Identifier" }, context: Context): Truth {
  const definition = context.file.variableOf(node)?.defs[0]?.node as Node | undefined;
  return definition?.type === "VariableDeclarator" && definition.init && context.depth < DEEPEST
    ? truthOf(definition.init, { ...context, depth: context.depth + 1 })
    : "unknown";
}

function memberTruth(name: string): Truth {
  if (name === "interrupts" || name === "is_bubble_up" || name === "name" || name === "message" || name === "stack")
    return true;
  return name === "cause" || name === "code" || name === "status" || name === "response" ? false : "unknown";
}

function comparedTruth(node: Node & { type: "BinaryExpression" }, context: Context): Truth {
  const { operator } = node;
  if (operator === "instanceof") {
    if (!isError(node.left, context)) return "unknown";
    return instanceTruth(node.right, context);
  }
  if (operator === "in")
    return stringOf(unwrap(node.left)) === "interrupts" || stringOf(unwrap(node.left)) === "is_bubble_up";
  const equality = operator === "===" || operator === "==";
  if (!equality && operator !== "!==" && operator !== "!=") return "unknown";
  const [left, right] = [unwrap(node.left), unwrap(node.right)];
  const truth = equalTruth(left, right, context);
  return truth === "unknown" ? truth : truth === equality;
}

function instanceTruth(type: Node, { evaluator, file, env }: Context): Truth {
  const node = unwrap(type);
  const values = evaluator.of(node, file, env);
  const [value] = values;
  if (value?.kind === "external") return ANCESTORS.has(value.path.at(-1) ?? "");
  if (value?.kind === "class") return false;
  return node.type === "Identifier" ? ANCESTORS.has(node.name) : "unknown";
}

/** `e.name === "GraphInterrupt"`, `e.constructor.name`, `typeof e === "object"`, `e.code === "ENOENT"`. */
function equalTruth(left: Node, right: Node, context: Context): Truth {
  const literal = stringOf(right);
  if (left.type === "UnaryExpression" && left.operator === "typeof" && isError(left.argument, context))
    return literal === "object";
  if (left.type !== "MemberExpression") return isError(left, context) ? false : "unknown";
  const object = unwrap(left.object);
  const name = memberName(left);
  if (object.type === "MemberExpression" && memberName(object) === "constructor" && isError(object.object, context)) {
    return literal !== undefined && NAMES.has(literal);
  }
  if (!isError(object, context)) return "unknown";
  if (name === "name") return literal === undefined ? "unknown" : literal === "GraphInterrupt";
  if (name === "is_bubble_up") return right.type === "Literal" && right.value === true;
  return right.type === "Literal" ? false : "unknown";
}

function calledTruth(node: Node & { type: "CallExpression" }, context: Context): Truth {
  const callee = unwrap(node.callee);
  const given = node.arguments[0];
  const name =
    callee.type === "Identifier" ? callee.name : callee.type === "MemberExpression" ? memberName(callee) : undefined;
  const values = context.evaluator.of(callee, context.file, context.env);
  if (values.some((value) => value.kind === "external" && PREDICATES.has(value.path.at(-1) ?? ""))) {
    return given !== undefined && isError(given, context);
  }
  if (given === undefined || !isError(given, context)) return messageTruth(node, callee, context);
  const [fn] = values.filter((value) => value.kind === "function");
  if (fn?.fn.body && context.depth < DEEPEST) return predicateTruth(fn.fn, fn.file, fn.env, context);
  return name !== undefined && /interrupt|bubble/i.test(name) ? true : "unknown";
}

/** `e.message.includes("timeout")`: what an interrupt does not say. */
function messageTruth(node: Node & { type: "CallExpression" }, callee: Node, context: Context): Truth {
  if (callee.type !== "MemberExpression") return "unknown";
  const text = stringOf(node.arguments[0]);
  const object = unwrap(callee.object);
  const aboutError = object.type === "MemberExpression" && isError(object.object, context);
  return aboutError && text !== undefined && !/interrupt/i.test(text) ? false : "unknown";
}

function predicateTruth(fn: FunctionNode, file: SourceFile, env: Env | undefined, context: Context): Truth {
  const parameter = fn.params[0];
  const variable = parameter?.type === "Identifier" ? file.variableOf(parameter) : undefined;
  if (variable === undefined || !fn.body) return "unknown";
  const inner: Context = { ...context, file, env, error: new Set([variable]), depth: context.depth + 1 };
  if (fn.body.type !== "BlockStatement") return truthOf(fn.body, inner);
  return returnedTruth(fn.body.body, inner);
}

function returnedTruth(statements: readonly Node[], context: Context): Truth {
  for (const statement of statements) {
    if (isFunction(statement) || statement.type === "VariableDeclaration") continue;
    if (statement.type === "ReturnStatement") return statement.argument ? truthOf(statement.argument, context) : false;
    if (statement.type !== "IfStatement") return "unknown";
    const truth = truthOf(statement.test, context);
    if (truth === "unknown") return "unknown";
    const taken = truth ? statement.consequent : statement.alternate;
    if (!taken) continue;
    const found = returnedTruth(taken.type === "BlockStatement" ? taken.body : [taken], context);
    if (found !== "unknown" || taken.type !== "BlockStatement") return found;
  }
  return "unknown";
}
