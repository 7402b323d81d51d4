import { z } from "zod";
import { LoopOptionsError } from "./errors.js";
import { matcher } from "./names.js";
import { DEFAULT_THRESHOLDS, FRESH_REPEATS } from "./thresholds.js";
import type { DetectorName, Threshold, Thresholds } from "./thresholds.js";
import type { Verdict } from "./verdict.js";

/** What a tool's own `outcome` function is given. */
export interface ToolOutcome {
  readonly text: string;
  readonly failed: boolean;
  readonly args: unknown;
}

/** How one tool is looked at. */
export interface ToolLoopOptions {
  /** What makes two calls the same: names of the fields that count, or a function of the arguments. */
  readonly key?: readonly string[] | ((args: unknown) => unknown);
  /** What makes two outcomes the same: a function, or paths of a JSON result that are left out (`"meta.count"`). */
  readonly outcome?: { readonly ignore: readonly string[] } | ((outcome: ToolOutcome) => unknown);
  /** Never counted. */
  readonly exempt?: boolean;
  /** It waits for something: an unchanged answer is counted by the `poll` thresholds. */
  readonly poll?: boolean;
  readonly thresholds?: PartialThresholds;
}

export type PartialThresholds = Readonly<Partial<Record<DetectorName, Partial<Threshold>>>>;

/** What the detectors go by. Every field has a default. */
export interface DetectorOptions {
  readonly thresholds?: PartialThresholds;
  /** How many rounds back repeats are looked for. */
  readonly window?: number;
  /** Repeats that lie further apart than this many rounds belong to different streaks. */
  readonly slowWindow?: number;
  /** A call is forgotten after so many rounds that brought something new without it. */
  readonly forgetAfter?: number;
  /** Fields of arguments, at any depth, that say nothing about what is done. */
  readonly ignoreArgs?: readonly string[];
  /** Patterns of tools that are never counted (`*` stands for any text). */
  readonly exempt?: readonly string[];
  /** Patterns of tools that wait for something; they are added to the built-in ones. */
  readonly poll?: readonly string[];
  /** By tool name or pattern; of several that fit, an exact name, then the first. */
  readonly tools?: Readonly<Record<string, ToolLoopOptions>>;
  /** Whether an outcome is a failure, where the message does not say so; undefined leaves it to the built-in rules. */
  readonly isError?: (outcome: ToolOutcome) => boolean | undefined;
  /** How often something of yours (a job, a retry policy) tries again: a reminder must come before that. */
  readonly retryLimit?: number;
}

