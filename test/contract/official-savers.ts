/** Runs the contract over LangGraph's own savers, in a process of its own, and reports what they fail. */
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { checkpointerContract, resultsOf } from "../../src/testing/index.js";
import type { CheckpointerInitializer, CheckResult } from "../../src/testing/index.js";
import type { Place } from "./postgres-saver.child.js";

/** Where this process may store what it likes. */
export interface Given {
  readonly folder: string;
  /** The connection string of an empty Postgres database. */
  readonly server: string;
}

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

/** Each of its tests works in a file of its own. */
function sqlite(folder: string): CheckpointerInitializer<SqliteSaver> {
  let files = 0;
  return {
    checkpointerName: "SqliteSaver",
    createCheckpointer: () => SqliteSaver.fromConnString(join(folder, `${++files}.db`)),
    destroyCheckpointer: ({ db }) => void db.close(),
    reopen: ({ db }) => SqliteSaver.fromConnString(db.name),
    child: {
      module: new URL("./sqlite-saver.child.ts", import.meta.url),
      parameters: ({ db }) => db.name,
      execArgv: ["--import", "tsx"],
    },
    ...CLAIMS,
  };
}

/** Each of its tests works in a schema of its own. */
function postgres(server: string): CheckpointerInitializer<PostgresSaver> {
  const places = new Map<PostgresSaver, Place>();
  const open = async (place: Place): Promise<PostgresSaver> => {
    const saver = PostgresSaver.fromConnString(place.server, { schema: place.schema });
    places.set(saver, place);
    await saver.setup();
    return saver;
  };
  return {
    checkpointerName: "PostgresSaver",
    createCheckpointer: () => open({ server, schema: `test_${places.size}` }),
    destroyCheckpointer: (saver) => saver.end(),
    reopen: (saver) => open(places.get(saver)!),
    child: {
      module: new URL("./postgres-saver.child.ts", import.meta.url),
      parameters: (saver) => places.get(saver),
      execArgv: ["--import", "tsx"],
    },
    ...CLAIMS,
  };
}

const outcome = (saver: string, results: readonly CheckResult[]): Outcome => ({
  saver,
  checks: results.length,
  groups: [...new Set(results.map(({ group }) => group))],
  failed: results.filter(({ error }) => error !== undefined).map(({ group, name }) => `${group}: ${name}`),
});

const { folder, server } = JSON.parse(process.argv[2] ?? "") as Given;
const outcomes = [
  outcome("MemorySaver", await resultsOf((runner) => checkpointerContract({ ...memory, runner }))),
  outcome("SqliteSaver", await resultsOf((runner) => checkpointerContract({ ...sqlite(folder), runner }))),
  outcome("PostgresSaver", await resultsOf((runner) => checkpointerContract({ ...postgres(server), runner }))),
];
process.send?.(outcomes);
