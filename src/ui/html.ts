import { printableLines } from "../shared/printable.js";

/** Text that is HTML already. Only `html` makes it, so that nothing reaches a page unescaped. */
export class Markup {
  private constructor(readonly text: string) {}

  /** @internal */
  static of(strings: readonly string[], pieces: readonly Piece[]): Markup {
    return new Markup(strings.map((text, index) => text + shown(pieces[index])).join(""));
  }
}

/** What may stand in a template: a text is escaped, markup is not, of a list each member is. */
export type Piece = string | number | undefined | Markup | readonly Piece[];

/** HTML in which every text is escaped, for elements and quoted attributes; what cannot be seen in it is made visible. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return Markup.of(strings, pieces);
}

function shown(piece: Piece): string {
  if (piece === undefined) return "";
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === "object") return piece.map(shown).join("");
  return printableLines(String(piece)).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