/** Options of `loopGuard` and `loopGuardNode`. */
export interface LoopOptions extends DetectorOptions {
  /** What a trip does: ask a person (needs a checkpointer), end the run with a message, or throw. Default: interrupt. */
  readonly onTrip?: TripAction;
  /** What a trip does instead where there is no checkpointer to interrupt with. Default: error. */
  readonly withoutCheckpointer?: Exclude<TripAction, "interrupt">;
  /** Keep the reminder in the stored tool message; by default only the request of the model has it. */
  readonly persist?: boolean;
  /** The plan item that is being worked on, from the state; by default the `in_progress` one of `todos`. */
  readonly plan?: (state: Readonly<Record<string, unknown>>) => string | undefined;
  /** For `loopGuardNode`: the node that runs next, where the guard decides by `Command`; else edges do. */
  readonly next?: string;
  /** Told of each verdict once it counts. What it throws is dropped. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

export type TripAction = "interrupt" | "end" | "error";

/** Part of the options, given for one run as `context: { loopGuard: … }`. */
export interface LoopOverrides extends Pick<
  DetectorOptions,
  "thresholds" | "window" | "slowWindow" | "forgetAfter" | "ignoreArgs" | "exempt" | "poll" | "retryLimit"
> {
  /** `false` lets the run go unguarded. */
  readonly enabled?: boolean;
  readonly onTrip?: TripAction;
  readonly persist?: boolean;
}

const DEFAULT_IGNORED = ["request_id", "requestId", "trace_id", "traceId", "timestamp", "nonce"];
const DEFAULT_POLLS = ["*_status", "*_poll", "poll_*", "wait*", "*_wait"];

const count = z.number().int().min(1).max(1000);
const level = z.union([count, z.literal(false)]);
const threshold = z.strictObject({ remind: level.optional(), trip: level.optional() });
const thresholds = z.strictObject(
  Object.fromEntries(Object.keys(DEFAULT_THRESHOLDS).map((name) => [name, threshold.optional()])),
);
const names = z.array(z.string().min(1).max(256)).max(1000);
const fn = z.custom<unknown>((value) => typeof value === "function", "expected a function");
const action = z.enum(["interrupt", "end", "error"]);

const tool = z.strictObject({
  key: z.union([names, fn]).optional(),
  outcome: z.union([z.strictObject({ ignore: names }), fn]).optional(),
  exempt: z.boolean().optional(),
  poll: z.boolean().optional(),
  thresholds: thresholds.optional(),
});

const plain = {
  thresholds: thresholds.optional(),
  window: count.optional(),
  slowWindow: count.optional(),
  forgetAfter: count.optional(),
  ignoreArgs: names.optional(),
  exempt: names.optional(),
  poll: names.optional(),
  retryLimit: count.optional(),
  onTrip: action.optional(),
  persist: z.boolean().optional(),
};

const optionsSchema = z.strictObject({
  ...plain,
  tools: z.record(z.string(), tool).optional(),
  isError: fn.optional(),
  withoutCheckpointer: z.enum(["end", "error"]).optional(),
  plan: fn.optional(),
  next: z.string().min(1).optional(),
  onVerdict: fn.optional(),
});

const overridesSchema = z.strictObject({ ...plain, enabled: z.boolean().optional() });

/** Options that were looked at, with every default filled in. */
export interface Settings {
  readonly window: number;
  readonly slowWindow: number;
  readonly forgetAfter: number;
  readonly ignoreArgs: ReadonlySet<string>;
  readonly isError: DetectorOptions["isError"];
  readonly toolNamed: (name: string) => ToolSettings;
  readonly thresholds: Thresholds;
}

export interface ToolSettings extends Pick<ToolLoopOptions, "key" | "outcome"> {
  readonly exempt: boolean;
  readonly poll: boolean;
  readonly thresholds: Thresholds;
}

/**
 * Looks at options and fills in what they leave out.
 *
 * @throws LoopOptionsError for a wrong shape, and for thresholds that contradict each other or the retry limit
 */
export function settingsOf(options: LoopOptions = {}): Settings {
  checked(optionsSchema, options, "The options of the loop guard");
  const shared = merged(DEFAULT_THRESHOLDS, options.thresholds);
  const window = options.window ?? 20;
  const limits = { window, retryLimit: options.retryLimit };
  checkThresholds(shared, limits, "thresholds");
  const rules = Object.entries(options.tools ?? {});
  for (const [name, rule] of rules) {
    checkThresholds(merged(shared, rule.thresholds), limits, `tools.${name}.thresholds`);
  }
  return {
    window,
    slowWindow: options.slowWindow ?? 30,
    forgetAfter: options.forgetAfter ?? 3,
    ignoreArgs: new Set(options.ignoreArgs ?? DEFAULT_IGNORED),
    isError: options.isError,
    thresholds: shared,
    toolNamed: toolSettings(options, shared),
  };
}

/**
 * The options for one run: the guard's own, and over them what `context.loopGuard` says.
 *
 * @throws LoopOptionsError as `settingsOf`
 */
export function overridden(options: LoopOptions, overrides: unknown): { options: LoopOptions; enabled: boolean } {
  if (overrides === undefined || overrides === null) return { options, enabled: true };
  checked(overridesSchema, overrides, "context.loopGuard");
  const { enabled = true, thresholds: given, ...rest } = overrides as LoopOverrides;
  const joined: LoopOptions = {
    ...options,
    ...rest,
    thresholds: joinedThresholds(options.thresholds, given),
    poll: [...(options.poll ?? []), ...(rest.poll ?? [])],
    exempt: [...(options.exempt ?? []), ...(rest.exempt ?? [])],
  };
  return { options: joined, enabled };
}

function toolSettings(options: LoopOptions, shared: Thresholds): (name: string) => ToolSettings {
  const isExempt = matcher(options.exempt ?? []);
  const isPoll = matcher([...DEFAULT_POLLS, ...(options.poll ?? [])]);
  const rules = Object.entries(options.tools ?? {}).map(([pattern, rule]) => ({ fits: matcher([pattern]), rule }));
  const known = new Map<string, ToolSettings>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const exact = options.tools !== undefined && Object.hasOwn(options.tools, name) ? options.tools[name] : undefined;
    const rule = exact ?? rules.find(({ fits }) => fits(name))?.rule ?? {};
    const made: ToolSettings = {
      ...(rule.key === undefined ? {} : { key: rule.key }),
      ...(rule.outcome === undefined ? {} : { outcome: rule.outcome }),
      exempt: rule.exempt ?? isExempt(name),
      poll: rule.poll ?? isPoll(name),
      thresholds: merged(shared, rule.thresholds),
    };
    // A model can make up names without end.
    if (known.size < 1000) known.set(name, made);
    return made;
  };
}

