import { isEffect } from "../catalogue/kind.js";
import type { EffectKind } from "../catalogue/kind.js";
import { howTaken } from "../project/calls.js";
import type { SourceFile, Variable } from "../project/source-file.js";
import { contains, isFunction } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";
import type { Env, FunctionValue } from "../project/value.js";
import type { Asked, Summaries, Summary } from "./analysis.js";
import type { Findings, Question } from "./findings.js";
import { link } from "./findings.js";
import { isGuarded } from "./guarded.js";
import { calledText } from "./meaning.js";
import type { Meaning, World } from "./meaning.js";
import { reachOf, REACHES_NOTHING } from "./reach.js";
import type { Reach } from "./reach.js";
import { contradict, join, outlives, siteKey, START, withEffect, withPassed } from "./state.js";
import type { Flow, Link, Occurrence, State } from "./state.js";
import type { Fate } from "./swallow.js";

/** A block that catches what is thrown in it. */
export interface TryFrame {
  thrown: Flow;
  /** What leaves the block by `return`, for the sake of `finally`. */
  abrupt: Flow;
  readonly fate: () => Fate;
  readonly by: Link;
}

export interface JumpFrame {
  readonly label: string | undefined;
  readonly loop: boolean;
  breaks: Flow;
  continues: Flow;
}

/** One function on its way through the flow: what may have happened up to the point where it is. */
export class Walk {
  state: Flow = START;
  exits: Flow;
  thrown: Flow;
  readonly tries: TryFrame[] = [];
  readonly jumps: JumpFrame[] = [];
  readonly asks = new Map<string, Asked>();
  /** Expressions that are part of one that says more: `db.insert(x)` in `db.insert(x).onConflictDoNothing()`. */
  readonly absorbed = new Set<Node>();
  /** What runs several things at once, while its arguments are looked at. */
  parallel: Link | undefined;
  silent = false;
  asked = 0;

  constructor(
    readonly fn: FunctionNode,
    readonly file: SourceFile,
    readonly env: Env | undefined,
    readonly world: World,
    readonly findings: Findings,
    readonly summaries: Summaries,
  ) {}

  /** From here an error may leave. */
  throwing(state: Flow = this.state): void {
    const frame = this.tries.at(-1);
    if (frame === undefined) this.thrown = join(this.thrown, state);
    else frame.thrown = join(frame.thrown, state);
  }

  leave(): void {
    this.exits = join(this.exits, this.state);
    for (const frame of this.tries) frame.abrupt = join(frame.abrupt, this.state);
    this.state = undefined;
  }

  /** A call that does something itself. */
  effect(kind: EffectKind, top: Node, what: string, guessed: boolean, variable?: Variable): void {
    if (this.state === undefined) return;
    const site = { file: this.file, node: top, what, kind, guessed, variable };
    this.state = withEffect(this.state, {
      site,
      chain: [],
      top,
      carried: false,
      between: asksBefore(this.state),
      guards: this.state.guards,
      given: false,
    });
    this.throwing();
  }

  call(node: Node, callee: Node, meaning: Meaning): void {
    this.throwing();
    const what = calledText(callee, this.file);
    if (meaning.interrupt || meaning.kind === "interrupt") {
      this.ask({ ...link(node, this.file, what), plain: meaning.interrupt }, [], node);
      return;
    }
    if (meaning.functions.length > 0) this.run(meaning.functions, node, what, meaning.barrier);
    if (meaning.kind !== undefined && isEffect(meaning.kind)) this.effect(meaning.kind, node, what, meaning.guessed);
  }

  /** Runs one of several functions. */
  run(functions: readonly FunctionValue[], node: Node, what: string, barrier = false): void {
    const start = this.state;
    let end: Flow;
    let returns = false;
    for (const value of functions) {
      this.state = start;
      const summary = this.summaries.of(value);
      returns ||= summary.returns;
      this.#sideBySide(value, summary, node, what);
      this.#apply(summary, node, what, barrier, value.fn === this.fn);
      if (summary.returns || barrier) end = join(end, this.state);
    }
    this.state = functions.length === 0 ? start : returns || barrier ? end : undefined;
  }

  #apply(summary: Summary, node: Node, what: string, barrier: boolean, again: boolean): void {
    const here = link(node, this.file, what);
    for (const { question, chain } of summary.asks.values()) this.ask(question, [here, ...chain], node, again);
    if (this.state === undefined) return;
    if (!barrier) {
      this.throwing(this.#after(this.state, summary.thrown, here, node));
      this.state = this.#after(this.state, summary.effects, here, node);
    }
    this.state = withPassed(this.state, summary.passed);
    this.throwing();
  }

