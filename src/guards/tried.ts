import { callToken, observationOf } from "./observation.js";
import type { Observation } from "./observation.js";
import type { Settings } from "./options.js";
import { argsPreview, preview } from "./preview.js";
import { callsOf, isHumanTurn, kindOf, resultOf } from "./transcript.js";
import type { Call, LooseMessage } from "./transcript.js";
import type { Verdict } from "./verdict.js";

/** One way in which it was tried, for people and models to read. */
export interface Tried {
  readonly args: string;
  readonly outcome: string;
  readonly count: number;
}

export interface Occurrences {
  readonly argsPreview: string;
  readonly toolCallIds: readonly string[];
  readonly tried: readonly Tried[];
}

const LOOK_BACK = 160;
const MOST = 5;

/**
 * What a verdict is about, read from the messages of this turn: the state has no arguments to read it from. Where the
 * beginning was summarised, it says what is left.
 */
export function occurrencesOf(verdict: Verdict, messages: readonly unknown[], settings: Settings): Occurrences {
  const tried = new Map<string, { args: string; outcome: string; count: number }>();
  const ids: string[] = [];
  let last = "{}";
  for (const { call, seen } of answeredCalls(messages, verdict.tool, settings)) {
    if (verdict.detector === "varying" ? !seen.failed : !isAbout(verdict, seen)) continue;
    last = argsPreview(call.args);
    if (call.id !== "") ids.push(call.id.slice(0, 128));
    const known = tried.get(seen.triple);
    if (known !== undefined) known.count += 1;
    else tried.set(seen.triple, { args: last, outcome: preview(seen.text, 120), count: 1 });
  }
  return { argsPreview: last, toolCallIds: ids.slice(-20), tried: [...tried.values()].slice(0, MOST) };
}

/** A cycle is about all of its calls of this tool; the rest about one key. */
function isAbout({ key, detector }: Verdict, seen: Observation): boolean {
  return seen.key === key || detector === "cycle";
}

function answeredCalls(messages: readonly unknown[], tool: string, settings: Settings) {
  const list = messages as readonly (LooseMessage | null | undefined)[];
  const turn = list.findLastIndex((message) => isLoose(message) && isHumanTurn(message));
  const calls = new Map<string, Call>();
  const found: { call: Call; seen: Observation }[] = [];
  for (const message of list.slice(Math.max(turn + 1, list.length - LOOK_BACK))) {
    if (!isLoose(message)) continue;
    if (kindOf(message) === "ai") for (const call of callsOf(message)) calls.set(call.id, call);
    if (kindOf(message) !== "tool") continue;
    const result = resultOf(message);
    const call = calls.get(result.callId);
    if (call?.tool !== tool || result.cleared) continue;
    found.push({ call, seen: observationOf({ ...call, name: callToken(call, settings) }, result, settings) });
  }
  return found;
}

function isLoose(message: LooseMessage | null | undefined): message is LooseMessage {
  return typeof message === "object" && message !== null;
}
