/**
 * Everything that moves a cursor, changes what was printed, hides, or turns the reading direction: control characters
 * (ANSI escapes begin with one), format and bidi controls, line separators, lone surrogates, and what is drawn as
 * nothing. The variation selectors of emoji stay.
 */
const UNSAFE = /(?![\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text that a model, a tool or a person wrote, as one line that a terminal cannot be steered with. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escaped(character.codePointAt(0) ?? 0));
}

/** A value as one line of JSON, with the same characters escaped, in JSON's own way. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value ?? null).replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, unit) => jsonEscape(character.charCodeAt(unit))).join(""),
  );
}

/** What stands for a value that is not to be seen. */
export function hidden(text: string): string {
  return `…(${text.length} ${text.length === 1 ? "character" : "characters"})`;
}

/** How many columns a terminal gives to a printable text. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NO_COLUMN.test(character) ? 0 : TWO_COLUMNS.test(character) ? 2 : 1;
  return width;
}

const NO_COLUMN = /^[\p{Mn}\p{Me}\uFE00-\uFE0F]$/u;
const TWO_COLUMNS =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}\u{20000}-\u{3FFFD}]$/u;

function escaped(code: number): string {
  const hex = code.toString(16);
  return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
