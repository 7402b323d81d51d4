import { countErrorKind } from "./count-errors.js";
import type { Reading } from "./fold.js";
import { token } from "./hash.js";
import { has, keep, KEPT, learn } from "./loop-state.js";
import type { LoopState, OpenRound, Streak } from "./loop-state.js";
import type { Observation } from "./observation.js";
import type { Settings } from "./options.js";
import { cut, preview } from "./preview.js";
import { found, nameOf, startAnew } from "./announce.js";
import { FRESH_REPEATS } from "./thresholds.js";
import type { DetectorName, Threshold } from "./thresholds.js";
import type { Evidence, Verdict } from "./verdict.js";

/** What a person or a tool's own absence answers is counted whatever else was done meanwhile. */
const WHATEVER_ELSE: ReadonlySet<DetectorName> = new Set(["rejection", "unknownTool"]);
/** Waiting is no lap of a cycle. */
const NO_LAPS: ReadonlySet<DetectorName> = new Set(["poll", "transient"]);
const PERIODS = [2, 3, 4];
/** A fan-out of so many siblings is counted as one thing as well. */
const FAN_OUT = 9;
const FAN_OUTS = 4;

/** Counts one call and its outcome. Siblings of one round count once. */
export function countObservation(seen: Observation, args: unknown, reading: Reading): void {
  const { state, settings } = reading;
  const { open } = state;
  const rules = settings.toolNamed(seen.tool);
  if (open === null || rules.exempt || isAllowed(state, seen.key)) return;
  if (seen.detector !== "transient") forgive(seen, state, open);
  if (!NO_LAPS.has(seen.detector) && !open.parts.includes(seen.key)) keep(open.parts, seen.key, KEPT.calls);
  if (open.keys.includes(seen.key)) return;
  keep(open.keys, seen.key, KEPT.calls);
  const streak = streakOf(seen, reading);
  judge(streak, rules.thresholds[seen.detector], seen, reading);
  if (seen.failed && seen.detector === "repeat") countErrorKind(seen, args, rules.thresholds.varying, reading);
}

/** Counts what a whole round did: laps of a cycle, and fan-outs with more siblings than streaks are kept. */
export function countRound(reading: Reading): void {
  const { state, settings } = reading;
  const { open } = state;
  if (open === null) return;
  if (open.novel) {
    state.novel += 1;
    for (const streak of state.streaks) if (open.keys.includes(streak.key)) streak.novel = state.novel;
  }
  // What came beside a call in the round of its first time is no change of path after it.
  for (const streak of state.streaks) if (streak.at[0] === state.round) streak.fresh = state.fresh;
  if (open.parts.length === 0) return;
  const signature = signatureOf(open.parts);
  if (!open.warned) keep(state.rounds, signature, KEPT.rounds);
  if (open.parts.length >= FAN_OUT) countFanOut(signature, open, reading);
  if (!open.warned) countLaps(settings.thresholds.cycle, reading);
}

function signatureOf(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : token(...parts.toSorted());
}

function isAllowed(state: LoopState, key: string): boolean {
  const rule = state.allowed.find((each) => each.key === key);
  if (rule === undefined) return false;
  if (rule.times === true) return true;
  rule.times -= 1;
  if (rule.times <= 0) state.allowed = state.allowed.filter((each) => each !== rule);
  return true;
}

/** What is new forgives: the same call with an outcome never seen, a success of a tool that had failed. */
function forgive(seen: Observation, state: LoopState, open: OpenRound): void {
  if (!has(state.seen, seen.triple)) {
    learn(state.seen, seen.triple, KEPT.seen);
    state.streaks = state.streaks.filter(({ call, key }) => call !== seen.call || key === seen.key);
    if (!seen.failed) {
      open.novel = true;
      state.fresh += 1;
    }
  }
  if (seen.detector !== "schema" && seen.detector !== "unknownTool") forget("schema", seen, state);
  if (seen.failed) return;
  forget("rejection", seen, state);
  if (state.errors.length > 0) state.errors = state.errors.filter(({ tool }) => tool !== nameOf(seen.tool));
}

function forget(detector: DetectorName, { tool }: Observation, state: LoopState): void {
  if (!state.streaks.some((streak) => streak.detector === detector)) return;
  const name = nameOf(tool);
  state.streaks = state.streaks.filter((streak) => streak.detector !== detector || streak.tool !== name);
}

/** The streak that this belongs to, with one more round in it. */
function streakOf(seen: Observation, { state, settings }: Reading): Streak {
  const known = state.streaks.find(({ key }) => key === seen.key);
  const streak = known !== undefined && !isForgotten(known, state, settings) ? known : newStreak(seen, state);
  const nothingNew = streak.fresh === state.fresh;
  streak.count += 1;
  streak.run = nothingNew ? streak.run + 1 : 1;
  streak.stale += nothingNew ? 1 : 0;
  streak.fresh = state.fresh;
  streak.novel = state.novel;
  streak.class = seen.class;
  keep(streak.at, state.round, KEPT.at);
  if (known !== undefined) state.streaks.splice(state.streaks.indexOf(known), 1);
  if (state.streaks.length >= KEPT.streaks) makeRoom(state.streaks);
  state.streaks.push(streak);
  return streak;
}

/** What happened once and long ago goes first; a fan-out is kept, since its siblings would push it out. */
function makeRoom(streaks: Streak[]): void {
  const fanOuts = streaks.filter(isFanOut);
  const once = streaks.findIndex((streak) => streak.count === 1 && !isFanOut(streak));
  const any = streaks.findIndex((streak) => !isFanOut(streak));
  const oldest = fanOuts.length > FAN_OUTS || any < 0 ? streaks.findIndex(isFanOut) : any;
  streaks.splice(fanOuts.length <= FAN_OUTS && once >= 0 ? once : oldest, 1);
}

