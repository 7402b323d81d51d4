import type { Class } from "oxc-parser";
import type { SourceFile, Variable } from "./source-file.js";
import type { FunctionNode, Node } from "./syntax.js";

/** What the names of a call stand for: arguments of the call that led here, and the object that `this` is. */
export interface Env {
  readonly id: string;
  readonly bindings: ReadonlyMap<Variable, readonly Value[]>;
  readonly self: Value | undefined;
  readonly outer: Env | undefined;
  readonly depth: number;
}

export interface FunctionValue {
  readonly kind: "function";
  readonly fn: FunctionNode;
  readonly file: SourceFile;
  readonly env: Env | undefined;
}

export interface ClassValue {
  readonly kind: "class";
  readonly node: Class;
  readonly file: SourceFile;
  readonly env: Env | undefined;
}

/** Something of a package, of Node or of the language: `pg` + `Pool.new.query`. A call adds `()` to the last name. */
export interface ExternalValue {
  readonly kind: "external";
  /** The package or module; empty for a global. */
  readonly module: string;
  readonly path: readonly string[];
  /** The first call or `new` that made it: what a graph builder or a tool is known by. */
  readonly origin?: { readonly node: Node; readonly file: SourceFile; readonly env: Env | undefined };
}

/** What an expression may stand for. A list of none means that nothing is known. */
export type Value =
  | FunctionValue
  | ClassValue
  | ExternalValue
  | { readonly kind: "instance"; readonly of: ClassValue; readonly env: Env | undefined }
  | {
      readonly kind: "object";
      readonly node: Node & { type: "ObjectExpression" };
      readonly file: SourceFile;
      readonly env: Env | undefined;
    }
  | {
      readonly kind: "array";
      readonly node: Node & { type: "ArrayExpression" };
      readonly file: SourceFile;
      readonly env: Env | undefined;
    }
  | { readonly kind: "module"; readonly file: SourceFile }
  /** A value of a type whose members are written out. */
  | {
      readonly kind: "shape";
      readonly members: readonly Node[];
      readonly file: SourceFile;
      readonly env: Env | undefined;
    }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null | bigint | RegExp };

export const NOTHING: readonly Value[] = [];

let counter = 0;
const NUMBERS = new WeakMap<object, number>();

/** A number that stands for an object, so that it can be part of a key. */
export function numberOf(object: object): number {
  const known = NUMBERS.get(object);
  if (known !== undefined) return known;
  counter += 1;
  NUMBERS.set(object, counter);
  return counter;
}

export function valueKey(value: Value): string {
  switch (value.kind) {
    case "function":
      return `f${numberOf(value.fn)}/${value.env?.id ?? ""}`;
    case "class":
      return `c${numberOf(value.node)}/${value.env?.id ?? ""}`;
    case "instance":
      return `i${numberOf(value.of.node)}/${value.env?.id ?? ""}`;
    case "object":
    case "array":
      return `o${numberOf(value.node)}/${value.env?.id ?? ""}`;
    case "shape":
      return `s${numberOf(value.members)}`;
    case "module":
      return `m${numberOf(value.file)}`;
    case "external":
      return `x${value.module}#${value.path.join(".")}@${value.origin ? numberOf(value.origin.node) : ""}`;
    case "literal":
      return `l${String(value.value)}`;
  }
}

/** Makes environments; one's id tells calls apart whose arguments differ, and no others. */
export class Environments {
  readonly #ids = new Map<string, string>();

  make(bindings: ReadonlyMap<Variable, readonly Value[]>, self: Value | undefined, outer: Env | undefined): Env {
    const parts = [...bindings].map(([variable, values]) => `${numberOf(variable)}=${values.map(valueKey).join("|")}`);
    const text = `${parts.join(";")}~${self === undefined ? "" : valueKey(self)}^${outer?.id ?? ""}`;
    // Short names for long keys, so that the ids of environments inside environments stay short.
    const id = this.#ids.get(text) ?? this.#ids.size.toString(36);
    this.#ids.set(text, id);
    return { id, bindings, self, outer, depth: (outer?.depth ?? 0) + 1 };
  }
}
