/** Beyond this, text is compared as it is. */
const MAX_SCANNED = 256_000;
/** How far a word may reach to either side of its first digit; longer ones are cut, so that no text costs its square. */
const MAX_WORD = 80;
const CONTEXT = 28;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const CLOCK = /^\d{1,2}:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/;
const EPOCH = /^1[5-9]\d{11}$|^1[5-9]\d{8}\.\d+$/;
const ADDRESS = /^0x[0-9a-f]{4,}$/i;
const HEX = /^[0-9a-f]{6,16}$/i;
const FINE_DURATION = /^(?:\d+\.\d+(?:s|secs?|seconds)|\d+(?:\.\d+)?(?:ms|us|ns)|\d+m\d+(?:\.\d+)?s)$/;
const ROUGH_DURATION = /^\d+(?:s|secs?|seconds?|m|min|minutes?)$/;
const MARKED_ID = /^(?:req|request|call|toolu|run|chatcmpl|msg|trace|span|sess|session|exec)[-_][A-Za-z0-9]{6,}$/;
const PLACE = /(\.[A-Za-z]\w{0,5}):\d+(?::\d+)?(?=:|$)/;
const DIGITS = /^\d+$/;

const CLOCK_FOLLOWS = / \d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/y;
const FINE_UNIT_FOLLOWS = / (?:ms|µs|us|ns|milliseconds?|microseconds?)\b/y;
const UNIT_FOLLOWS = / (?:s|secs?|seconds?|minutes?)\b/y;

