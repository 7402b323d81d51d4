import type { Question } from "../flow/findings.js";
import { keyName, memberName, unwrap, walk, wrapped, enclosingFunction } from "../project/syntax.js";
import type { FunctionNode, Node } from "../project/syntax.js";
import type { SourceFile } from "../project/source-file.js";
import { plainQuestions } from "./plain-questions.js";
import type { Facts, Report, SiteRule } from "./rule.js";

export const staleApproval: SiteRule = {
  code: "WP402",
  name: "stale-approval",
  severity: "medium",
  summary: "The decision stays in the state and skips the question of the next action on the thread.",
  fix: "Clear the field when the decision has been used, or bind it to the action with requestApproval().",
  find: (facts) => plainQuestions(facts).flatMap((question) => reportsOf(question, facts)),
};

function reportsOf({ node, file }: Question, { files }: Facts): Report[] {
  const fn = enclosingFunction(node);
  if (!fn?.body) return [];
  return answeredFields(node, fn, file)
    .filter((field) => skipsWith(field, fn, node, file) && !files.some((each) => clears(each, field)))
    .map((field) => ({
      at: { node, file },
      message: `The answer is kept as "${field}" and skips this question the next time; nothing in view clears it.`,
    }));
}

/** The fields of the returned update that hold the answer. */
function answeredFields(question: Node, fn: FunctionNode, file: SourceFile): string[] {
  const { parent } = wrapped(question);
  const answer =
    parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? file.variableOf(parent.id) : undefined;
  const fields: string[] = [];
  walk(fn, (node) => {
    if (node.type !== "Property" || node.parent?.type !== "ObjectExpression") return;
    const value = unwrap(node.value);
    const holds =
      value === question || (value.type === "Identifier" && answer !== undefined && file.variableOf(value) === answer);
    const name = keyName(node.key, node.computed);
    if (holds && name !== undefined && isReturned(node.parent)) fields.push(name);
  });
  return fields;
}

function isReturned(object: Node): boolean {
  const { parent } = wrapped(object);
  return (
    parent?.type === "ReturnStatement" ||
    parent?.type === "ArrowFunctionExpression" ||
    (parent?.type === "Property" && keyName(parent.key, parent.computed) === "update")
  );
}

/** `if (state.decision) return …` before the question. */
function skipsWith(field: string, fn: FunctionNode, question: Node, file: SourceFile): boolean {
  let found = false;
  walk(fn, (node) => {
    if (node.type !== "IfStatement" || file.position(node).line >= file.position(question).line) return;
    const test = unwrap(node.test);
    const consequent = node.consequent.type === "BlockStatement" ? node.consequent.body.at(-1) : node.consequent;
    if (test.type === "MemberExpression" && memberName(test) === field && consequent?.type === "ReturnStatement")
      found = true;
  });
  return found;
}

const EMPTY = new Set(["null", "undefined", "false", '""', "''", "[]"]);

function clears(file: SourceFile, field: string): boolean {
  if (!file.text.includes(field)) return false;
  let found = false;
  walk(file.program, (node) => {
    if (node.type === "Property" && keyName(node.key, node.computed) === field && EMPTY.has(file.textOf(node.value)))
      found = true;
  });
  return found;
}
