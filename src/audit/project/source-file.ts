import { analyze } from "@typescript-eslint/scope-manager";
import { parseSync } from "oxc-parser";
import type { Comment as OxcComment, ParseResult } from "oxc-parser";
import { indexSyntax, spanOf } from "./syntax.js";
import type { Node, Program, SyntaxIndex } from "./syntax.js";

/** What is used of a scope manager; those of eslint-scope and of typescript-eslint both have it. */
export interface Scopes {
  readonly scopes: readonly Scope[];
}
export interface Scope {
  readonly type: string;
  readonly references: readonly Reference[];
  readonly variables: readonly Variable[];
}
export interface Reference {
  readonly identifier: object;
  readonly resolved: Variable | null;
  isWrite(): boolean;
  isRead(): boolean;
  readonly writeExpr?: object | null | undefined;
}
export interface Variable {
  readonly name: string;
  readonly defs: readonly Definition[];
  readonly references: readonly Reference[];
}
export interface Definition {
  readonly type: string;
  readonly node: object;
  readonly name: object;
}

export interface Comment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

interface Parsed {
  readonly program: Program;
  readonly index: SyntaxIndex;
  readonly scopes: Scopes;
  readonly comments: readonly Comment[];
}

/** What a file says in which there is something to find by itself. */
const ASKS =
  /\binterrupt\b|\binterrupt(?:Before|After)\b|\b(?:Node|Graph)Interrupt\b|\b(?:requestApproval|waitForEvent|sleepUntil|retryLater)\b|\bresume\s*:/;

export function speaksOfInterrupts(text: string): boolean {
  return ASKS.test(text);
}

/** One parsed file. What costs time is done when it is first asked for. */
export class SourceFile {
  #parsed: Parsed | undefined;
  #tooDeep = false;
  #bindings: Map<object, Variable> | undefined;
  #lines: number[] | undefined;

  /** @param path absolute */
  constructor(
    readonly path: string,
    readonly text: string,
    private readonly parse: () => Parsed,
  ) {}

  /** Whether the file goes deeper than can be followed; it is then taken for empty. */
  get isTooDeep(): boolean {
    return this.#tooDeep;
  }

  get program(): Program {
    return this.#parse().program;
  }

  get index(): SyntaxIndex {
    return this.#parse().index;
  }

  get comments(): readonly Comment[] {
    return this.#parse().comments;
  }

  get scopes(): Scopes {
    return this.#parse().scopes;
  }

  /** The variable that an identifier stands for; nothing for a global. */
  variableOf(identifier: Node): Variable | undefined {
    this.#bindings ??= bindingsOf(this.scopes);
    return this.#bindings.get(identifier);
  }

  /** Line from 1, column from 1. */
  position(node: Node | number): Position {
    const offset = typeof node === "number" ? node : spanOf(node)[0];
    const lines = (this.#lines ??= lineStarts(this.text));
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
  }

  textOf(node: Node): string {
    return this.text.slice(...spanOf(node));
  }

  #parse(): Parsed {
    return (this.#parsed ??= this.#parseOrNothing());
  }

  #parseOrNothing(): Parsed {
    try {
      return this.parse();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#tooDeep = true;
      return nothing();
    }
  }
}

function nothing(): Parsed {
  const program: Program = { type: "Program", body: [], sourceType: "module", hashbang: null, start: 0, end: 0 };
  return { program, index: indexSyntax(program), scopes: { scopes: [] }, comments: [] };
}

function bindingsOf(scopes: Scopes): Map<object, Variable> {
  const bindings = new Map<object, Variable>();
  for (const scope of scopes.scopes) {
    for (const reference of scope.references) {
      if (reference.resolved !== null) bindings.set(reference.identifier, reference.resolved);
    }
    for (const variable of scope.variables) for (const { name } of variable.defs) bindings.set(name, variable);
  }
  return bindings;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

type Language = "js" | "jsx" | "ts" | "tsx";

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: "ts",
  mts: "ts",
  cts: "ts",
  tsx: "tsx",
  // JSX in a plain .js file is common.
  js: "jsx",
  jsx: "jsx",
  mjs: "jsx",
  cjs: "jsx",
};

export const EXTENSIONS = Object.keys(LANGUAGES);

/**
 * Parses a file; `undefined` when it is not what its name says. What will hardly be looked at is not kept, and parsed
 * again when it is.
 */
export function parseSource(path: string, text: string, keep = true): SourceFile | undefined {
  const lang = LANGUAGES[path.slice(path.lastIndexOf(".") + 1)];
  if (lang === undefined) return undefined;
  const result = parse(path, text, lang);
  if (result === undefined) return undefined;
  const kept = keep ? result : undefined;
  return new SourceFile(path, text, () => {
    const { program, comments } = kept ?? parsed(path, text, lang);
    const index = indexSyntax(program);
    const scopes = analyze(program as never, { sourceType: "module", lib: [], jsxPragma: null }) as unknown as Scopes;
    return { program, index, scopes, comments: comments.map(commentOf) };
  });
}

function parse(path: string, text: string, lang: Language): ParseResult | undefined {
  const result = parsed(path, text, lang);
  return result.errors.some(({ severity }) => (severity as string) === "Error") ? undefined : result;
}

function parsed(path: string, text: string, lang: Language): ParseResult {
  return parseSync(path, text, {
    lang,
    sourceType: lang === "jsx" ? "unambiguous" : "module",
    astType: "ts",
    range: true,
    preserveParens: false,
  });
}

function commentOf({ value, start, end }: OxcComment): Comment {
  return { text: value, start, end };
}
