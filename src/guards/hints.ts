import type { LoopClass, Verdict } from "./verdict.js";

/** What to try next, by the class of the trouble. */
const BY_CLASS: Readonly<Record<LoopClass, string>> = {
  "no-change": "The result will not change unless something else does: use what it says, or change something first.",
  "unknown-tool": "This tool does not exist. Use one of the tools that you were given, by its exact name.",
  schema: "The arguments do not fit the tool's schema. Read the field that the error names, and correct that field.",
  rejected: "A person said no. Do not send this again; ask what they want instead.",
  transient: "The service is busy. Do other work first, and try this again later.",
  timeout: "It takes too long. Ask for less at once: a smaller range, one item, a narrower query.",
  permission: "This is not allowed, and will not be. Ask a person, or reach the goal another way.",
  "invalid-arguments": "The tool refuses these arguments. Read what the error asks for, and correct exactly that.",
  "business-refusal": "The answer is no for a reason of the business. Tell the user, or choose another option.",
  "model-unavailable": "The model behind this tool is not available. Do without it, or ask a person.",
  persistent: "The same call fails again. Find the cause first, for example by listing what there is.",
};

const GONE = /not found|no match|no such|does(?: not|n't) exist|already|no changes/i;
const CHANGES = /edit|write|patch|replace|insert|apply|update|delete|remove|rename|move/i;

/** One sentence or two that say what to do about a verdict. */
export function hintFor({ tool, class: kind, detector, evidence }: Verdict): string {
  if (CHANGES.test(tool) && GONE.test(evidence.lastError ?? "")) {
    return "The target may already be changed. Read it again before the next edit.";
  }
  if (detector === "varying") return `${BY_CLASS[kind]} More variants of the same will not help.`;
  return BY_CLASS[kind];
}
