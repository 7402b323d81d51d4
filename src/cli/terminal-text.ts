export { jsonLine, printable } from "../shared/printable.js";

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
