/**
 * Everything that moves a cursor, changes what was printed, hides, or turns the reading direction: control characters
 * (ANSI escapes begin with one), format and bidi controls, line separators, lone surrogates, and what is drawn as
 * nothing. The variation selectors of emoji stay.
 */
const UNSAFE = /(?![\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text that a model, a tool or a person wrote, as one line that neither a terminal nor a page can be steered with. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escaped(character.codePointAt(0) ?? 0));
}

/** The same, but its lines stay lines. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

/** A value as one line of JSON, with the same characters escaped, in JSON's own way. */
export function jsonLine(value: unknown): string {
  return inJson(JSON.stringify(value ?? null));
}

/** The same over several lines, for a person to read and to change. */
export function jsonLines(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2)
    .split("\n")
    .map(inJson)
    .join("\n");
}

function inJson(text: string): string {
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, unit) => jsonEscape(character.charCodeAt(unit))).join(""),
  );
}

function escaped(code: number): string {
  const hex = code.toString(16);
  return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
