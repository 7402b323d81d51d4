import { RULES } from "../../src/audit/index.js";
import type { Finding } from "../../src/audit/index.js";
import { findingsOf } from "../../src/audit/engine.js";
import { memoryProject } from "./memory-project.js";

/** Code in which a rule finds something, and code in which it does not. */
export interface Cases {
  /** Lines that are found end with `// found`; where the effect is, with `// effect`. */
  readonly invalid: readonly string[];
  readonly valid: readonly string[];
  /** Code in which it finds something that is worth knowing and no more: low or info. */
  readonly mild?: readonly string[];
}

/** What the snippets can use. It is one line, so that the second line of the file is the first of the snippet. */
const PREAMBLE = [
  'import { interrupt, Command, StateGraph, START, task, entrypoint, isGraphInterrupt, isGraphBubbleUp, GraphInterrupt, NodeInterrupt, MemorySaver } from "@langchain/langgraph"',
  'import { ToolNode, createReactAgent } from "@langchain/langgraph/prebuilt"',
  'import { ChatOpenAI } from "@langchain/openai"',
  'import { tool } from "@langchain/core/tools"',
  'import { createAgent, createMiddleware, toolRetryMiddleware } from "langchain"',
  'import { effect, memo, requestApproval } from "langgraph-waypoint"',
  'import { appendFile, readFile, writeFile } from "node:fs/promises"',
  'import { existsSync, readFileSync } from "node:fs"',
  'import { randomUUID } from "node:crypto"',
  'import Stripe from "stripe"',
  'import { Pool } from "pg"',
  'import pRetry from "p-retry"',
  'const stripe = new Stripe("key")',
  "const pool = new Pool()",
  "const model = new ChatOpenAI({})",
].join("; ");

export interface Outcome {
  readonly found: readonly number[];
  readonly effects: readonly number[];
}

/** The findings of a snippet, or of several files: `// file: name.ts` begins one. */
export function findingsIn(code: string): Finding[] {
  const [main = "", ...others] = code.split(/^\/\/ file: /m);
  const files = Object.fromEntries(
    others.map((part) => [
      `/${part.slice(0, part.indexOf("\n"))}`,
      `${PREAMBLE};\n${part.slice(part.indexOf("\n") + 1)}`,
    ]),
  );
  return findingsOf(memoryProject({ "/main.ts": `${PREAMBLE};\n${main}`, ...files }), { root: "/" });
}

/** What a rule is to find in a snippet, by its markers; lines of `main.ts` alone. */
export function expected(code: string): Outcome {
  const [main = ""] = code.split(/^\/\/ file: /m);
  const lines = main.split("\n");
  const marked = (marker: string): number[] =>
    lines.flatMap((line, index) => (line.includes(`// ${marker}`) || line.includes(`+ ${marker}`) ? [index + 2] : []));
  return { found: marked("found"), effects: marked("effect") };
}

/** The severities of what a rule finds. */
export function severitiesIn(code: string, rule: string): string[] {
  return findingsIn(code).flatMap((finding) => (finding.code === rule ? [finding.severity] : []));
}

export function outcome(code: string, rule: string): Outcome {
  const findings = findingsIn(code).filter((finding) => finding.code === rule);
  return {
    found: distinct(
      findings
        .map(({ interrupt }) => interrupt)
        .filter(({ file }) => file === "main.ts")
        .map(({ line }) => line),
    ),
    effects: distinct(findings.flatMap(({ effect: at }) => (at?.file === "main.ts" ? [at.line] : []))),
  };
}

function distinct(lines: readonly number[]): number[] {
  return [...new Set(lines)].sort((a, b) => a - b);
}

export const CODES: readonly string[] = RULES.map(({ code }) => code);
