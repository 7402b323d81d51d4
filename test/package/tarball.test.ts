import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Consumer } from "./consumer.js";
import { packedConsumer } from "./consumer.js";

let consumer: Consumer;

beforeAll(async () => {
  consumer = await packedConsumer();
}, 120_000);
afterAll(() => consumer.remove());

/** What each door must offer. */
const DOORS = {
  "langgraph-waypoint": ["SlimSaver", "effect", "WaypointError"],
  "langgraph-waypoint/checkpointer": ["SlimSaver"],
  "langgraph-waypoint/nodes": ["effect", "requestApproval", "safeTools", "resume"],
  "langgraph-waypoint/guards": ["loopGuard", "loopGuardNode", "withReminder", "detectLoops", "createLoopDetector"],
  "langgraph-waypoint/testing": ["checkpointerContract", "checkpointerChild", "resultsOf"],
  "langgraph-waypoint/ui": ["approvalsRouter"],
};

/** Prints, as JSON, the names a door lacks, the optional packages its import loaded, and what it left running. */
const REPORT = `
  const before = process.getActiveResourcesInfo().length;
  const missing = [];
  for (const [door, names] of Object.entries(${JSON.stringify(DOORS)})) {
    const module = await load(door);
    missing.push(...names.filter((name) => typeof module[name] !== "function").map((name) => door + ": " + name));
  }
  const loaded = Object.keys(cache).filter((file) => file.includes("better-sqlite3"));
  const running = process.getActiveResourcesInfo().length - before;
  console.log(JSON.stringify({ missing, loaded, running }));
`;

const ESM = `
  import { createRequire } from "node:module";
  const { cache } = createRequire(import.meta.url);
  const load = (door) => import(door);
  ${REPORT}
`;

const CJS = `
  const { cache } = require;
  const load = async (door) => require(door);
  (async () => { ${REPORT} })();
`;

const SAVER_ROUND = `
  const saver = SlimSaver.fromConnString(":memory:");
  saver.getTuple({ configurable: { thread_id: "t" } }).then((tuple) => { console.log(tuple); return saver.close(); });
`;

const SAVER_WITHOUT_DATABASE = `
  try { SlimSaver.fromConnString(":memory:"); } catch ({ code, message }) { console.log(code, message); }
`;

const TYPES = `
  import { SlimSaver, effect } from "langgraph-waypoint";
  import { SlimSaver as Same } from "langgraph-waypoint/checkpointer";
  import { effect as same } from "langgraph-waypoint/nodes";
  import { checkpointerContract, resultsOf } from "langgraph-waypoint/testing";
  import type { CheckResult, CheckpointerInitializer } from "langgraph-waypoint/testing";

  const saver: Same = SlimSaver.fromConnString(":memory:");
  const book: typeof same = effect;
  const double = book({ name: "double", key: (n: number) => String(n), run: async (n) => ({ twice: n * 2 }) });
  const receipt: Promise<{ twice: number }> = double(21);
  // @ts-expect-error the argument's type comes from \`key\`
  const wrong = double("21");
  const initializer: CheckpointerInitializer<Same> = {
    checkpointerName: "SlimSaver",
    createCheckpointer: () => SlimSaver.fromConnString(":memory:"),
    destroyCheckpointer: (opened) => opened.close(),
  };
  const results: () => Promise<CheckResult[]> = () =>
    resultsOf((runner) => checkpointerContract({ ...initializer, runner }));
  export const all = [saver, receipt, wrong, results];
`;

/** The package beside LangGraph's and langchain's own types: nobody has to cast. */
const GRAPH_TYPES = `
  import { Annotation, START, StateGraph, entrypoint } from "@langchain/langgraph";
  import { createAgent, tool } from "langchain";
  import { SlimSaver, decide, ledgerOf, requestApproval, resume, safeTools, safeToolsMiddleware } from "langgraph-waypoint";
  import type { ToolPolicy } from "langgraph-waypoint";
  import { z } from "zod";

  const checkpointer = SlimSaver.fromConnString(":memory:");
  const policy: ToolPolicy = { tools: { book: { approval: true } } };
  const book = tool(({ flight }) => flight, { name: "book", description: "books", schema: z.object({ flight: z.string() }) });
  const agent = createAgent({
    model: "a-model",
    tools: safeTools([book], policy),
    middleware: [safeToolsMiddleware(policy)],
    checkpointer,
  });
  const graph = new StateGraph(Annotation.Root({ order: Annotation<string> }))
    .addNode("ask", async ({ order }, config) => {
      const decision = await requestApproval({ action: "ship", args: { order } }, config);
      return decision.type === "edit" ? { order: decision.args.order } : {};
    })
    .addEdge(START, "ask")
    .compile({ checkpointer });
  const flow = entrypoint({ name: "flow", checkpointer }, async ({ order }: { order: string }) => order);

  export async function all() {
    const config = { configurable: { thread_id: "t" } };
    for (const app of [agent, graph, flow]) {
      await decide(ledgerOf(checkpointer), "id", { type: "approve" }, { by: "ann", app });
    }
    const { messages } = await agent.invoke({ messages: [] }, config);
    // @ts-expect-error the middleware leaves the agent's types as they are
    const wrong = messages[0]?.nothing;
    return [await resume(agent, config), await resume(graph, config), await resume(flow, config), wrong];
  }
`;

describe.each([
  ["an ES module", { script: "main.mjs", source: ESM, import: `import { SlimSaver } from "langgraph-waypoint";` }],
  ["CommonJS", { script: "main.cjs", source: CJS, import: `const { SlimSaver } = require("langgraph-waypoint");` }],
])("the packed package, imported from %s", (_, door) => {
  it("offers its API from every door, and the import alone does nothing", async () => {
    const report: unknown = JSON.parse(await consumer.run(door.script, door.source));
    expect(report).toEqual({ missing: [], loaded: [], running: 0 });
  });

  it("finds the embedded database when a saver is opened", async () => {
    expect(await consumer.run(`saver-${door.script}`, door.import + SAVER_ROUND)).toBe("undefined");
  });

  it("does without the optional packages until one is needed, and then says how to get it", async () => {
    const said = await consumer.without(["better-sqlite3", "langchain"], () =>
      consumer.run(`bare-${door.script}`, door.import + SAVER_WITHOUT_DATABASE),
    );
    expect(said).toMatch(/^MISSING_DEPENDENCY .*npm install better-sqlite3/);
  });
});

describe("the packed package", () => {
  it("has types that infer and fit LangGraph's, from ES modules and from CommonJS", { timeout: 180_000 }, async () => {
    const sources = {
      "types.mts": TYPES,
      "types.cts": TYPES,
      "graph-types.mts": GRAPH_TYPES,
      "graph-types.cts": GRAPH_TYPES,
    };
    expect(await consumer.checkTypes(sources)).toEqual([]);
  });

  it("starts its command line", async () => {
    const cli = join(consumer.installed, "dist/cli/main.js");
    const source = `
      import { execFileSync } from "node:child_process";
      console.log(execFileSync(process.execPath, [${JSON.stringify(cli)}, "--help"], { encoding: "utf8" }));
    `;
    expect(await consumer.run("cli.mjs", source)).toContain("waypoint");
  });

  it("carries what a user needs, and neither source nor tests", () => {
    const top = readdirSync(consumer.installed).sort();
    expect(top).toEqual(expect.arrayContaining(["LICENSE", "dist", "docs", "package.json"]));
    expect(top.filter((name) => ["src", "test", "bench", "examples"].includes(name))).toEqual([]);
  });
});
