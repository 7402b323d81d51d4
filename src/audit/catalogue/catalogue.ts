import databases from "./databases.json" with { type: "json" };
import globals from "./globals.json" with { type: "json" };
import http from "./http.json" with { type: "json" };
import models from "./models.json" with { type: "json" };
import node from "./node.json" with { type: "json" };
import { DECISIONS } from "./decide.js";
import type { Decision } from "./decide.js";
import type { Kind } from "./kind.js";
import { isEffect, KINDS } from "./kind.js";
import type { Node } from "../project/syntax.js";

/**
 * What the calls of a module are: pairs of a kind and patterns, the first that matches wins. A pattern is the path of
 * names from the module to the call, without `new` and calls on the way; `*` stands for any text, a leading `*.` for
 * any way to it. `["write", "*.create"]` of `stripe` is `stripe.refunds.create(…)`.
 */
export interface CatalogueEntry {
  /** The package, with `*` at its end for all that begin so; the empty name is the language's own globals. */
  readonly module: string | readonly string[];
  readonly calls: readonly (readonly string[])[];
  /** What calls give back is called on: `db.select().from(t)`. Else it is data, whose methods do nothing. */
  readonly fluent?: boolean;
}

interface Compiled {
  readonly module: RegExp;
  readonly fluent: boolean;
  readonly calls: readonly { readonly what: Kind | Decision; readonly paths: RegExp }[];
}

const BUILT_IN: readonly CatalogueEntry[] = [...globals, ...node, ...http, ...databases, ...models];

export class Catalogue {
  readonly #entries: readonly Compiled[];
  readonly #byModule = new Map<string, readonly Compiled[]>();
  readonly #answers = new Map<string, Kind | Decision | undefined>();

  /** @param own entries of the user, which come before those that are built in */
  constructor(own: readonly CatalogueEntry[] = []) {
    this.#entries = [...own, ...BUILT_IN].map(compile);
  }

  /** Whether anything is said of a module. */
  knows(module: string): boolean {
    return this.#of(module).length > 0;
  }

  /** The kind of a call, where the catalogue says it; `given` are its arguments. */
  kindOf(module: string, path: readonly string[], given: readonly Node[]): Kind | undefined {
    const way = canonical(path);
    const key = `${module}#${way}`;
    if (!this.#answers.has(key)) this.#answers.set(key, this.#find(module, way));
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    if (this.#isOfData(module, path)) return "pure";
    return isDecision(answer) ? DECISIONS[answer](given, way) : answer;
  }

  /** Whether the call is of a method of what an earlier call has given back. */
  #isOfData(module: string, path: readonly string[]): boolean {
    if (this.#of(module).some(({ fluent }) => fluent)) return false;
    return path.slice(0, -1).some((name, index) => {
      const way = name.endsWith("()") ? canonical(path.slice(0, index + 1)) : "";
      const kind = way === "" ? undefined : this.#find(module, way);
      return kind !== undefined && (isDecision(kind) || isEffect(kind)) && kind !== "subgraph";
    });
  }

  #find(module: string, way: string): Kind | Decision | undefined {
    for (const { calls } of this.#of(module)) {
      const call = calls.find(({ paths }) => paths.test(way));
      if (call !== undefined) return call.what;
    }
    return undefined;
  }

  #of(module: string): readonly Compiled[] {
    const known = this.#byModule.get(module);
    if (known !== undefined) return known;
    const found = this.#entries.filter((entry) => entry.module.test(module));
    this.#byModule.set(module, found);
    return found;
  }
}

/** `["Pool", "new", "query()", "then"]` is `Pool.query.then`. */
export function canonical(path: readonly string[]): string {
  return path
    .map((name) => name.replaceAll("()", ""))
    .filter((name) => name !== "" && name !== "new" && name !== "default")
    .join(".");
}

function isDecision(what: Kind | Decision): what is Decision {
  return what in DECISIONS;
}

/** Whether a word may stand where a kind does in a catalogue. */
export function isCatalogueKind(word: string): word is Kind | Decision {
  return word in DECISIONS || (KINDS as readonly string[]).includes(word);
}

function compile({ module, calls, fluent = false }: CatalogueEntry): Compiled {
  const modules = typeof module === "string" ? [module] : module;
  return {
    fluent,
    module: new RegExp(`^(?:${modules.map(pattern).join("|")})$`),
    calls: calls.flatMap(([what = "", ...paths]) =>
      isCatalogueKind(what)
        ? [{ what, paths: new RegExp(`^(?:${paths.join(" ").split(" ").map(pattern).join("|")})$`) }]
        : [],
    ),
  };
}

function pattern(text: string): string {
  const [lead, rest] = text.startsWith("*.") ? ["(?:.*\\.)?", text.slice(2)] : ["", text];
  return lead + rest.replaceAll(/[.$+?^()[\]{}|\\]/g, "\\$&").replaceAll("*", ".*");
}
