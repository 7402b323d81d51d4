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

const TYPES = `
  import { SlimSaver, effect } from "langgraph-waypoint";
  import { SlimSaver as Same } from "langgraph-waypoint/checkpointer";
  import { effect as same } from "langgraph-waypoint/nodes";

  const saver: Same = SlimSaver.fromConnString(":memory:");
  const book: typeof same = effect;
  const double = book({ name: "double", key: (n: number) => String(n), run: async (n) => ({ twice: n * 2 }) });
  const receipt: Promise<{ twice: number }> = double(21);
  // @ts-expect-error the argument's type comes from \`key\`
  const wrong = double("21");
  export const all = [saver, receipt, wrong];
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
});

describe("the packed package", () => {
  it.each(["types.mts", "types.cts"])("has types that infer, in %s", async (file) => {
    expect(await consumer.checkTypes(file, TYPES)).toEqual([]);
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