  #after(state: State, effects: Summary["effects"], here: Link, node: Node): State {
    let after = state;
    for (const occurrence of effects.values()) {
      if (!outlives(occurrence.site, this.fn, this.file)) continue;
      after = withEffect(after, {
        ...occurrence,
        chain: [here, ...occurrence.chain],
        top: node,
        carried: false,
        between: occurrence.between || asksBefore(state),
        guards: [...state.guards, ...occurrence.guards],
      });
    }
    return after;
  }

  /** A question that nobody waits for, or that is asked beside others. */
  #sideBySide({ fn }: FunctionValue, summary: Summary, node: Node, what: string): void {
    if (summary.asks.size === 0 || !fn.async || howTaken(node, this.file) !== "plain" || isFunction(node)) return;
    const { parent } = node;
    const floating = parent?.type === "ExpressionStatement" || parent?.type === "UnaryExpression";
    const collected = parent?.type === "CallExpression" && parent.callee.type === "MemberExpression";
    if (!floating && !collected) return;
    for (const { question, chain } of summary.asks.values()) {
      this.findings.parallel({ question, toQuestion: chain, by: link(node, this.file, what) });
    }
  }

  /** @param again the question is of this function itself, which calls itself */
  ask(question: Question, toQuestion: readonly Link[], top: Node, again = false): void {
    const { state } = this;
    if (state === undefined) return;
    this.asked += 1;
    const key = siteKey(question);
    const swallowed = this.#isSwallowed(question, toQuestion);
    if (!this.silent) this.#meets(question, toQuestion, state);
    // A question that is swallowed stops nothing yet, but will when the handler is mended.
    if (!this.silent) this.#report(question, toQuestion, top, state, again);
    if (!swallowed) {
      const other = this.asks.get(key);
      if (other === undefined || other.chain.length > toQuestion.length)
        this.asks.set(key, { question, chain: toQuestion });
    }
    this.throwing();
    this.state = withPassed(state, [key]);
  }

  #meets(question: Question, toQuestion: readonly Link[], state: State): void {
    const key = siteKey(question);
    this.findings.questions.set(key, question);
    if (state.passed.size > 0) for (const each of [key, ...state.passed.keys()]) this.findings.crowded.add(each);
    if (this.parallel !== undefined) this.findings.parallel({ question, toQuestion, by: this.parallel });
  }

  #report(question: Question, toQuestion: readonly Link[], top: Node, state: State, again: boolean): void {
    for (const occurrence of state.effects.values()) {
      if (occurrence.guards.some((guard) => state.guards.some((other) => contradict(guard, other)))) continue;
      // What was read for one round of a recursion was read for another question.
      if (again && !CHANGES.has(occurrence.site.kind)) continue;
      this.findings.pair({
        question,
        toQuestion,
        effect: occurrence.site,
        toEffect: occurrence.chain,
        carried: occurrence.carried || again,
        between: occurrence.between,
        guarded: isGuarded(occurrence, this),
        inCatch: isInCatchOf(top, occurrence, this.fn),
        reach: this.#reach(occurrence, top),
        looped: isInLoop(top, this.fn),
      });
    }
  }

  /** What a helper keeps to itself reaches nothing here. */
  #reach({ chain, given, top, site }: Occurrence, question: Node): Reach {
    if (chain.length > 0 && !given) return REACHES_NOTHING;
    return reachOf(top, question, this.fn, this.file, site.kind === "clock");
  }

  #isSwallowed(question: Question, toQuestion: readonly Link[]): boolean {
    for (const frame of [...this.tries].reverse()) {
      if (frame.fate() !== "swallowed") continue;
      if (!this.silent) this.findings.swallow({ question, toQuestion, by: frame.by });
      return true;
    }
    return false;
  }
}

const CHANGES: ReadonlySet<EffectKind> = new Set(["write", "send", "unknown", "model", "mutation"]);

function asksBefore({ passed }: State): boolean {
  for (const carried of passed.values()) if (!carried) return true;
  return false;
}

function isInCatchOf(question: Node, { top }: Occurrence, fn: FunctionNode): boolean {
  for (let at = question.parent; at && at !== fn; at = at.parent) {
    if (at.type === "CatchClause" && at.parent?.type === "TryStatement" && contains(at.parent.block, top)) return true;
  }
  return false;
}

const LOOPS = new Set(["WhileStatement", "DoWhileStatement", "ForStatement", "ForOfStatement", "ForInStatement"]);

function isInLoop(node: Node, fn: FunctionNode): boolean {
  for (let at = node.parent; at && at !== fn; at = at.parent) if (LOOPS.has(at.type)) return true;
  return false;
}
