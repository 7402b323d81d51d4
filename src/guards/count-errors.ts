import { found, nameOf, startAnew } from "./announce.js";
import type { Reading } from "./fold.js";
import { keep, KEPT } from "./loop-state.js";
import type { ErrorRun, LoopState } from "./loop-state.js";
import { typeOfError } from "./observation.js";
import type { Observation } from "./observation.js";
import { cut, preview } from "./preview.js";
import type { Threshold } from "./thresholds.js";

/**
 * Counts the rounds in which one tool met one kind of error with arguments that it had not had before. A success of the
 * tool, another kind of error, or a few rounds of something new start anew. It reminds once and never stops a run: ten configurations that all fail
 * alike are a search.
 */
export function countErrorKind(seen: Observation, args: unknown, { remind }: Threshold, reading: Reading): void {
  const { state } = reading;
  const run = runOf(seen, typeOfError(seen, args), reading);
  if (run.variants.includes(seen.call)) return;
  keep(run.variants, seen.call, KEPT.variants);
  run.novel = state.novel;
  if (!oncePerRound(run, state)) return;
  run.count += 1;
  if (remind === false || run.reminded || run.count < remind || state.open?.warned === true) return;
  const { count } = run;
  run.reminded = true;
  startAnew(state, []);
  const evidence = { firstError: run.first, lastError: preview(seen.text), variants: count };
  found("remind", { detector: "varying", tool: seen.tool, count, key: run.type, class: seen.class, evidence }, reading);
}

function runOf(seen: Observation, type: string, { state, settings }: Reading): ErrorRun {
  const tool = nameOf(seen.tool);
  const known = state.errors.find((run) => run.tool === tool);
  if (known?.type === type && state.novel - known.novel < settings.forgetAfter) return known;
  const first = cut(preview(seen.text, KEPT.quote), KEPT.quote);
  const run: ErrorRun = { tool, type, variants: [], count: 0, novel: state.novel, reminded: false, first };
  state.errors = state.errors.filter((each) => each !== known);
  keep(state.errors, run, KEPT.errors);
  return run;
}

/** Siblings that all fail alike are one observation. */
function oncePerRound({ type, tool }: ErrorRun, { open }: LoopState): boolean {
  const mark = `${type}${tool}`;
  if (open === null || open.keys.includes(mark)) return false;
  keep(open.keys, mark, KEPT.calls * 2);
  return true;
}
