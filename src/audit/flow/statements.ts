import { unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import { branchesOf, rootOf } from "./conditions.js";
import { visitExpression } from "./expressions.js";
import { link } from "./findings.js";
import { withFlag } from "./flags.js";
import { carriedBack, equal, join, outOf, withGuards } from "./state.js";
import type { Flow } from "./state.js";
import { fateIn } from "./swallow.js";
import type { Fate } from "./swallow.js";
import type { JumpFrame, TryFrame, Walk } from "./walk.js";

const MOST_ROUNDS = 5;

export function visitStatement(walk: Walk, node: Node, label?: string): void {
  if (walk.state === undefined) return;
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      for (const statement of node.body) visitStatement(walk, statement);
      return;
    case "ExpressionStatement": {
      visitExpression(walk, node.expression);
      return;
    }
    case "VariableDeclaration":
      for (const { id, init } of node.declarations) {
        if (init) visitExpression(walk, init);
        visitExpression(walk, id);
        walk.state = withFlag(walk.state, id, init, walk.file);
      }
      return;
    case "IfStatement": {
      visitIf(walk, node);
      return;
    }
    case "ReturnStatement":
      if (node.argument) visitExpression(walk, node.argument);
      {
        walk.leave();
        return;
      }
    case "ThrowStatement":
      visitExpression(walk, node.argument);
      walk.throwing();
      walk.state = undefined;
      return;
    case "TryStatement": {
      visitTry(walk, node);
      return;
    }
    case "SwitchStatement": {
      visitSwitch(walk, node, label);
      return;
    }
    case "LabeledStatement": {
      visitLabeled(walk, node);
      return;
    }
    case "BreakStatement":
    case "ContinueStatement": {
      visitJump(walk, node);
      return;
    }
    case "ForStatement":
      if (node.init) (node.init.type === "VariableDeclaration" ? visitStatement : visitExpression)(walk, node.init);
      {
        visitLoop(walk, { node, label, test: node.test, body: node.body, update: node.update });
        return;
      }
    case "WhileStatement": {
      visitLoop(walk, { node, label, test: node.test, body: node.body });
      return;
    }
    case "DoWhileStatement": {
      visitLoop(walk, { node, label, test: node.test, body: node.body, testLast: true });
      return;
    }
    case "ForOfStatement":
    case "ForInStatement":
      visitExpression(walk, node.right);
      {
        visitLoop(walk, { node, label, body: node.body, each: true });
        return;
      }
    case "WithStatement": {
      visitStatement(walk, node.body);
      return;
    }
    default:
      return;
  }
}

function visitIf(walk: Walk, node: Node & { type: "IfStatement" }): void {
  visitExpression(walk, node.test);
  const { whenTrue, whenFalse, always = givenTruth(walk, node.test) } = branchesOf(node.test, walk.file);
  const start = walk.state;
  walk.state = always === false ? undefined : withGuards(start, whenTrue);
  visitStatement(walk, node.consequent);
  const yes = walk.state;
  walk.state = always === true ? undefined : withGuards(start, whenFalse);
  if (node.alternate) visitStatement(walk, node.alternate);
  walk.state = join(yes, walk.state);
}

/** What the call that led here says of a condition: `ask({ silent: true })` of `if (options.silent)`. */
function givenTruth(walk: Walk, test: Node): boolean | undefined {
  const node = unwrap(test);
  if (node.type === "UnaryExpression" && node.operator === "!") {
    const truth = givenTruth(walk, node.argument);
    return truth === undefined ? undefined : !truth;
  }
  if (node.type !== "MemberExpression" || walk.env === undefined) return undefined;
  const root = rootOf(node);
  const variable = root && walk.file.variableOf(root);
  if (variable?.defs[0]?.type !== "Parameter" || !walk.env.bindings.has(variable)) return undefined;
  const values = walk.world.evaluator.of(node, walk.file, walk.env);
  const truths = new Set(values.map((value) => (value.kind === "literal" ? Boolean(value.value) : undefined)));
  return truths.size === 1 ? [...truths][0] : undefined;
}

interface Loop {
  readonly node: Node;
  readonly label: string | undefined;
  readonly body: Node;
  readonly test?: Node | null;
  readonly update?: Node | null;
  readonly testLast?: boolean;
  /** `for … of`: as often as there is something. */
  readonly each?: boolean;
}

