/** What the word before a number says that the number is. */
export type LabelKind = "pid" | "process" | "line" | "at-line" | "column" | "id" | "time" | "took";

export interface Label {
  readonly kind: LabelKind | undefined;
  /** Whether a colon or an equals sign stands between. */
  readonly separated: boolean;
}

const KINDS: ReadonlyMap<string, LabelKind> = new Map<string, LabelKind>([
  ...kinds("pid", "pid ppid tid process thread"),
  ...kinds("line", "line ln"),
  ...kinds("column", "col column char character offset"),
  ...kinds("time", "timestamp elapsed duration latency took uptime elapsed_ms duration_ms latency_ms took_ms"),
  ...kinds("time", "elapsed_seconds duration_seconds elapsed_s duration_s"),
  ...kinds("took", "in after within waited for timeout runtime real user sys"),
]);
const REQUESTS = new Set(
  "request req trace span correlation session transaction invocation execution run call".split(" "),
);
const REQUEST_ID = /^(?:request|req|trace|span|correlation|session|transaction|invocation|execution|run|call)[-_]?id$/;
const MAX_LABEL = 24;
const MAX_GAP = 5;
const NONE: Label = { kind: undefined, separated: false };

function kinds(kind: LabelKind, names: string): [string, LabelKind][] {
  return names.split(" ").map((name) => [name, kind]);
}

/** The label before a place in a text: the word there, behind quotes, a colon, an equals sign, a bracket. */
export function labelBefore(text: string, start: number): Label {
  let end = start;
  let separated = false;
  for (; end > 0 && start - end < MAX_GAP; end -= 1) {
    const code = text.charCodeAt(end - 1);
    if (code === 58 || code === 61) separated = true;
    else if (!isGap(code)) break;
  }
  if (end === start) return NONE;
  if (end === start - 1 && text.charCodeAt(end) === 91) return { kind: "process", separated };
  const from = wordStart(text, end);
  if (from === end || end - from > MAX_LABEL) return NONE;
  const word = text.slice(from, end).toLowerCase();
  return { kind: kindOf(word, text, from), separated };
}

function kindOf(word: string, text: string, from: number): LabelKind | undefined {
  if (word === "id") return REQUESTS.has(wordBefore(text, from)) ? "id" : undefined;
  if (word.endsWith("id") && REQUEST_ID.test(word)) return "id";
  const kind = KINDS.get(word);
  if (kind !== "line") return kind;
  const before = wordBefore(text, from);
  return before === "at" || before === "on" ? "at-line" : "line";
}

function wordBefore(text: string, from: number): string {
  if (text.charCodeAt(from - 1) !== 32) return "";
  return text.slice(wordStart(text, from - 1), from - 1).toLowerCase();
}

function wordStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start <= MAX_LABEL && isLabelPart(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

/** Space, quotes, `#`, `(`, `[`. */
function isGap(code: number): boolean {
  return code === 32 || code === 34 || code === 39 || code === 35 || code === 40 || code === 91;
}

function isLabelPart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 45;
}
