import type { CallSite } from "../project/calls.js";
import { callsIn } from "../project/calls.js";
import { contains, enclosingFunction, memberName, propertyOf, unwrap, walk } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { SourceFile } from "../project/source-file.js";
import { rootRuns } from "./root-graphs.js";
import type { Facts, Report, SiteRule } from "./rule.js";
import { sitesOf } from "./rule.js";

export const resumeMisuse: SiteRule = {
  code: "WP503",
  name: "resume-misuse",
  severity: "medium",
  summary:
    "A thread is continued in a way that loses the answer, gives it to another question, or waits for an error that does not come.",
  fix: "Continue with resume(app, config, answers), or with new Command({ resume }) by interrupt id, and nothing else in it.",
  find: (facts) => [
    ...sitesOf(facts, "Command").flatMap((site) => inCommand(site, facts)),
    ...updatedAndRun(facts),
    ...caughtAround(facts),
  ],
};

function inCommand(site: CallSite, { world }: Facts): Report[] {
  const { node, file } = site;
  const config = node.arguments[0] ? unwrap(node.arguments[0]) : undefined;
  const resume = propertyOf(config, "resume");
  const ours = world.evaluator
    .of(node.callee, file, undefined)
    .some((value) => value.kind === "external" && value.module.startsWith("@langchain/langgraph"));
  if (resume === undefined || !ours) return [];
  const value = unwrap(resume);
  if (
    (value.type === "Literal" && value.value === null) ||
    (value.type === "Identifier" && value.name === "undefined")
  ) {
    return [{ at: site, message: "null and undefined are no answer: the run fails or asks again." }];
  }
  return propertyOf(config, "goto") === undefined || isHandedOn(value)
    ? []
    : [{ at: site, message: "goto beside resume: the answer may go to another question." }];
}

/** `resume: command.resume`: a command of somebody else, taken apart and put together again. */
function isHandedOn(value: Node): boolean {
  return memberName(value) === "resume";
}

/** `updateState(…)` and then `invoke(null, …)` walks on without an answer. */
function updatedAndRun(facts: Facts): Report[] {
  return rootRuns(facts).flatMap(({ at }) => {
    const [input, config] = at.node.arguments;
    const fn = enclosingFunction(at.node);
    if (input?.type !== "Literal" || input.value !== null || !config) return [];
    const before = (callsIn(at.file).get("updateState") ?? []).some(
      ({ node }) =>
        enclosingFunction(node) === fn &&
        // Another config than the one that was updated is a fork, which is meant to go on by itself.
        isSame(node.arguments[0], config, at.file) &&
        at.file.position(node).line < at.file.position(at.node).line,
    );
    return before
      ? [
          {
            at,
            message: "updateState() and then null answers no question: what was approved is not what is in the state.",
          },
        ]
      : [];
  });
}

function isSame(a: Node | undefined, b: Node, file: SourceFile): boolean {
  return a !== undefined && file.textOf(a) === file.textOf(b);
}

const CAUGHT = new Set(["isGraphInterrupt", "GraphInterrupt", "NodeInterrupt"]);

/** A root graph gives back `__interrupt__` and throws nothing. */
function caughtAround(facts: Facts): Report[] {
  return rootRuns(facts).flatMap(({ at }) => {
    for (let outer: Node | null | undefined = at.node.parent; outer; outer = outer.parent) {
      if (outer.type !== "TryStatement" || !outer.handler || !contains(outer.block, at.node)) continue;
      if (!testsForInterrupt(outer.handler.body)) return [];
      return [
        {
          at: { node: outer.handler, file: at.file },
          message: "invoke() of a root graph throws no interrupt; it returns it as __interrupt__.",
        },
      ];
    }
    return [];
  });
}

function testsForInterrupt(body: Node): boolean {
  let found = false;
  walk(body, (node) => {
    if (node.type === "Identifier" && CAUGHT.has(node.name)) found = true;
    if (node.type === "BinaryExpression" && memberName(unwrap(node.left)) === "name") {
      found ||= node.right.type === "Literal" && CAUGHT.has(String(node.right.value));
    }
  });
  return found;
}