/** Goes round until nothing new comes back to the head. */
function visitLoop(walk: Walk, loop: Loop): void {
  const { node, label, body, test, update, testLast = false, each = false } = loop;
  const { always, whenTrue, whenFalse } = each ? { whenTrue: [], whenFalse: [] } : branchesOf(test, walk.file);
  let head: Flow = walk.state;
  let after: Flow;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const frame = jumpFrame(label, true);
    walk.jumps.push(frame);
    walk.state = head;
    if (!testLast && test) visitExpression(walk, test);
    const out = testLast || always === true ? undefined : withGuards(walk.state, whenFalse);
    walk.state = testLast ? walk.state : withGuards(walk.state, whenTrue);
    visitStatement(walk, body);
    walk.state = join(walk.state, frame.continues);
    if (testLast && test) visitExpression(walk, test);
    const end = testLast && always !== true ? walk.state : undefined;
    if (update) visitExpression(walk, update);
    walk.jumps.pop();
    after = join(join(out, end), frame.breaks);
    const next = join(head, carriedBack(walk.state, node));
    if (equal(head, next)) break;
    head = next;
  }
  walk.state = outOf(after, node);
}

function visitSwitch(walk: Walk, node: Node & { type: "SwitchStatement" }, label: string | undefined): void {
  visitExpression(walk, node.discriminant);
  const frame = jumpFrame(label, false);
  walk.jumps.push(frame);
  let waiting: Flow = walk.state;
  let falling: Flow;
  for (const { test, consequent } of node.cases) {
    let entered = waiting;
    if (test) {
      const is = { type: "BinaryExpression", operator: "===", left: node.discriminant, right: test } as unknown as Node;
      const { whenTrue, whenFalse } = branchesOf(is, walk.file);
      entered = withGuards(waiting, whenTrue);
      waiting = withGuards(waiting, whenFalse);
    }
    walk.state = join(entered, falling);
    for (const statement of consequent) visitStatement(walk, statement);
    falling = walk.state;
  }
  walk.jumps.pop();
  const complete = node.cases.some(({ test }) => test === null);
  walk.state = join(join(falling, frame.breaks), complete ? undefined : waiting);
}

function visitLabeled(walk: Walk, node: Node & { type: "LabeledStatement" }): void {
  const { name } = node.label;
  if (/^(?:For|While|DoWhile|Switch)/.test(node.body.type)) {
    visitStatement(walk, node.body, name);
    return;
  }
  const frame = jumpFrame(name, false);
  walk.jumps.push(frame);
  visitStatement(walk, node.body);
  walk.jumps.pop();
  walk.state = join(walk.state, frame.breaks);
}

function visitJump(walk: Walk, node: Node & { type: "BreakStatement" | "ContinueStatement" }): void {
  const label = node.label?.name;
  const goesOn = node.type === "ContinueStatement";
  const frame = walk.jumps.findLast((each) =>
    label === undefined ? (goesOn ? each.loop : true) : each.label === label,
  );
  if (frame !== undefined) {
    if (goesOn) frame.continues = join(frame.continues, walk.state);
    else frame.breaks = join(frame.breaks, walk.state);
  }
  walk.state = undefined;
}

function jumpFrame(label: string | undefined, loop: boolean): JumpFrame {
  return { label, loop, breaks: undefined, continues: undefined };
}

function visitTry(walk: Walk, node: Node & { type: "TryStatement" }): void {
  const { block, handler, finalizer } = node;
  const outer = finalizer ? frameOf(walk, node, () => (leavesAlways(finalizer) ? "swallowed" : "passes")) : undefined;
  if (outer) walk.tries.push(outer);
  if (handler) {
    const { param, body } = handler;
    const inner = frameOf(
      walk,
      handler,
      once(() => fateIn({ param, body }, walk.file, walk.env, walk.world.evaluator)),
    );
    walk.tries.push(inner);
    visitStatement(walk, block);
    walk.tries.pop();
    const done = walk.state;
    walk.state = inner.thrown;
    visitStatement(walk, body);
    walk.state = join(done, walk.state);
  } else visitStatement(walk, block);
  if (outer === undefined || !finalizer) return;
  walk.tries.pop();
  visitFinally(walk, finalizer, outer);
}

/** The finalizer runs after whatever happened; only what ended normally goes on behind it. */
function visitFinally(walk: Walk, finalizer: Node, { thrown, abrupt }: TryFrame): void {
  const done = walk.state;
  walk.state = join(thrown, abrupt);
  visitStatement(walk, finalizer);
  walk.throwing();
  walk.state = done;
  visitStatement(walk, finalizer);
}

function frameOf(walk: Walk, node: Node, fate: () => Fate): TryFrame {
  const what = node.type === "CatchClause" ? "catch" : "finally";
  return { thrown: undefined, abrupt: undefined, fate, by: link(node, walk.file, what) };
}

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A `finally` that returns or throws by itself replaces what is thrown. */
function leavesAlways(finalizer: Node & { type: "BlockStatement" }): boolean {
  return finalizer.body.some((statement) => ["ReturnStatement", "ThrowStatement"].includes(unwrap(statement).type));
}
