import { calleeName } from "../project/calls.js";
import { keyName, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { SourceFile } from "../project/source-file.js";
import type { World } from "../flow/meaning.js";
import { plainQuestions } from "./plain-questions.js";
import type { Facts, Report, SiteRule } from "./rule.js";

export const unserializablePayload: SiteRule = {
  code: "WP401",
  name: "unserializable-payload",
  severity: "medium",
  summary: "The question holds something that does not survive being stored as JSON.",
  fix: "Give interrupt() plain JSON: strings, numbers, booleans, arrays and objects.",
  find: (facts) =>
    plainQuestions(facts).flatMap(({ node, file }) => {
      const payload = node.type === "CallExpression" ? node.arguments[0] : undefined;
      return payload ? partsOf(payload, file, facts, "the question", 0) : [];
    }),
};

const LOST: Readonly<Record<string, string>> = {
  Date: "becomes a string",
  Map: "is lost by most checkpointers",
  Set: "is lost by most checkpointers",
  Error: "is lost by most checkpointers",
  RegExp: "becomes an empty object",
  WeakMap: "becomes an empty object",
  URL: "becomes a string",
};
const DEEPEST = 6;

function partsOf(part: Node, file: SourceFile, facts: Facts, name: string, depth: number): Report[] {
  const node = unwrap(part);
  if (depth > DEEPEST) return [];
  if (node.type === "ObjectExpression") {
    return node.properties.flatMap((property) =>
      property.type === "Property"
        ? partsOf(property.value, file, facts, keyName(property.key, property.computed) ?? "a property", depth + 1)
        : partsOf(property.argument, file, facts, name, depth + 1),
    );
  }
  if (node.type === "ArrayExpression") {
    return node.elements.flatMap((element) => (element ? partsOf(element, file, facts, name, depth + 1) : []));
  }
  if (node.type === "Identifier") return named(node, file, facts, name, depth);
  const problem = problemOf(node, file, facts.world);
  return problem === undefined
    ? []
    : [{ at: { node, file }, message: `${name} in the question ${problem}.`.replace("the question in", "A value in") }];
}

/** A constant of this function is what it was declared with; what is wrong with it is said where it is used. */
function named(
  node: Node & { type: "Identifier" },
  file: SourceFile,
  facts: Facts,
  name: string,
  depth: number,
): Report[] {
  const variable = file.variableOf(node);
  const [definition] = variable?.defs ?? [];
  const declaration = definition?.node as Node | undefined;
  if (definition?.type === "FunctionName")
    return [{ at: { node, file }, message: `${name} in the question is a function and vanishes.` }];
  if (declaration?.type !== "VariableDeclarator" || declaration.id.type !== "Identifier" || !declaration.init)
    return [];
  return partsOf(declaration.init, file, facts, name, depth + 1).map((report) => ({ ...report, at: { node, file } }));
}

function problemOf(node: Node, file: SourceFile, { evaluator }: World): string | undefined {
  switch (node.type) {
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return "is a function and vanishes";
    case "ClassExpression":
      return "is a class and vanishes";
    case "Literal":
      return typeof node.value === "bigint"
        ? "is a BigInt, which cannot be stored"
        : node.value instanceof RegExp
          ? "is a RegExp and becomes an empty object"
          : undefined;
    case "NewExpression": {
      const type = calleeName(node) ?? "";
      const lost = file.variableOf(unwrap(node.callee)) === undefined ? LOST[type] : undefined;
      if (lost !== undefined) return `is a ${type} and ${lost}`;
      return evaluator.of(node, file, undefined).some(({ kind }) => kind === "instance")
        ? `is a ${type} and loses its class`
        : undefined;
    }
    case "CallExpression": {
      const functions = evaluator.of(node.callee, file, undefined).filter((value) => value.kind === "function");
      if (functions.length > 0 && functions.every(({ fn }) => fn.async)) return "is a promise and vanishes";
      const name = calleeName(node);
      if (node.callee.type === "Identifier" && file.variableOf(node.callee) === undefined) {
        if (name === "BigInt") return "is a BigInt, which cannot be stored";
        if (name === "Symbol") return "is a symbol and vanishes";
      }
      return undefined;
    }
    default:
      return undefined;
  }
}
