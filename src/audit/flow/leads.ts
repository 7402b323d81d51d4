import type { CallSite } from "../project/calls.js";
import type { SourceFile } from "../project/source-file.js";
import { unwrap } from "../project/syntax.js";
import type { FunctionNode } from "../project/syntax.js";
import type { FunctionValue } from "../project/value.js";
import { meaningOf } from "./meaning.js";
import type { World } from "./meaning.js";

/** Tells quickly which functions may lead to a question, so that the flow of the others need not be followed. */
export class Leads {
  readonly #known = new Map<FunctionNode, boolean>();

  constructor(
    private readonly world: World,
    private readonly files: ReadonlySet<SourceFile>,
  ) {}

  /** A node that is made by a factory or a wrapper leads where its arguments lead. */
  fromEntry(value: FunctionValue): boolean {
    if (this.from(value)) return true;
    for (let env = value.env; env !== undefined; env = env.outer) {
      for (const values of env.bindings.values()) {
        if (values.some((each) => each.kind === "function" && this.from(each))) return true;
      }
    }
    return value.env !== undefined && this.#inCall(value);
  }

  from({ fn, file, env }: FunctionValue): boolean {
    const known = this.#known.get(fn);
    if (known !== undefined) return known;
    if (!this.files.has(file)) return false;
    this.#known.set(fn, false);
    const found = (file.index.callsOf.get(fn) ?? []).some((node) => this.#leads({ node, file }, env));
    this.#known.set(fn, found);
    return found;
  }

  #leads({ node, file }: CallSite, env: FunctionValue["env"]): boolean {
    const { interrupt, kind, functions } = meaningOf(node, file, env, this.world);
    if (interrupt || kind === "interrupt" || functions.some((value) => this.from(value))) return true;
    return node.arguments.some(
      (argument) =>
        argument.type === "Identifier" &&
        this.world.evaluator.of(argument, file, env).some((value) => value.kind === "function" && this.from(value)),
    );
  }

  #inCall({ fn, file, env }: FunctionValue): boolean {
    return (file.index.callsOf.get(fn) ?? []).some((node) => this.#leads({ node, file }, env));
  }
}

const TESTS = new Set([
  "it",
  "test",
  "describe",
  "beforeEach",
  "afterEach",
  "beforeAll",
  "afterAll",
  "before",
  "after",
  "suite",
  "bench",
]);

/** The functions of a file, without those that a test framework runs: they are outside of any graph. */
export function functionsOf(file: SourceFile): FunctionNode[] {
  return file.index.functions.filter((fn) => !isTestBody(fn));
}

function isTestBody(fn: FunctionNode): boolean {
  const { parent } = fn;
  if (parent?.type !== "CallExpression") return false;
  let callee = unwrap(parent.callee);
  while (callee.type === "MemberExpression" || callee.type === "CallExpression") {
    callee = unwrap(callee.type === "MemberExpression" ? callee.object : callee.callee);
  }
  return callee.type === "Identifier" && TESTS.has(callee.name);
}
