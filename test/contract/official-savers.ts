/** Runs the contract over LangGraph's own savers, in a process of its own, and reports what they fail. */
import { MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { checkpointerContract, resultsOf } from "../../src/testing/index.js";
import type { CheckpointerInitializer, CheckResult } from "../../src/testing/index.js";

export interface Outcome {
  readonly saver: string;
  readonly checks: number;
  /** `group: name` of each check that ran, and of those that failed. */
  readonly groups: readonly string[];
  readonly failed: readonly string[];
}

/** They claim neither; how they fare is said all the same. */
const CLAIMS = { ownership: true, tombstones: true } as const;

const memory: CheckpointerInitializer<MemorySaver> = {
  checkpointerName: "MemorySaver",
  createCheckpointer: () => new MemorySaver(),
  ...CLAIMS,
};
const sqlite: CheckpointerInitializer<SqliteSaver> = {
  checkpointerName: "SqliteSaver",
  createCheckpointer: () => SqliteSaver.fromConnString(":memory:"),
  destroyCheckpointer: ({ db }) => void db.close(),
  reopen: ({ db }) => new SqliteSaver(db),
  ...CLAIMS,
};

const outcome = (saver: string, results: readonly CheckResult[]): Outcome => ({
  saver,
  checks: results.length,
  groups: [...new Set(results.map(({ group }) => group))],
  failed: results.filter(({ error }) => error !== undefined).map(({ group, name }) => `${group}: ${name}`),
});

const outcomes = [
  outcome("MemorySaver", await resultsOf((runner) => checkpointerContract({ ...memory, runner }))),
  outcome("SqliteSaver", await resultsOf((runner) => checkpointerContract({ ...sqlite, runner }))),
];
process.send?.(outcomes);
