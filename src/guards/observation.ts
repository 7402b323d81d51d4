import { classifyError } from "../shared/classify.js";
import { canonicalArgs, parsedJson } from "./canonical-args.js";
import { token } from "./hash.js";
import type { Settings, ToolOutcome, ToolSettings } from "./options.js";
import { errorType } from "./error-type.js";
import { normalisedText } from "./outcome-text.js";
import type { DetectorName } from "./thresholds.js";
import { recordOf } from "./transcript.js";
import type { Call, Result } from "./transcript.js";
import type { LoopClass } from "./verdict.js";

/** A call and what came of it, as the detectors compare them: names of texts, no texts. */
export interface Observation {
  readonly tool: string;
  /** Tool and arguments. */
  readonly call: string;
  /** Tool, arguments and outcome. */
  readonly triple: string;
  /** What is counted: the triple, or something wider for troubles that do not depend on the arguments. */
  readonly key: string;
  readonly detector: DetectorName;
  readonly class: LoopClass;
  readonly failed: boolean;
  readonly text: string;
}

/** A call with its name, which stays when its arguments are not at hand any more. */
export interface NamedCall extends Call {
  readonly name: string;
}

/** What of a call and its outcome makes two of them the same. */
export interface Fingerprint {
  /** The arguments, canonical, as a short hash. */
  readonly args: string;
  /** The outcome without what is volatile, as a short hash. */
  readonly outcome: string;
  /** Tool, arguments and outcome. */
  readonly key: string;
  readonly failed: boolean;
  readonly class: LoopClass;
}

