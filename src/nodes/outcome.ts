import { classifyError, factsOf, type ErrorClass, type ErrorFacts } from "../shared/classify.js";

/** What a lookup found out about an effect. */
export type Outcome<R> =
  | { readonly outcome: "succeeded"; readonly result: R }
  | { readonly outcome: "failed"; readonly error: unknown }
  | { readonly outcome: "absent"; readonly authoritative: boolean }
  | { readonly outcome: "unknown"; readonly evidence?: string };

/** The effect happened and returned this. */
export function succeeded<R>(result: R): Outcome<R> {
  return { outcome: "succeeded", result };
}

/** The effect was definitely refused: an Error, or its text. */
export function failed(error: unknown): Outcome<never> {
  return { outcome: "failed", error };
}

/**
 * The other side does not know the effect. It is then carried out with the same key, so `authoritative` (the default)
 * must mean: it did not happen, and no request that is still under way can make it happen. Say
 * `absent({ authoritative: false })` where a fresh request may not be visible yet.
 */
export function absent(options: { authoritative?: boolean } = {}): Outcome<never> {
  return { outcome: "absent", authoritative: options.authoritative ?? true };
}

/** It cannot be found out now. A person is asked. */
export function unknown(evidence?: string): Outcome<never> {
  return evidence === undefined ? { outcome: "unknown" } : { outcome: "unknown", evidence };
}

const OUTCOMES = ["succeeded", "failed", "absent", "unknown"];

/** Whether a lookup returned one of the four. */
export function isOutcome(value: unknown): value is Outcome<unknown> {
  return (
    typeof value === "object" && value !== null && OUTCOMES.includes((value as { outcome?: string }).outcome ?? "")
  );
}

/**
 * What an error of `run` says about the outside world. `refused`: it did not happen, and the same call is refused again.
 * `not-sent`: it did not happen, and may be tried again. `ambiguous`: it may have happened.
 */
export type Verdict = "refused" | "not-sent" | "ambiguous";

export interface Judgement {
  readonly verdict: Verdict;
  readonly class: ErrorClass;
  readonly retryAfter: number | undefined;
}

const VERDICTS: readonly unknown[] = ["refused", "not-sent", "ambiguous"] satisfies Verdict[];

/**
 * Judges an error of `run`; where in doubt, it may have happened. In doubt is also an error that cannot be read, and a
 * `classify` that throws or says something else than a verdict.
 */
export function judge(error: unknown, classify?: (error: unknown) => Verdict | undefined): Judgement {
  try {
    const facts = factsOf(error);
    const errorClass = classifyError(error);
    const verdict = classify?.(error) ?? verdictOf(facts, errorClass);
    return {
      verdict: VERDICTS.includes(verdict) ? verdict : "ambiguous",
      class: errorClass,
      retryAfter: facts.retryAfter,
    };
  } catch {
    return { verdict: "ambiguous", class: "persistent", retryAfter: undefined };
  }
}

/** The connection broke, or nobody answered, after something may have gone out. */
const BROKEN = new Set(
  `ECONNRESET EPIPE ECONNABORTED ABORT_ERR ESOCKETTIMEDOUT UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT
   ERR_STREAM_PREMATURE_CLOSE UNKNOWN_OUTCOME`.split(/\s+/),
);
/** No connection was made, so nothing went out. */
const NOT_CONNECTED = new Set("ECONNREFUSED ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT SQLITE_BUSY".split(" "));
/** These speak of a failed connection only when connecting is what failed. */
const WHILE_CONNECTING = new Set("ETIMEDOUT EHOSTUNREACH ENETUNREACH ENETDOWN".split(" "));
/** A mistake in code, for instance in code that reads the answer of a call which went well. */
const MISTAKES = new Set("TypeError ReferenceError RangeError SyntaxError EvalError ZodError".split(" "));

function verdictOf(facts: ErrorFacts, errorClass: ErrorClass): Verdict {
  return byCode(facts) ?? byStatus(facts) ?? byClass(facts, errorClass);
}

function byCode({ codes, syscalls }: ErrorFacts): Verdict | undefined {
  const connecting = syscalls.length > 0 && syscalls.every((call) => call === "connect" || call === "getaddrinfo");
  if (codes.some((code) => BROKEN.has(code) || (WHILE_CONNECTING.has(code) && !connecting))) return "ambiguous";
  if (codes.some((code) => NOT_CONNECTED.has(code) || WHILE_CONNECTING.has(code))) return "not-sent";
  return undefined;
}

/** `throw undefined`, `Promise.reject()`: nobody said that it was refused. */
function saysNothing({ names, message, codes }: ErrorFacts): boolean {
  return names.length === 0 && message === "" && codes.length === 0;
}

function byStatus({ status, retryAfter }: ErrorFacts): Verdict | undefined {
  if (status === undefined || status < 400) return undefined;
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return "not-sent";
  // 409 may be our own earlier call: in progress, or done.
  return status >= 500 || status === 408 || status === 409 || status === 425 ? "ambiguous" : "refused";
}

function byClass(facts: ErrorFacts, errorClass: ErrorClass): Verdict {
  const { names, network } = facts;
  if (saysNothing(facts) || network || names.some((name) => MISTAKES.has(name))) return "ambiguous";
  return errorClass === "timeout" || errorClass === "transient" || errorClass === "model-unavailable"
    ? "ambiguous"
    : "refused";
}
