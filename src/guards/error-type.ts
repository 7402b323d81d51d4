import { normalisedText } from "./outcome-text.js";

const MAX_TYPE = 200;
const QUOTED = /"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`/g;
const WORD = /[^\s"'`<>()[\],;]+/g;
const FILE = /^[\w-]+\.[A-Za-z]\w{0,5}:?$/;
const NUMBER = /\d+/g;
const SPACES = /\s+/g;

/**
 * What kind of error a text tells of, whatever it was about: quoted text, paths, file names, numbers and the arguments
 * themselves are left out. Forty spellings of one wrong path are one type.
 *
 * @param values texts of the arguments, which an error often repeats
 */
export function errorType(text: string, values: readonly string[]): string {
  let type = normalisedText(text.slice(0, MAX_TYPE));
  for (const value of values) {
    if (value.length >= 3 && value.length <= MAX_TYPE) type = type.replaceAll(value, "<arg>");
  }
  return type.replace(QUOTED, "<text>").replace(WORD, masked).replace(NUMBER, "<n>").replace(SPACES, " ").trim();
}

function masked(word: string): string {
  if (word.includes("/")) return "<path>";
  return FILE.test(word) ? "<file>" : word;
}