const HEAD = 300;
const UNKNOWN_TOOL =
  /\btool\b[^\n]{0,80}\bnot found\b|is not a valid tool\b|\bunknown tool\b|\bno such tool\b|\btool\b[^\n]{0,80}\bdoes(?: not|n't) exist\b/i;
const SCHEMA =
  /did not match (?:the )?expected schema|error invoking tool\b[^\n]{0,200}\bwith kwargs|input validation error|invalid arguments for tool|tool input parsing|-32602\b|\d+ validation errors? for\b|arguments are (?:no|not valid) JSON/i;
const REJECTED =
  /\b(?:user|human|person|operator|reviewer|approver)\b[^\n]{0,40}\b(?:rejected|declined|denied|refused|said no)\b|\b(?:rejected|declined|denied|refused) by (?:the |a )?(?:user|human|person|operator|reviewer|approver)\b|was not executed: nobody approved/i;
/** Most texts have none of these words, and are not searched for the rest. */
const MAYBE_SCHEMA = /schema|kwargs|validation|arguments|parsing|-32602/i;
const MAYBE_REJECTED = /reject|declin|denied|refus|said no|nobody/i;
const FAILED_START =
  /^\s*(?:\w*(?:error|exception)\s*:|fatal\s*:|traceback \(most recent call last\)|exit (?:code|status)\s*:?\s*[1-9])/i;
const NOT_FOUND_COMMAND = /: command not found\s*$/;

/** A name for a tool and its arguments. It never throws, also where a function of the options does. */
export function callToken({ tool, args }: Pick<Call, "tool" | "args">, settings: Settings): string {
  return token(tool, argsText(args, settings.toolNamed(tool), settings));
}

/** Looks at one call and its outcome; it never throws. */
export function observationOf(call: NamedCall, result: Result, settings: Settings): Observation {
  const { tool, name } = call;
  const rules = settings.toolNamed(tool);
  const text = withoutFraming(result.text);
  const given: ToolOutcome = { text, failed: result.failed, args: call.args };
  const failed = call.invalid !== undefined || isFailure(given, settings);
  const kind = kindOfTrouble(call, text, failed, rules);
  const outcome = outcomeText(given, rules);
  const triple = token(name, failed ? "failed" : "done", outcome);
  const key = keyOf(kind.detector, tool, name, triple);
  return { tool, call: name, triple, key, ...kind, failed, text };
}

/** See `fingerprint`. */
export function fingerprintOf(
  call: { readonly tool: string; readonly args: unknown },
  outcome: { readonly text: string; readonly failed?: boolean },
  settings: Settings,
): Fingerprint {
  const { failed = false, text } = outcome;
  const result = { callId: "", name: undefined, text, failed, cleared: false };
  const named = { id: "", ...call, name: callToken(call, settings) };
  const seen = observationOf(named, result, settings);
  const rules = settings.toolNamed(call.tool);
  return {
    args: token(argsText(call.args, rules, settings)),
    outcome: token(outcomeText({ text: seen.text, failed: seen.failed, args: call.args }, rules)),
    key: seen.triple,
    failed: seen.failed,
    class: seen.class,
  };
}

/** What kind of error it is, whatever the arguments were. */
export function typeOfError({ text }: Observation, args: unknown): string {
  // The longest first: a path before its file name.
  return token(
    errorType(
      text,
      stringsIn(args).sort((one, other) => other.length - one.length),
    ),
  );
}

const ADVICE = "Please fix your mistakes.";

/** Without the advice that frameworks put behind every error, so that the error itself is compared and quoted. */
function withoutFraming(text: string): string {
  return text.endsWith(ADVICE) ? text.slice(0, -ADVICE.length).trimEnd() : text;
}

function argsText(args: unknown, rules: ToolSettings, settings: Settings): string {
  const { key } = rules;
  if (key === undefined) return canonicalArgs(args, settings.ignoreArgs);
  if (typeof key !== "function") {
    const record = recordOf(typeof args === "string" ? parsedJson(args) : args);
    return canonicalArgs(Object.fromEntries(key.map((name) => [name, record[name]])), settings.ignoreArgs);
  }
  return canonicalArgs(
    attempt(() => key(args), args),
    settings.ignoreArgs,
  );
}

function outcomeText(outcome: ToolOutcome, { outcome: rule }: ToolSettings): string {
  if (rule === undefined) return normalisedText(outcome.text);
  if (typeof rule === "function") {
    const made = attempt(() => rule(outcome), outcome.text);
    return typeof made === "string" ? normalisedText(made) : canonicalArgs(made, new Set());
  }
  const parsed = parsedJson(outcome.text);
  if (typeof parsed !== "object" || parsed === null) return normalisedText(outcome.text);
  for (const path of rule.ignore) leaveOut(parsed, path.split("."));
  return normalisedText(canonicalArgs(parsed, new Set()));
}

/** Removes a path from parsed JSON; `*` stands for every key or item. */
function leaveOut(value: unknown, path: readonly string[]): void {
  const [head, ...rest] = path;
  if (head === undefined || typeof value !== "object" || value === null) return;
  const record = value as Record<string, unknown>;
  for (const key of head === "*" ? Object.keys(record) : [head]) {
    if (rest.length > 0) leaveOut(record[key], rest);
    else if (Object.hasOwn(record, key)) Reflect.deleteProperty(record, key);
  }
}

interface Trouble {
  readonly detector: DetectorName;
  readonly class: LoopClass;
}

function kindOfTrouble({ invalid }: Call, text: string, failed: boolean, rules: ToolSettings): Trouble {
  if (invalid !== undefined) return { detector: "schema", class: "schema" };
  const plain = rules.poll ? "poll" : "repeat";
  const head = text.slice(0, HEAD);
  if (!failed) return { detector: plain, class: "no-change" };
  if (UNKNOWN_TOOL.test(head)) return { detector: "unknownTool", class: "unknown-tool" };
  if (MAYBE_SCHEMA.test(head) && SCHEMA.test(head)) return { detector: "schema", class: "schema" };
  if (isRejection(head)) return { detector: "rejection", class: "rejected" };
  const found = classifyError(head);
  return { detector: found === "transient" ? "transient" : plain, class: found };
}

function isRejection(text: string): boolean {
  return MAYBE_REJECTED.test(text) && REJECTED.test(text);
}

function keyOf(detector: DetectorName, tool: string, call: string, triple: string): string {
  switch (detector) {
    case "unknownTool":
      return token("unknown-tool");
    case "schema":
      return token("schema", tool);
    case "rejection":
      return token("rejection", tool);
    case "transient":
      return token("transient", call);
    case "repeat":
    case "poll":
    case "cycle":
    case "varying":
      return triple;
  }
}

function isFailure(outcome: ToolOutcome, { isError }: Settings): boolean {
  const said = attempt(() => isError?.(outcome), undefined);
  return typeof said === "boolean" ? said : outcome.failed || looksFailed(outcome.text);
}

/** Tools often report a failure as an ordinary result. */
function looksFailed(text: string): boolean {
  const start = text.slice(0, HEAD);
  if (FAILED_START.test(start) || isRejection(start)) return true;
  if (text.length < HEAD && NOT_FOUND_COMMAND.test(text)) return true;
  if (!/^\s*\{/.test(start) || text.length > 20_000 || !/error|success|ok"|exit|return/i.test(text)) return false;
  const result = recordOf(parsedJson(text));
  if (Object.hasOwn(result, "error")) return Boolean(result.error);
  if (result.success === false || result.ok === false || result.status === "error") return true;
  if (result.isError === true || result.is_error === true) return true;
  return [result.exit_code, result.exitCode, result.returncode].some((code) => typeof code === "number" && code !== 0);
}

function stringsIn(args: unknown, depth = 0): string[] {
  if (typeof args === "string") return [args];
  if (typeof args !== "object" || args === null || depth > 3) return [];
  const values = attempt(() => Object.values(args) as unknown[], []);
  return values.slice(0, 20).flatMap((value) => stringsIn(value, depth + 1));
}

function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
