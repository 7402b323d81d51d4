import { labelBefore, type LabelKind } from "./labels.js";

/** Beyond this, text is compared as it is. */
const MAX_SCANNED = 256_000;
/** How far a word may reach to either side of its first digit; longer ones are cut, so that no text costs its square. */
const MAX_WORD = 80;

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
const DECIMAL = /^\d+(?:\.\d+)?$/;

const CLOCK_FOLLOWS = / \d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/y;
const FINE_UNIT_FOLLOWS = / (?:ms|µs|us|ns|milliseconds?|microseconds?)\b/y;
const UNIT_FOLLOWS = / (?:s|secs?|seconds?|minutes?)\b/y;

/**
 * The text of an outcome without what differs between two runs that came to the same: moments and clock times, durations,
 * line numbers of messages, process ids, addresses, uuids, ids of requests. Every other number stays, so that a job that
 * moves from 40% to 50%, or a new page, is another outcome. The time it takes grows with the text and no faster.
 *
 * @example normalisedText("bash: line 62215: javac: command not found"); // "bash: line <n>: javac: command not found"
 */
export function normalisedText(text: string): string {
  return new Scanner(text).result();
}

/** Goes from digit to digit and looks at the word around each. */
class Scanner {
  private out = "";
  /** Up to here the text is in `out`. */
  private done = 0;
  private start = 0;
  private end = 0;

  constructor(private readonly text: string) {}

  result(): string {
    const { text } = this;
    const last = Math.min(text.length, MAX_SCANNED);
    for (let at = 0; at < last; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 48 || code > 57) continue;
      this.findWord(at);
      const word = text.slice(this.start, this.end);
      const instead = this.byShape(word) ?? this.byUnit(word) ?? this.byLabel(word);
      if (instead !== undefined) {
        this.out += text.slice(this.done, this.start) + instead;
        this.done = this.end;
      }
      at = this.end - 1;
    }
    return this.done === 0 ? text : this.out + text.slice(this.done);
  }

  private findWord(at: number): void {
    const { text, done } = this;
    let start = at;
    while (start > done && at - start < MAX_WORD && isWordPart(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && end - at < MAX_WORD && isWordPart(text.charCodeAt(end))) end += 1;
    // A full stop or colon at the end belongs to the sentence.
    while (end > at + 1 && isPunctuation(text.charCodeAt(end - 1))) end -= 1;
    this.start = start;
    this.end = end;
  }

  private byShape(word: string): string | undefined {
    if (word.length <= 2) return undefined;
    const number = DIGITS.test(word);
    if (number && word.length !== 13) return this.address(word);
    if (word.length >= 36 && word.search(UUID) >= 0) return word.replace(UUID, "<uuid>");
    if (MOMENT.test(word) || CLOCK.test(word) || EPOCH.test(word)) return "<time>";
    if (DAY.test(word)) return this.takes(CLOCK_FOLLOWS) ? "<time>" : undefined;
    if (ADDRESS.test(word)) return "<address>";
    if (FINE_DURATION.test(word)) return "<duration>";
    if (MARKED_ID.test(word)) return "<id>";
    if (PLACE.test(word)) return word.replace(PLACE, "$1:<n>");
    return this.address(word);
  }

  private address(word: string): string | undefined {
    return this.text.charCodeAt(this.start - 1) === 64 && HEX.test(word) ? "<address>" : undefined;
  }

  private byUnit(word: string): string | undefined {
    if (this.text.charCodeAt(this.end) !== 32 || !DECIMAL.test(word)) return undefined;
    const fine = this.takes(FINE_UNIT_FOLLOWS) || (!DIGITS.test(word) && this.takes(UNIT_FOLLOWS));
    return fine ? "<duration>" : undefined;
  }

  private byLabel(word: string): string | undefined {
    const { kind, separated } = labelBefore(this.text, this.start);
    if (kind === undefined) return undefined;
    if (kind === "id") return "<id>";
    if (kind === "time" && separated) return "<time>";
    if (kind === "time" || kind === "took") {
      const rough = ROUGH_DURATION.test(word) || (DIGITS.test(word) && this.takes(UNIT_FOLLOWS));
      return rough ? "<duration>" : undefined;
    }
    return DIGITS.test(word) ? this.numberOf(kind) : undefined;
  }

  private numberOf(kind: LabelKind): string | undefined {
    const { text, end } = this;
    const next = text.charAt(end);
    switch (kind) {
      case "pid":
        return "<pid>";
      case "process":
        return next === "]" && text.charAt(end + 1) === ":" ? "<pid>" : undefined;
      case "at-line":
        return "<n>";
      case "line":
      case "column":
        return next === "" || "\n\r:,)".includes(next) ? "<n>" : undefined;
      case "id":
      case "time":
      case "took":
        return undefined;
    }
  }

  /** Takes what follows the word with it, if it is what the pattern says. */
  private takes(pattern: RegExp): boolean {
    pattern.lastIndex = this.end;
    const found = pattern.exec(this.text);
    if (found === null) return false;
    this.end += found[0].length;
    return true;
  }
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