function merged(base: Thresholds, over: PartialThresholds | undefined): Thresholds {
  if (over === undefined) return base;
  const names = Object.keys(base) as DetectorName[];
  return Object.fromEntries(names.map((name) => [name, { ...base[name], ...over[name] }])) as Record<
    DetectorName,
    Threshold
  >;
}

function joinedThresholds(one: PartialThresholds | undefined, other: PartialThresholds | undefined): PartialThresholds {
  const all = Object.keys(DEFAULT_THRESHOLDS) as DetectorName[];
  return Object.fromEntries(all.map((name) => [name, { ...one?.[name], ...other?.[name] }]));
}

interface Limits {
  readonly window: number;
  readonly retryLimit: number | undefined;
}

function checkThresholds(all: Thresholds, { window, retryLimit }: Limits, where: string): void {
  for (const [name, { remind, trip }] of Object.entries(all) as [DetectorName, Threshold][]) {
    const at = `${where}.${name}`;
    if (name === "varying" && trip !== false) {
      throw refused(
        `${at}.trip is ${trip}: other arguments each time are a search, and only remind. Leave it out.`,
        at,
      );
    }
    if (remind !== false && trip !== false && trip < remind + FRESH_REPEATS) {
      throw refused(
        `${at}.trip is ${trip} and remind is ${remind}: the model needs at least ${FRESH_REPEATS} rounds after the ` +
          `reminder. Set trip to ${remind + FRESH_REPEATS} or more, or one of them to false.`,
        at,
      );
    }
    if (name === "repeat" && remind !== false && remind > window) {
      throw refused(`${at}.remind is ${remind}, which never fits into the window of ${window} rounds.`, at);
    }
    if (name === "repeat" && remind !== false && retryLimit !== undefined && retryLimit <= remind) {
      throw refused(
        `retryLimit is ${retryLimit} and ${at}.remind is ${remind}: the retries would be over before the model is ` +
          `reminded. Set retryLimit to ${remind + 1} or more, or remind lower.`,
        at,
      );
    }
  }
}

function refused(message: string, path: string): LoopOptionsError {
  return new LoopOptionsError(`${message} No guard was made.`, { details: { path } });
}

function checked(schema: z.ZodType, value: unknown, what: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "options"}: ${message}`);
  throw new LoopOptionsError(`${what} cannot be used. ${issues.join("; ")}.`, {
    cause: parsed.error,
    details: { issues },
  });
}
