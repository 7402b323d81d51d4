import { Classes } from "./classes.js";
import { reading } from "./damage.js";
import { Decoder } from "./decode.js";
import type { ObjectSource } from "./decode.js";
import { Encoder } from "./encode.js";
import { KIND, tagged, typedOf } from "./tree.js";
import type { Tree } from "./tree.js";

const NO_CLASSES = new Classes();

/**
 * A value as one self-contained text, lossless for everything that a graph's state may hold: `undefined`, BigInt, NaN,
 * −0, Date, Map, Set, RegExp, Error, typed arrays, messages, documents, `Send`, `Command`, objects that stand at several
 * places, and nesting of any depth. Classes that are not known come back as plain data.
 *
 * @throws UnstorableValueError for a cycle, or a function or symbol that is not merely an object's property.
 * @example parse(stringify(new Map([["a", 1n]]))); // Map { "a" => 1n }
 */
export function stringify(value: unknown, what = "The value"): string {
  return JSON.stringify(treeOf(value, what));
}

/** The tree of a value, which refers to nothing outside. */
export function treeOf(value: unknown, what: string, classes = NO_CLASSES): Tree {
  const pieces: Tree[] = [];
  const tree = new Encoder(undefined, { intern: (piece) => pieces.push(piece) - 1 }, classes).encode(value, what);
  return pieces.length === 0 ? tree : tagged(KIND.table, pieces, tree);
}

/**
 * The value that `stringify` was given, made anew.
 *
 * @throws CorruptObjectError for a text that `stringify` did not make.
 */
export function parse(text: string): unknown {
  return reading("A stored value", () => valueOf(JSON.parse(text) as Tree));
}

/** The value of a tree that `treeOf` made. */
export function valueOf(tree: Tree, classes = NO_CLASSES): unknown {
  const typed = typedOf(tree);
  const [pieces, root] = typed?.[0] === KIND.table ? [typed[1] as Tree[], typed[2] as Tree] : [[], tree];
  return new Decoder(new Pieces(pieces), classes).decode(root);
}

/** The cut parts of a self-contained text; it has no pages and no references. */
class Pieces implements ObjectSource {
  constructor(private readonly pieces: readonly Tree[]) {}

  load(index: number): Tree {
    const piece = this.pieces[index];
    if (piece === undefined) throw new TypeError("A reference stands where no objects are kept.");
    return piece;
  }

  message(): undefined {
    return undefined;
  }

  elements(): never {
    throw new TypeError("Pages stand where no objects are kept.");
  }

  entries(): never {
    throw new TypeError("Pages stand where no objects are kept.");
  }
}
