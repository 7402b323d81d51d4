import type { SourceFile } from "../project/source-file.js";
import { numberOf } from "../project/value.js";
import type { FunctionValue } from "../project/value.js";
import { visitExpression } from "./expressions.js";
import { Findings } from "./findings.js";
import type { Question } from "./findings.js";
import { functionsOf, Leads } from "./leads.js";
import { comesOut } from "./reach.js";
import type { World } from "./meaning.js";
import { join } from "./state.js";
import type { Link, Occurrence } from "./state.js";
import { visitStatement } from "./statements.js";
import { Walk } from "./walk.js";

/** A question that a function asks, and the calls that lead to it. */
export interface Asked {
  readonly question: Question;
  readonly chain: readonly Link[];
}

/** What a caller has to know of a function. */
export interface Summary {
  /** The questions whose exception leaves the function. */
  readonly asks: ReadonlyMap<string, Asked>;
  /** What may have happened when it returns, and when it throws. */
  readonly effects: ReadonlyMap<string, Occurrence>;
  readonly thrown: ReadonlyMap<string, Occurrence>;
  /** The questions that may have been answered when it returns. */
  readonly passed: readonly string[];
  /** Whether it ever returns. */
  readonly returns: boolean;
}

const NOTHING: Summary = { asks: new Map(), effects: new Map(), thrown: new Map(), passed: [], returns: true };
const MOST_ROUNDS = 4;
const DEEPEST = 40;

/** Summaries of functions, made when they are asked for; recursion goes round until nothing new is found. */
export class Summaries {
  readonly #done = new Map<string, Summary>();
  /** Functions that are being looked at, with what is known of them so far; and those that were met again meanwhile. */
  readonly #active = new Map<string, Summary>();
  readonly #met = new Set<string>();
  readonly #made = new Map<string, number>();
  #unfinished = 0;

  constructor(
    private readonly world: World,
    private readonly findings: Findings,
  ) {}

  of(value: FunctionValue): Summary {
    const key = `${numberOf(value.fn)}/${value.env?.id ?? ""}`;
    const done = this.#done.get(key);
    if (done !== undefined) return done;
    const active = this.#active.get(key);
    if (active !== undefined) {
      this.#met.add(key);
      this.#unfinished += 1;
      return active;
    }
    if (this.#active.size > DEEPEST || !value.fn.body) return NOTHING;
    return this.#make(key, value);
  }

  #make(key: string, value: FunctionValue): Summary {
    const before = this.#unfinished;
    let summary = NOTHING;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const size = sizeOf(summary);
      this.#active.set(key, summary);
      summary = this.#walk(value);
      if (!this.#met.has(key) || (round > 0 && sizeOf(summary) === size)) break;
    }
    this.#active.delete(key);
    const made = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, made);
    // What hangs on a function that is not finished is made anew when that is, but not without end.
    const finished = this.#unfinished === before || this.#active.size === 0 || made >= MOST_ROUNDS;
    if (this.#met.delete(key) || finished) this.#done.set(key, summary);
    if (this.#active.size === 0) this.#unfinished = 0;
    return summary;
  }

  #walk({ fn, file, env }: FunctionValue): Summary {
    const flow = new Walk(fn, file, env, this.world, this.findings, this);
    for (const parameter of fn.params) visitExpression(flow, parameter);
    const { body } = fn;
    if (body?.type === "BlockStatement") visitStatement(flow, body);
    else if (body) visitExpression(flow, body);
    const end = join(flow.exits, flow.state);
    return {
      asks: flow.asks,
      effects: new Map([...(end?.effects ?? [])].map(([key, each]) => [key, withGiven(each, fn, file)] as const)),
      thrown: flow.thrown?.effects ?? new Map<string, Occurrence>(),
      passed: [...(end?.passed.keys() ?? [])],
      returns: end !== undefined || fn.generator,
    };
  }
}

/** Whether what an effect gives leaves the function, where it matters: a write is no better for being kept. */
function withGiven(occurrence: Occurrence, fn: FunctionValue["fn"], file: SourceFile): Occurrence {
  const { site, chain, top, given } = occurrence;
  if (site.kind !== "clock" && site.kind !== "random" && site.kind !== "read") return { ...occurrence, given: true };
  return { ...occurrence, given: (chain.length === 0 || given) && comesOut(top, fn, file, site.kind === "clock") };
}

function sizeOf({ asks, effects, thrown, passed }: Summary): number {
  return asks.size + effects.size + thrown.size + passed.length;
}

/** Follows the flow of every function of the files that leads to a question. */
export function analyse(
  files: readonly SourceFile[],
  world: World,
): { readonly findings: Findings; readonly summaries: Summaries } {
  const findings = new Findings();
  const summaries = new Summaries(world, findings);
  const leads = new Leads(world, new Set(files));
  for (const { value } of world.roles.entries) {
    if (leads.fromEntry(value)) summaries.of(value);
  }
  for (const file of files) {
    for (const fn of functionsOf(file)) {
      const value: FunctionValue = { kind: "function", fn, file, env: undefined };
      if (leads.from(value)) summaries.of(value);
    }
  }
  return { findings, summaries };
}
