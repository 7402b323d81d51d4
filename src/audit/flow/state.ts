import type { EffectKind } from "../catalogue/kind.js";
import { numberOf } from "../project/value.js";
import type { SourceFile, Variable } from "../project/source-file.js";
import { contains, startOf } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";

/** A step on the way from a function to what happens in it. */
export interface Link {
  readonly file: SourceFile;
  readonly node: Node;
  readonly what: string;
}

/** A call that does something which a re-run does again. */
export interface EffectSite extends Link {
  readonly kind: EffectKind;
  /** Told from the name of the call alone. */
  readonly guessed: boolean;
  /** What a mutation changes, so that it ends where the variable does. */
  readonly variable?: Variable | undefined;
}

/** A condition that holds, about something that does not change meanwhile. */
export interface Guard {
  /** What it is about; two guards of one subject can contradict each other. */
  readonly subject: string;
  readonly holds: "truthy" | "falsy" | "is" | "is not";
  readonly literal?: string;
  readonly variable: Variable | undefined;
  readonly node: Node;
}

/** An effect that may have happened, seen from the function in which the flow is. */
export interface Occurrence {
  readonly site: EffectSite;
  readonly chain: readonly Link[];
  /** The expression of this function in which it happens. */
  readonly top: Node;
  /** It came here on the way back to the head of a loop, and on no other way. */
  readonly carried: boolean;
  /** A question may have been asked before it. */
  readonly between: boolean;
  /** What holds whenever it has happened. */
  readonly guards: readonly Guard[];
  /** What it gives comes out of the function in which it is; of no account where there is no chain. */
  readonly given: boolean;
}

/** What may have happened before a point of a function, on some path that leads there. */
export interface State {
  readonly effects: ReadonlyMap<string, Occurrence>;
  /** The questions that may have been answered, and whether that was in an earlier iteration only. */
  readonly passed: ReadonlyMap<string, boolean>;
  readonly guards: readonly Guard[];
}

export const START: State = { effects: new Map(), passed: new Map(), guards: [] };

/** Where a path does not lead on, there is no state. */
export type Flow = State | undefined;

const MOST_EFFECTS = 300;

export function siteKey({ file, node }: Omit<Link, "what">): string {
  return `${numberOf(file)}:${startOf(node)}`;
}

export function occurrenceKey({ site, top }: Pick<Occurrence, "site" | "top">): string {
  return `${siteKey(site)}:${site.kind}@${startOf(top)}`;
}

export function withEffect(state: State, occurrence: Occurrence): State {
  if (state.effects.size >= MOST_EFFECTS) return state;
  const effects = new Map(state.effects);
  effects.set(occurrenceKey(occurrence), occurrence);
  return { ...state, effects };
}

export function withPassed(state: State, keys: Iterable<string>): State {
  const passed = new Map(state.passed);
  for (const key of keys) passed.set(key, false);
  return { ...state, passed };
}

/** A state in which these conditions hold too; what cannot have happened then is left out. */
export function withGuards(state: Flow, guards: readonly Guard[]): Flow {
  if (state === undefined || guards.length === 0) return state;
  if (clashes(guards, state.guards)) return undefined;
  const effects = [...state.effects].filter(([, occurrence]) => !clashes(guards, occurrence.guards));
  return { ...state, effects: new Map(effects), guards: [...state.guards, ...guards] };
}

function clashes(guards: readonly Guard[], others: readonly Guard[]): boolean {
  return guards.some((guard) => others.some((other) => contradict(guard, other)));
}

/** A state in which nothing is known of a subject any more. */
export function withoutSubject({ effects, passed, guards }: State, subject: string): State {
  const without = (list: readonly Guard[]): readonly Guard[] => list.filter((guard) => guard.subject !== subject);
  return {
    passed,
    guards: without(guards),
    effects: new Map([...effects].map(([key, each]) => [key, { ...each, guards: without(each.guards) }] as const)),
  };
}

export function join(a: Flow, b: Flow): Flow {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  const effects = new Map(a.effects);
  for (const [key, occurrence] of b.effects) {
    const other = effects.get(key);
    effects.set(key, other === undefined ? occurrence : either(other, occurrence));
  }
  const passed = new Map(a.passed);
  for (const [key, carried] of b.passed) passed.set(key, carried && (passed.get(key) ?? true));
  return { effects, passed, guards: common(a.guards, b.guards) };
}

function either(a: Occurrence, b: Occurrence): Occurrence {
  if (a === b) return a;
  return {
    ...(a.chain.length <= b.chain.length ? a : b),
    carried: a.carried && b.carried,
    between: a.between || b.between,
    guards: common(a.guards, b.guards),
  };
}

function common(a: readonly Guard[], b: readonly Guard[]): readonly Guard[] {
  return a === b ? a : a.filter((guard) => b.some((other) => same(guard, other)));
}

function same(a: Guard, b: Guard): boolean {
  return a.subject === b.subject && a.holds === b.holds && a.literal === b.literal;
}

/** Whether two conditions cannot both hold. */
export function contradict(a: Guard, b: Guard): boolean {
  if (a.subject !== b.subject) return false;
  if (a.holds === "is" && b.holds === "is") return a.literal !== b.literal;
  if (a.literal === b.literal && (a.holds === "is" ? b.holds === "is not" : a.holds === "is not" && b.holds === "is")) {
    return true;
  }
  return (a.holds === "truthy" && b.holds === "falsy") || (a.holds === "falsy" && b.holds === "truthy");
}

/** A state on its way back to the head of a loop. What the loop's own variables and calls said holds no longer. */
export function carriedBack(state: Flow, loop: Node): Flow {
  if (state === undefined) return undefined;
  const lasting = (guards: readonly Guard[]): readonly Guard[] =>
    guards.filter(({ variable, node }) =>
      variable === undefined ? !contains(loop, node) : !variable.defs.some(({ name }) => contains(loop, name as Node)),
    );
  const effects = new Map<string, Occurrence>();
  for (const [key, occurrence] of state.effects) {
    const inside = contains(loop, occurrence.top);
    effects.set(key, inside ? { ...occurrence, carried: true, guards: lasting(occurrence.guards) } : occurrence);
  }
  const passed = new Map([...state.passed].map(([key]) => [key, true] as const));
  return { effects, passed, guards: lasting(state.guards) };
}

/** Behind a loop it does not matter in which iteration something was. */
export function outOf(state: Flow, loop: Node): Flow {
  if (state === undefined) return undefined;
  const effects = new Map<string, Occurrence>();
  for (const [key, occurrence] of state.effects) {
    effects.set(
      key,
      occurrence.carried && contains(loop, occurrence.top) ? { ...occurrence, carried: false } : occurrence,
    );
  }
  return { ...state, effects, passed: new Map([...state.passed].map(([key]) => [key, false] as const)) };
}

export function equal(a: Flow, b: Flow): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.effects.size !== b.effects.size || a.passed.size !== b.passed.size || a.guards.length !== b.guards.length)
    return false;
  for (const [key, { carried, between, guards }] of a.effects) {
    const other = b.effects.get(key);
    if (other?.carried !== carried || other.between !== between || other.guards.length !== guards.length) return false;
  }
  for (const [key, carried] of a.passed) if (b.passed.get(key) !== carried) return false;
  return true;
}

/** A variable that ends with the function is nothing that a re-run meets. */
export function outlives(site: EffectSite, fn: FunctionNode, file: SourceFile): boolean {
  return !site.variable || site.file !== file || !site.variable.defs.some(({ name }) => contains(fn, name as Node));
}
