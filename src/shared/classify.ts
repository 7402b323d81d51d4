import isNetworkError from "is-network-error";

/** What kind of failure an error is, for retries, reminders and hints. */
export const ERROR_CLASSES = [
  "transient",
  "invalid-arguments",
  "business-refusal",
  "permission",
  "persistent",
  "model-unavailable",
  "unknown-tool",
  "timeout",
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** What an error says of itself, in whichever of the usual places; the causes behind it included. */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly codes: readonly string[];
  readonly names: readonly string[];
  readonly status: number | undefined;
  /** The system call that failed, as Node tells it. */
  readonly syscalls: readonly string[];
  /** Milliseconds, from a `Retry-After` header. */
  readonly retryAfter: number | undefined;
  readonly network: boolean;
}

interface Loose {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly lc_error_code?: unknown;
  readonly type?: unknown;
  readonly syscall?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly headers?: unknown;
  readonly response?: { readonly status?: unknown; readonly headers?: unknown };
  readonly error?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/**
 * The class of an error, or of the text of one.
 *
 * - `timeout`: nobody answered in time, or the call was aborted.
 * - `transient`: network, rate limits, a server that is busy or failing; the same call may work later.
 * - `model-unavailable`: the model, not the tool, is overloaded, unknown or out of quota.
 * - `unknown-tool`: a tool was called that does not exist.
 * - `invalid-arguments`, `permission`, `business-refusal`: a definite no, for one of three reasons.
 * - `persistent`: everything else; the same call fails again.
 *
 * @param error an Error, anything else that was thrown, or an error's text
 * @example classifyError(Object.assign(new Error("slow down"), { status: 429 })); // "transient"
 */
export function classifyError(error: unknown): ErrorClass {
  const facts = factsOf(error);
  return byModel(facts) ?? byName(facts) ?? byCode(facts) ?? byStatus(facts) ?? byText(facts) ?? "persistent";
}

/** Reads an error, its causes and its parts. */
export function factsOf(error: unknown): ErrorFacts {
  const chain = withCauses(error);
  const text = (value: unknown): string[] => (typeof value === "string" && value !== "" ? [value] : []);
  const names = chain.flatMap(({ name }) => text(name));
  return {
    name: names[0] ?? "Error",
    message: typeof error === "string" ? error : chain.flatMap(({ message }) => text(message)).join(": "),
    codes: chain.flatMap((part) => [...text(part.code), ...text(part.lc_error_code), ...text(part.type)]),
    names,
    syscalls: chain.flatMap(({ syscall }) => text(syscall)),
    status: firstOf(chain, statusOf),
    retryAfter: firstOf(chain, retryAfterOf),
    network: chain.some((part) => isNetworkError(part)),
  };
}

/** The error, what it wraps, and what that wraps; bounded, and safe against cycles. */
function withCauses(error: unknown): Loose[] {
  const found = new Set<object>();
  const queue = [error];
  while (queue.length > 0 && found.size < 16) {
    const next = queue.shift();
    if (typeof next !== "object" || next === null || found.has(next)) continue;
    found.add(next);
    const { cause, errors, error: inner } = next as Loose;
    queue.push(cause, inner, ...(Array.isArray(errors) ? (errors as unknown[]) : []));
  }
  return [...found];
}

function firstOf<T>(chain: Loose[], read: (part: Loose) => T | undefined): T | undefined {
  for (const part of chain) {
    const value = read(part);
    if (value !== undefined) return value;
  }
  return undefined;
}

function statusOf({ status, statusCode, response }: Loose): number | undefined {
  const found = [status, statusCode, response?.status]
    .map(Number)
    .find((n) => Number.isInteger(n) && n >= 100 && n < 600);
  return found;
}

function retryAfterOf({ headers, response }: Loose): number | undefined {
  const text = headerOf(headers, "retry-after") ?? headerOf(response?.headers, "retry-after");
  if (text === undefined) return undefined;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return entry === undefined ? undefined : String(entry[1]);
}

const MODEL_CODES = new Set([
  "MODEL_NOT_FOUND",
  "MODEL_RATE_LIMIT",
  "model_not_found",
  "overloaded_error",
  "insufficient_quota",
]);

function byModel({ codes, status }: ErrorFacts): ErrorClass | undefined {
  if (codes.some((code) => MODEL_CODES.has(code)) || status === 529) return "model-unavailable";
  return codes.includes("MODEL_AUTHENTICATION") ? "permission" : undefined;
}

const BY_NAME: Readonly<Record<string, ErrorClass>> = {
  TimeoutError: "timeout",
  AbortError: "timeout",
  NodeTimeoutError: "timeout",
  ConnectTimeoutError: "timeout",
  ZodError: "invalid-arguments",
  InvalidInputError: "invalid-arguments",
  UncanonicalValueError: "invalid-arguments",
  ToolInputParsingException: "invalid-arguments",
  ToolInvocationError: "invalid-arguments",
  ValidationError: "invalid-arguments",
};

function byName({ names }: ErrorFacts): ErrorClass | undefined {
  const known = names.find((name) => Object.hasOwn(BY_NAME, name));
  return known === undefined ? undefined : BY_NAME[known];
}

const TRANSIENT_CODES = new Set(
  "ECONNRESET ECONNREFUSED EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN EBUSY SQLITE_BUSY UND_ERR_SOCKET".split(
    " ",
  ),
);
const TIMEOUT_CODES = new Set(
  "ETIMEDOUT ESOCKETTIMEDOUT ECONNABORTED UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT ABORT_ERR".split(
    " ",
  ),
);
const PERMISSION_CODES = new Set(["EACCES", "EPERM"]);

function byCode({ codes, network }: ErrorFacts): ErrorClass | undefined {
  if (codes.some((code) => TIMEOUT_CODES.has(code))) return "timeout";
  if (network || codes.some((code) => TRANSIENT_CODES.has(code))) return "transient";
  return codes.some((code) => PERMISSION_CODES.has(code)) ? "permission" : undefined;
}

function byStatus({ status }: ErrorFacts): ErrorClass | undefined {
  if (status === undefined || status < 400) return undefined;
  if (status === 408 || status === 504) return "timeout";
  if (status === 425 || status === 429 || status >= 500) return "transient";
  if (status === 401 || status === 403 || status === 407) return "permission";
  if ([400, 405, 406, 411, 413, 414, 415, 422].includes(status)) return "invalid-arguments";
  return "business-refusal";
}

const BY_TEXT: readonly (readonly [RegExp, ErrorClass])[] = [
  [/\btool\b.{0,80}\bnot found\b|is not a valid tool\b|\bunknown tool\b|\bno such tool\b/is, "unknown-tool"],
  [/\btimed?[ -]?out\b|\bdeadline exceeded\b|\b(?:request|operation|call) (?:was )?aborted\b/i, "timeout"],
  [
    /\brate limit|\btoo many requests\b|\btemporarily unavailable\b|\bservice unavailable\b|\btry again later\b/i,
    "transient",
  ],
  [
    /\bsocket hang up\b|\bconnection (?:reset|refused|closed)\b|\bnetwork error\b|\bbad gateway\b|\binternal server error\b/i,
    "transient",
  ],
  [/\bECONN(?:RESET|REFUSED)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bEPIPE\b|\bfetch failed\b/, "transient"],
  [/\bmodel\b.{0,40}\b(?:overloaded|unavailable|not found)\b|\binsufficient[ _]quota\b/is, "model-unavailable"],
  [
    /\bpermission denied\b|\bunauthori[sz]ed\b|\bforbidden\b|\baccess denied\b|\bnot (?:allowed|permitted)\b/i,
    "permission",
  ],
  [
    /\bdid not match (?:the )?expected schema\b|\binvalid (?:argument|input|parameter|type)|\bvalidation (?:error|failed)\b/i,
    "invalid-arguments",
  ],
  [/\b(?:is|are) required\b|\bmissing (?:required )?(?:argument|parameter|field)/i, "invalid-arguments"],
  [
    /\bdeclined\b|\binsufficient funds\b|\bnot (?:available|eligible|refundable)\b|\balready (?:cancelled|refunded|booked)\b/i,
    "business-refusal",
  ],
];

function byText({ message }: ErrorFacts): ErrorClass | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(message))?.[1];
}
