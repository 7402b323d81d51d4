import type { Kind } from "../catalogue/kind.js";
import type { SourceFile } from "./source-file.js";
import { isFunction } from "./syntax.js";
import type { Node } from "./syntax.js";

const WORDS = { effect: "write", read: "read", pure: "pure", idempotent: "idempotent" } as const satisfies Record<
  string,
  Kind
>;
const ANNOTATION = /@waypoint\s+(effect|read|pure|idempotent)\b/;

const TABLES = new WeakMap<SourceFile, ReadonlyMap<number, Kind>>();

/** Line → what a `@waypoint` comment that ends there says. */
function annotationsOf(file: SourceFile): ReadonlyMap<number, Kind> {
  const known = TABLES.get(file);
  if (known !== undefined) return known;
  const table = new Map<number, Kind>();
  if (file.text.includes("@waypoint")) {
    for (const { text, end } of file.comments) {
      const word = ANNOTATION.exec(text)?.[1];
      if (word !== undefined) table.set(file.position(end - 1).line, WORDS[word as keyof typeof WORDS]);
    }
  }
  TABLES.set(file, table);
  return table;
}

/** What a comment above or behind a call or a function says that it is. */
export function annotationAt(node: Node, file: SourceFile): Kind | undefined {
  const table = annotationsOf(file);
  if (table.size === 0) return undefined;
  let at: Node | null | undefined = node;
  while (at && at.type !== "Program" && at.type !== "BlockStatement" && at.type !== "ClassBody") {
    const { line } = file.position(at);
    const found = table.get(line - 1) ?? table.get(line);
    if (found !== undefined) return found;
    if (at !== node && (isFunction(at) || at.type.endsWith("Statement"))) return undefined;
    at = at.parent;
  }
  return undefined;
}
