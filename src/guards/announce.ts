import type { Reading } from "./fold.js";
import { KEPT } from "./loop-state.js";
import type { LoopState, Streak } from "./loop-state.js";
import { cut, preview } from "./preview.js";
import { identityOf } from "./transcript.js";
import type { Verdict } from "./verdict.js";

const PLAIN_NAME = /^[\w.-]{1,32}$/;

/** Counts start anew after a verdict, except for the streak that it is about. */
export function startAnew(state: LoopState, rest: Streak[]): void {
  state.streaks = rest;
  state.rounds = [];
  state.cycle = null;
  for (const run of state.errors) {
    run.count = 0;
    run.variants = [];
  }
}

/** Says what was found; once a round. */
export function found(level: Verdict["level"], verdict: Omit<Verdict, "level" | "index">, reading: Reading): void {
  const { state, message, index, verdicts } = reading;
  const full: Verdict = { index, level, ...verdict };
  if (state.open !== null) state.open.warned = true;
  if (level === "trip") state.tripped = full;
  state.reminder = level === "trip" ? null : { on: identityOf(message), verdict: full };
  verdicts.push(full);
}

/** The name of a tool as it is kept: a model can make up long ones. */
export function nameOf(tool: string): string {
  return PLAIN_NAME.test(tool) ? tool : cut(preview(tool, KEPT.name), KEPT.name);
}
