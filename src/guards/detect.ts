import { fold } from "./fold.js";
import { loopStateFrom, newLoopState } from "./loop-state.js";
import type { LoopState } from "./loop-state.js";
import { settingsOf } from "./options.js";
import type { LoopOptions } from "./options.js";
import type { Verdict } from "./verdict.js";

/** Reads a conversation as it grows. */
export interface LoopDetector {
  /**
   * Reads what is new in these messages and returns what was found in it. The messages may be the whole conversation so
   * far, or only what came since the last call.
   */
  observe(messages: readonly unknown[]): Verdict[];
  /** What `observe` would return for these messages; nothing changes. */
  assess(messages: readonly unknown[]): Verdict[];
  /** What it knows, as plain JSON under 16 KB: hashes and short quotes, no arguments. */
  toJSON(): LoopState;
  /** A detector with the same options that goes on from a stored state; anything else begins anew. */
  fromJSON(state: unknown): LoopDetector;
}

/**
 * Finds where a conversation goes in circles: the same call with the same outcome again and again, cycles, one error with
 * ever other arguments, tools that do not exist, refused arguments, rejections.
 *
 * - A function of the messages: no clock, no chance. It does not throw for messages, whatever is in them or missing.
 * - Rounds of the model count, not the calls of one round. A new message of a person begins anew.
 * - First `remind`; then, after at least two more rounds of the same, `trip`.
 *
 * @param messages LangChain's messages, or the chat-completions shape
 * @returns what was found, in order; `index` is a position in `messages`
 * @throws LoopOptionsError for options that cannot be used
 * @example
 * const [first] = detectLoops(messages);
 * if (first) console.log(`${first.tool}: ${first.count} times the same, message ${first.index}`);
 */
export function detectLoops(messages: readonly unknown[], options: LoopOptions = {}): Verdict[] {
  return fold(newLoopState(), messages, settingsOf(options));
}

/**
 * The detector of `detectLoops` for a conversation that grows: each call costs what is new, not what there is.
 *
 * @throws LoopOptionsError for options that cannot be used
 * @example
 * const detector = createLoopDetector();
 * for await (const { messages } of stream) for (const verdict of detector.observe(messages)) report(verdict);
 */
export function createLoopDetector(options: LoopOptions = {}): LoopDetector {
  const settings = settingsOf(options);
  const from = (state: LoopState): LoopDetector => ({
    observe: (messages) => fold(state, messages, settings),
    assess: (messages) => fold(structuredClone(state), messages, settings),
    toJSON: () => structuredClone(state),
    fromJSON: (stored) => from(loopStateFrom(stored)),
  });
  return from(newLoopState());
}