const TOOK =
  /\b(?:took|in|after|elapsed|duration|within|waited|for|timeout|runtime|real|user|sys)["']?\s*[:=(]?\s*["']?$/i;
const LABELLED_TIME =
  /(?:timestamp|elapsed|duration|latency|took|uptime)(?:_?(?:ms|s|sec|seconds))?["']?\s*[:=]\s*["']?$/i;
const LABELLED_PID = /\b(?:p?pid|process|tid|thread)["']?\s*[:=#]?\s*["'(]?$/i;
const PROCESS = /[\w)]\[$/;
const LABELLED_ID =
  /(?:request|req|trace|span|correlation|session|transaction|invocation|execution|run|call)[-_ ]?id["']?\s*[:=]?\s*["']?$/i;
const LINE = /\b(?:line|ln)["']?\s*[:=#]?\s*$/i;
const AT_LINE = /\b(?:at|on) line\s*$/i;
const COLUMN = /\b(?:col|column|char|character|offset)["']?\s*[:=]?\s*$/i;
/** Whether a text has any of the labels at all: most have none, and then no word is looked at twice. */
const ANY_LABEL =
  /took|\bin |after|elapsed|duration|within|waited|\bfor |timeout|runtime|\breal|\buser|\bsys|timestamp|latency|uptime|pid|process|\btid|thread|[-_ ]?id\b|\bline|\bln|\bcol|\bchar|offset|\w\[/i;

/**
 * The text of an outcome without what differs between two runs that came to the same: moments and clock times, durations,
 * line numbers of messages, process ids, addresses, uuids, ids of requests. Every other number stays, so that a job that
 * moves from 40% to 50%, or a new page, is another outcome. The time it takes grows with the text and no faster.
 *
 * @example normalisedText("bash: line 62215: javac: command not found"); // "bash: line <n>: javac: command not found"
 */
export function normalisedText(text: string): string {
  const end = Math.min(text.length, MAX_SCANNED);
  const labelled = ANY_LABEL.test(text);
  let out = "";
  let done = 0;
  for (let at = 0; at < end; at += 1) {
    if (!isDigit(text.charCodeAt(at))) continue;
    const word = wordAround(text, at, done);
    const { instead, until } = standIn(text, word, labelled);
    if (instead !== undefined) {
      out += text.slice(done, word.start) + instead;
      done = until;
    }
    at = Math.max(until, word.end) - 1;
  }
  return out + text.slice(done);
}

interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface StandIn {
  /** What takes the place of the word; undefined where it stays. */
  readonly instead: string | undefined;
  readonly until: number;
}

function wordAround(text: string, at: number, from: number): Word {
  let start = at;
  while (start > from && at - start < MAX_WORD && isWordPart(text.charCodeAt(start - 1))) start -= 1;
  let end = at + 1;
  while (end < text.length && end - at < MAX_WORD && isWordPart(text.charCodeAt(end))) end += 1;
  // A full stop or colon at the end belongs to the sentence.
  while (end > at + 1 && isPunctuation(text.charCodeAt(end - 1))) end -= 1;
  return { start, end, text: text.slice(start, end) };
}

function standIn(text: string, word: Word, labelled: boolean): StandIn {
  const plain = byShape(text, word);
  if (plain !== undefined) return plain;
  const fine = after(FINE_UNIT_FOLLOWS, text, word.end);
  if (fine > 0 && /^\d+(?:\.\d+)?$/.test(word.text)) return { instead: "<duration>", until: word.end + fine };
  return labelled ? byLabel(text, word) : { instead: undefined, until: word.end };
}

function byShape(text: string, { start, end, text: word }: Word): StandIn | undefined {
  const instead = (token: string): StandIn => ({ instead: token, until: end });
  if (word.length <= 2) return undefined;
  if (word.length >= 36 && word.search(UUID) >= 0) return instead(word.replace(UUID, "<uuid>"));
  if (MOMENT.test(word)) return instead("<time>");
  if (DAY.test(word)) {
    const clock = after(CLOCK_FOLLOWS, text, end);
    return clock > 0 ? { instead: "<time>", until: end + clock } : undefined;
  }
  if (CLOCK.test(word) || EPOCH.test(word)) return instead("<time>");
  if (ADDRESS.test(word)) return instead("<address>");
  if (text.charAt(start - 1) === "@" && HEX.test(word)) return instead("<address>");
  if (FINE_DURATION.test(word)) return instead("<duration>");
  if (MARKED_ID.test(word)) return instead("<id>");
  return PLACE.test(word) ? instead(word.replace(PLACE, "$1:<n>")) : undefined;
}

function byLabel(text: string, { start, end, text: word }: Word): StandIn {
  const before = text.slice(Math.max(0, start - CONTEXT), start);
  const instead = (token: string, until = end): StandIn => ({ instead: token, until });
  if (LABELLED_ID.test(before)) return instead("<id>");
  if (LABELLED_TIME.test(before)) return instead("<time>");
  if (ROUGH_DURATION.test(word) && TOOK.test(before)) return instead("<duration>");
  const number = DIGITS.test(word);
  if (!number && !/^\d+\.\d+$/.test(word)) return { instead: undefined, until: end };
  const unit = after(UNIT_FOLLOWS, text, end);
  if (unit > 0 && (!number || TOOK.test(before))) return instead("<duration>", end + unit);
  if (!number) return { instead: undefined, until: end };
  if (LABELLED_PID.test(before)) return instead("<pid>");
  const next = text.charAt(end);
  if (next === "]" && PROCESS.test(before) && text.charAt(end + 1) === ":") return instead("<pid>");
  const ends = next === "" || next === "\n" || next === "\r" || next === ":" || next === "," || next === ")";
  if (AT_LINE.test(before) || (ends && LINE.test(before))) return instead("<n>");
  if (ends && COLUMN.test(before)) return instead("<n>");
  return { instead: undefined, until: end };
}

/** How much of the text at `end` the pattern takes; 0 for nothing. */
function after(pattern: RegExp, text: string, end: number): number {
  if (text.charCodeAt(end) !== 32) return 0;
  pattern.lastIndex = end;
  return pattern.exec(text)?.[0].length ?? 0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters, digits and `_ - . : +`. */
function isWordPart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 58) ||
    code === 95 ||
    (code >= 45 && code <= 46) ||
    code === 43
  );
}

function isPunctuation(code: number): boolean {
  return code === 46 || code === 58 || code === 45 || code === 43;
}

const QUOTED = /"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`/g;
const PATH = /(?:[\w.~-]{0,60}\/)[\w./~*-]{0,200}/g;
const FILE = /\b[\w-]{1,60}\.[A-Za-z]\w{0,5}\b/g;
const NUMBER = /\d+/g;
const SPACES = /\s+/g;
const MAX_TYPE = 400;

/**
 * What kind of error a text tells of, whatever it was about: quoted text, paths, file names, numbers and the arguments
 * themselves are left out. Forty spellings of one wrong path are one type.
 *
 * @param values texts of the arguments, which an error often repeats
 */
export function errorType(text: string, values: readonly string[]): string {
  let type = normalisedText(text.slice(0, MAX_TYPE));
  for (const value of values) if (value.length >= 3) type = type.replaceAll(value.slice(0, MAX_TYPE), "<arg>");
  return type
    .replaceAll(QUOTED, "<text>")
    .replaceAll(PATH, "<path>")
    .replaceAll(FILE, "<file>")
    .replaceAll(NUMBER, "<n>")
    .replaceAll(SPACES, " ")
    .trim();
}