function isFanOut({ call, key }: Streak): boolean {
  return call === key;
}

function isForgotten({ novel, at }: Streak, state: LoopState, settings: Settings): boolean {
  const apart = state.round - (at.at(-1) ?? state.round);
  return state.novel - novel >= settings.forgetAfter || apart > settings.slowWindow;
}

function newStreak(seen: Observation, state: LoopState): Streak {
  return {
    key: seen.key,
    call: seen.call,
    tool: nameOf(seen.tool),
    detector: seen.detector,
    class: seen.class,
    count: 0,
    run: 0,
    stale: 0,
    at: [],
    novel: state.novel,
    fresh: state.fresh,
    reminded: 0,
    period: 0,
    first: seen.failed ? cut(preview(seen.text, KEPT.quote), KEPT.quote) : "",
  };
}

function judge(streak: Streak, threshold: Threshold, seen: Observation, reading: Reading): void {
  const { state, settings } = reading;
  const { remind, trip } = threshold;
  if (remind !== false && streak.reminded === 0) {
    if (!isDue(streak, remind, settings.window) || state.open?.warned === true) return;
    streak.period = periodAt(seen, state);
    streak.reminded = streak.count;
    const verdict = verdictOf(streak, seen, state);
    startAnew(state, [streak]);
    found("remind", verdict, reading);
    return;
  }
  if (trip === false || !isTripped(streak, trip, remind)) return;
  const verdict = verdictOf(streak, seen, state);
  startAnew(state, []);
  found("trip", verdict, reading);
}

/** As many of the last rounds as the window has; a threshold beyond what is remembered counts all. */
function isDue({ count, at }: Streak, remind: number, window: number): boolean {
  if (count < remind) return false;
  const first = at.at(-remind);
  return first === undefined || (at.at(-1) ?? first) - first < window;
}

/** One after the other with nothing new between them, or one more than that with something new now and then. */
function isTripped(streak: Streak, trip: number, remind: number | false): boolean {
  const { detector, count, run, stale, reminded, period } = streak;
  if (remind !== false && count - reminded < FRESH_REPEATS) return false;
  if (WHATEVER_ELSE.has(detector)) return count >= trip;
  // The first lap of a cycle was new.
  if (period > 0 && count >= trip && run >= count - reminded) return true;
  return run >= trip || stale > trip;
}

function verdictOf(streak: Streak, seen: Observation, { rounds }: LoopState): Omit<Verdict, "level" | "index"> {
  const { detector, key, period, count } = streak;
  const errors: Evidence = seen.failed ? { firstError: streak.first, lastError: preview(seen.text) } : {};
  return {
    detector: period > 0 ? "cycle" : detector,
    tool: seen.tool,
    count,
    key,
    class: streak.class,
    evidence: { ...errors, ...(period > 0 ? { period, lap: rounds.slice(-period) } : {}) },
  };
}

/** How many calls the cycle has that a call closes; 0 where it is none. */
function periodAt(seen: Observation, { rounds, open }: LoopState): number {
  if (open === null || open.calls.length > 1) return 0;
  const sequence = [...rounds, seen.key];
  return PERIODS.find((period) => repeatedTail(sequence, period) >= 2 * period + 1) ?? 0;
}

/** How long the end of a sequence is in which everything is what stood `period` places before it. */
function repeatedTail(sequence: readonly string[], period: number): number {
  const last = sequence.length - 1;
  if (sequence[last] === sequence[last - 1]) return 0;
  let same = 0;
  while (last - same - period >= 0 && sequence[last - same] === sequence[last - same - period]) same += 1;
  return same === 0 ? 0 : same + period;
}

function countLaps({ remind, trip }: Threshold, reading: Reading): void {
  const { state, settings } = reading;
  for (const period of PERIODS) {
    const laps = Math.floor(repeatedTail(state.rounds, period) / period);
    if (laps < FRESH_REPEATS) continue;
    const key = cycleKey(state.rounds.slice(-period));
    const { cycle } = state;
    const lap = state.rounds.slice(-period);
    const reminded = cycle?.key === key && state.novel - cycle.novel < settings.forgetAfter;
    const before = reminded && remind !== false ? remind : 0;
    const verdict = { detector: "cycle", tool: toolsOf(state), count: before + laps, key, class: "no-change" } as const;
    if (remind !== false && !reminded) {
      if (laps < remind) return;
      startAnew(state, []);
      state.cycle = { key, novel: state.novel };
      found("remind", { ...verdict, evidence: { period, lap } }, reading);
    } else if (trip !== false && before + laps >= trip) {
      startAnew(state, []);
      found("trip", { ...verdict, evidence: { period, lap } }, reading);
    }
    return;
  }
}

/** The same name wherever in the lap one looks. */
function cycleKey(lap: readonly string[]): string {
  const turns = lap.map((_part, at) => [...lap.slice(at), ...lap.slice(0, at)].join());
  return token("cycle", turns.toSorted()[0] ?? "");
}

function toolsOf({ open }: LoopState): string {
  return open?.calls[0]?.tool ?? "";
}

function countFanOut(signature: string, open: OpenRound, reading: Reading): void {
  const tool = open.calls[0]?.tool ?? "";
  const seen: Observation = {
    ...{ tool, call: signature, triple: signature, key: signature },
    ...{ detector: "repeat", class: "no-change", failed: false, text: "" },
  };
  judge(streakOf(seen, reading), reading.settings.thresholds.repeat, seen, reading);
}
