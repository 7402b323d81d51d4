import { countObservation, countRound } from "./count.js";
import { forgetCounts, has, keep, KEPT, learn } from "./loop-state.js";
import type { LoopState } from "./loop-state.js";
import { callToken, observationOf } from "./observation.js";
import type { NamedCall } from "./observation.js";
import type { Settings } from "./options.js";
import { nameOf } from "./announce.js";
import { shortName, token } from "./hash.js";
import { callsOf, identityOf, idOf, isHumanTurn, jsonOf, kindOf, resultOf } from "./transcript.js";
import type { Call, LooseMessage } from "./transcript.js";
import type { Verdict } from "./verdict.js";

/** How far a result may stand behind its call. */
const LOOK_BACK = 256;

/** Where the messages are read to, and what was found on the way. */
export interface Reading {
  readonly state: LoopState;
  readonly settings: Settings;
  readonly verdicts: Verdict[];
  readonly list: readonly (LooseMessage | null | undefined)[];
  readonly message: LooseMessage;
  readonly index: number;
}

/**
 * Reads what the state does not know yet of these messages, and returns what was found. It changes the state.
 *
 * The messages may be the whole conversation, as a graph's state has it, or only what came since; a conversation whose
 * beginning was summarised or cut off is recognised by what was read last.
 */
export function fold(state: LoopState, messages: readonly unknown[], settings: Settings): Verdict[] {
  const verdicts: Verdict[] = [];
  const list = messages as readonly (LooseMessage | null | undefined)[];
  for (let index = firstUnread(state, list); index < list.length; index += 1) {
    const message = list[index];
    if (typeof message !== "object" || message === null) continue;
    try {
      read({ state, settings, verdicts, list, message, index });
    } catch {
      // A message that cannot even be looked at (a getter that throws) counts for nothing; the run goes on.
    }
  }
  if (list.length > 0) state.cursor = { length: list.length, last: identityOf(list.at(-1)) };
  return verdicts;
}

function firstUnread({ cursor, known }: LoopState, list: readonly (LooseMessage | null | undefined)[]): number {
  if (cursor.length === 0) return 0;
  if (list.length >= cursor.length && identityOf(list[cursor.length - 1]) === cursor.last) return cursor.length;
  // The beginning changed: what was read last tells where to go on.
  const last = list.findLastIndex((message) => identityOf(message) === cursor.last);
  if (last >= 0) return last + 1;
  return list.findLastIndex((message) => idOf(message) !== undefined && has(known, identityOf(message))) + 1;
}

function read(reading: Reading): void {
  const { state, message } = reading;
  switch (kindOf(message)) {
    case "human":
      if (isHumanTurn(message)) forgetCounts(state);
      return;
    case "ai":
      readCalls(reading);
      return;
    case "tool":
      readResult(reading);
      return;
    case "other":
      return;
  }
}

/** Text alone hides nothing: a streak goes on behind it. */
function readCalls(reading: Reading): void {
  const { state, message } = reading;
  const calls = callsOf(message);
  if (calls.length === 0 || wasRead(state, message, calls)) return;
  if (state.open !== null) closeRound(reading);
  state.round += 1;
  state.open = {
    ai: identityOf(message),
    calls: calls.slice(0, KEPT.calls).map((call) => ({
      id: shortName(call.id),
      tool: nameOf(call.tool),
      call: callToken(call, reading.settings),
      answered: call.invalid !== undefined,
    })),
    keys: [],
    parts: [],
    novel: false,
    warned: false,
  };
  calls.forEach((call, at) => {
    if (call.invalid !== undefined) readInvalid({ ...call, name: state.open?.calls[at]?.call ?? "" }, reading);
  });
  if (state.open.calls.every(({ answered }) => answered)) closeRound(reading);
}

/** Whether the message was read before: a replay brings it again. A model that uses call ids again does not mean that. */
function wasRead(state: LoopState, message: LooseMessage, calls: readonly Call[]): boolean {
  if (idOf(message) !== undefined) {
    const name = identityOf(message);
    if (has(state.known, name)) return true;
    learn(state.known, name, KEPT.known);
    return false;
  }
  const names = calls.filter(({ id }) => id !== "").map((call) => [token(call.id), token(call.tool, argsKey(call))]);
  const before = names.map(([id]) => state.calls.find((known) => known.startsWith(`${id}`)));
  const again = names.map(([id, args], at) => before[at] === `${id}${args}`);
  if (before.some((known, at) => known !== undefined && !again[at])) state.idsReused = true;
  if (names.length > 0 && !state.idsReused && again.every(Boolean)) return true;
  names.forEach(([id, args], at) => {
    if (before[at] === undefined) keep(state.calls, `${id}${args}`, KEPT.callIds);
  });
  return false;
}

function argsKey({ args }: Call): string {
  return typeof args === "string" ? args : jsonOf(args);
}

function readInvalid(call: NamedCall, reading: Reading): void {
  const result = { callId: call.id, name: call.tool, text: call.invalid ?? "", failed: true, cleared: false };
  countObservation(observationOf(call, result, reading.settings), call.args, reading);
}

function readResult(reading: Reading): void {
  const { state, settings, message } = reading;
  const { open } = state;
  if (idOf(message) !== undefined) {
    const name = identityOf(message);
    if (has(state.known, name)) return;
    learn(state.known, name, KEPT.known);
  }
  const result = resultOf(message);
  const id = shortName(result.callId);
  const slot = open?.calls.find((call) => call.id === id && !call.answered);
  if (open === null || slot === undefined) return;
  slot.answered = true;
  if (!result.cleared) {
    const asked = askedFor(result.callId, reading);
    const call = asked ?? { id: result.callId, tool: result.name ?? slot.tool, args: undefined };
    countObservation(observationOf({ ...call, name: slot.call }, result, settings), call.args, reading);
  }
  if (open.calls.every(({ answered }) => answered)) closeRound(reading);
}

/** The call that a result answers, where its message is among those at hand. */
function askedFor(id: string, { list, index }: Reading): Call | undefined {
  for (let at = index - 1; at >= 0 && index - at <= LOOK_BACK; at -= 1) {
    const message = list[at];
    if (message === null || message === undefined || kindOf(message) !== "ai") continue;
    const call = callsOf(message).find((one) => one.id === id);
    if (call !== undefined) return call;
  }
  return undefined;
}

function closeRound(reading: Reading): void {
  countRound(reading);
  reading.state.open = null;
}
