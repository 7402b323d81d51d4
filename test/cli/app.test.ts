/** The built command as a process of its own, in a project that installed the package and has a graph. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Consumer } from "../package/consumer.js";
import { packedConsumer } from "../package/consumer.js";
import type { ShownReport } from "../../src/cli/render-reconciled.js";
import type { Printed } from "./run.js";

/** Clears the screen, turns the reading direction, forges a line. */
const EVIL = "\u001b[2J\u202Estate done\u0007";
const SECRET = "4111-1111";

/** A graph that asks before it wires, charges through a service that loses its answers, and leaves a handle open. */
const AGENT = `
  import { appendFileSync, existsSync, readFileSync } from "node:fs";
  import { Annotation, START, StateGraph } from "@langchain/langgraph";
  import { SlimSaver, absent, effect, requestApproval, succeeded } from "langgraph-waypoint";

  console.log("hello from the app");
  setInterval(() => undefined, 1000);
  const EVIL = ${JSON.stringify(EVIL)};
  const wired = () => (existsSync("bank.txt") ? readFileSync("bank.txt", "utf8").trim().split("\\n") : []);

  const charge = effect({
    name: "charge",
    key: ({ thread }) => thread + " ${SECRET} " + EVIL,
    run: async (_args, { key }) => {
      appendFileSync("bank.txt", JSON.stringify(key) + "\\n");
      throw Object.assign(new Error("no answer"), { code: "ECONNRESET" });
    },
    // The service cannot say while it is down.
    lookup: async (_args, { key }) => {
      if (existsSync("down.txt")) throw new Error("down for ${SECRET} " + EVIL);
      return wired().includes(JSON.stringify(key)) ? succeeded("receipt") : absent();
    },
  });

  const State = Annotation.Root({ what: Annotation(), outcome: Annotation() });
  export const builder = new StateGraph(State)
    .addNode("work", async ({ what }, config) => {
      const thread = config.configurable.thread_id;
      if (what === "charge") return { outcome: await charge({ thread }, config) };
      const decision = await requestApproval({ action: "wire", args: { thread, card: "${SECRET}" } }, config);
      if (what === "fail") throw new Error("the bank said no " + EVIL);
      appendFileSync("wired.txt", thread + " " + decision.type + "\\n");
      return { outcome: decision.type };
    })
    .addEdge(START, "work");
  export const app = builder.compile({ checkpointer: SlimSaver.fromConnString("agent.db") });
  export const bare = builder.compile();
  export const factory = async () => builder.compile();
  export const seven = 7;
  export default app;
`;

const START = `
  import { writeFileSync } from "node:fs";
  import { app } from "./agent.mjs";
  import { ledgerOf, pendingApprovals } from "langgraph-waypoint";
  writeFileSync("down.txt", "");
  const threads = JSON.parse(process.argv[2]);
  for (const [thread_id, what] of Object.entries(threads)) await app.invoke({ what }, { configurable: { thread_id } });
  const ids = {};
  for (const { threadId, id } of await pendingApprovals(ledgerOf(app.checkpointer))) ids[threadId] = id;
  process.send(ids);
  process.exit();
`;

let consumer: Consumer;
let project = "";
let ids: Record<string, string> = {};

const WIRES = ["approve", "late", "reject", "typescript", "builder", "factory", "bare", "refused"];

beforeAll(async () => {
  consumer = await packedConsumer();
  project = join(dirname(consumer.installed), "..");
  writeFileSync(join(project, "agent.mjs"), AGENT);
  const threads = {
    ...Object.fromEntries(WIRES.map((name) => [name, "wire"])),
    fail: "fail",
    c1: "charge",
    c2: "charge",
  };
  const file = START.replace("process.argv[2]", JSON.stringify(JSON.stringify(threads))).replace(
    "process.send(ids)",
    "process.stdout.write(JSON.stringify(ids))",
  );
  ids = JSON.parse((await consumer.run("start.mjs", file)).split("\n").at(-1)!) as Record<string, string>;
}, 120_000);
afterAll(() => consumer.remove());

/** Runs the built command in the project; a run that does not end by itself fails the test. */
function waypoint(...args: string[]): Promise<Printed> {
  const main = join(consumer.installed, "dist/cli/main.js");
  const { FORCE_COLOR: _force, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args, "--db", "agent.db"],
      { cwd: project, env, timeout: 20_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const inProject = (name: string): string => join(project, name);
const wired = (): string => (existsSync(inProject("wired.txt")) ? readFileSync(inProject("wired.txt"), "utf8") : "");
const by = ["--by", "ann"];

describe("a decision with --app", () => {
  it("wakes the graph, keeps what the app prints off stdout, and ends although the app leaves a handle open", async () => {
    const args = ["approve", ids.approve!, ...by, "--app", "agent.mjs:app", "--json"];
    const first = await waypoint(...args);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ applied: true, woken: true, approval: { state: "approved" } });
    expect(first.stderr).toBe("hello from the app\n");
    expect(wired()).toBe("approve approve\n");
    const second = await waypoint(...args);
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stdout)).toMatchObject({ applied: false, woken: false, reason: "already-decided" });
    expect(wired()).toBe("approve approve\n");
  });

  it("says for a person that the thread went on; without --app, that nobody was woken", async () => {
    const without = await waypoint("approve", ids.late!, ...by);
    expect(without).toMatchObject({ code: 0, stderr: "" });
    expect(without.stdout).toMatch(/approved.*wire on thread late\n.*decided, not woken.*resume\(app/);
    expect(wired()).not.toContain("late");

    const rejected = await waypoint("reject", ids.reject!, ...by, "--reason", "no", "--app", "agent.mjs");
    expect(rejected.stdout).toMatch(/rejected.*\nwoken: +thread reject went on\n/);
    expect(wired()).toContain("reject reject\n");
  });

  it.each(["builder", "factory", "bare"])(
    "gives this database to a graph that has no checkpointer yet: %s",
    async (name) => {
      const { code, stdout } = await waypoint("approve", ids[name]!, ...by, "--app", `agent.mjs:${name}`, "--json");
      expect({ code, said: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, said: { woken: true } });
      expect(wired()).toContain(`${name} approve\n`);
    },
  );

  it("takes the graphs and the environment of a langgraph.json, and runs TypeScript with the project's own tsx", async () => {
    writeFileSync(
      inProject("graph.ts"),
      `import { app } from "./agent.mjs";\nexport const typed: typeof app = process.env.WP_SET === "1" ? app : (undefined as never);\n`,
    );
    const manifest = { graphs: { one: "./graph.ts:typed", two: { path: "./agent.mjs:app" } }, env: { WP_SET: "1" } };
    writeFileSync(inProject("langgraph.json"), JSON.stringify(manifest));
    const args = ["approve", ids.typescript!, ...by, "--app"];
    expect((await waypoint(...args, "langgraph.json")).stderr).toMatch(/has 2 graphs: say which/);
    if (Number(process.versions.node.split(".")[0]) < 22) {
      // From then on Node runs TypeScript by itself.
      const missing = await waypoint(...args, "langgraph.json:one");
      expect(missing).toMatchObject({ code: 1, stdout: "" });
      expect(missing.stderr).toMatch(/is TypeScript.*npm install --save-dev tsx/);
    }
    const tsx = join(project, "node_modules/tsx");
    symlinkSync(join(import.meta.dirname, "../../node_modules/tsx"), tsx);
    const done = await waypoint(...args, "langgraph.json:one", "--json");
    rmSync(tsx);
    expect(JSON.parse(done.stdout)).toMatchObject({ applied: true, woken: true });
  });

  it("stands when the run that it woke fails; the exit code says so, and what the error says is hidden", async () => {
    const { code, stdout } = await waypoint("approve", ids.fail!, ...by, "--app", "agent.mjs:app");
    expect(code).toBe(1);
    expect(stdout).toMatch(/approved.*\n.*decided, not woken.*The run ended with Error: …\(\d+ characters\)/);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.each([
    ["a file that is not there", "nowhere.mjs:app", /no file "nowhere\.mjs"/],
    ["an export that is not there", "agent.mjs:nothing", /exports no "nothing"; it exports: .*app/],
    ["something that is no graph", "agent.mjs:seven", /no graph/],
    ["a file that throws", "broken.mjs:app", /broken on purpose/],
    ["a langgraph.json that is none", "broken.json:app", /not JSON/],
    ["a graph that no langgraph.json has", "empty.json:toString", /no graph "toString"/],
  ])("decides nothing with %s", async (_, app, says) => {
    writeFileSync(inProject("broken.mjs"), `throw new Error("broken on purpose " + ${JSON.stringify(EVIL)});`);
    writeFileSync(inProject("broken.json"), "{");
    writeFileSync(inProject("empty.json"), "{}");
    const { code, stdout, stderr } = await waypoint("approve", ids.refused!, ...by, "--app", app);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(says);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const { stdout: position } = await waypoint("show", "refused", "--json");
    expect(JSON.parse(position)).toMatchObject({ waitingFor: [{ kind: "approval", id: ids.refused }] });
  });
});

describe("waypoint reconcile", () => {
  const report = (printed: Printed): ShownReport => JSON.parse(printed.stdout) as ShownReport;

  it("without --app asks nobody, changes nothing, and says so", async () => {
    const printed = await waypoint("reconcile");
    expect(printed.code).toBe(1);
    expect(printed.stdout).toMatch(/charge +not asked +thread c1/);
    expect(printed.stdout).toMatch(/Nobody was asked/);
    expect(report(await waypoint("reconcile", "--json")).effects).toHaveLength(2);
  });

  it("with --app asks the lookups; what stays unknown says why only when asked to, and cannot steer the terminal", async () => {
    const args = ["reconcile", "--app", "agent.mjs", "--thread", "c1"];
    const down = await waypoint(...args);
    expect(down.code).toBe(1);
    expect(down.stdout).not.toContain(SECRET);
    const shown = await waypoint(...args, "--no-redact");
    expect(shown.stdout).toMatch(new RegExp(`unknown +thread c1 .*down for ${SECRET} \\\\x1b`));
    for (const { stdout } of [down, shown]) expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);

    rmSync(inProject("down.txt"));
    const up = await waypoint(...args, "--json");
    expect(up.code).toBe(0);
    expect(report(up)).toMatchObject({ asked: true, redacted: true, effects: [{ now: "succeeded", threadId: "c1" }] });
    expect(up.stdout).not.toContain(SECRET);
    expect(report(await waypoint("reconcile", "--json")).effects.map(({ threadId }) => threadId)).toEqual(["c2"]);
  });
});

it("resolve with --app settles an effect and wakes its thread, which gets the result", async () => {
  const open = JSON.parse((await waypoint("reconcile", "--json")).stdout) as ShownReport;
  const { effectId } = open.effects.find(({ threadId }) => threadId === "c2")!;
  const said = ["--as", "succeeded", "--evidence", "bank statement", "--result", '"by hand"', ...by];
  const { code, stdout } = await waypoint("resolve", effectId, ...said, "--app", "agent.mjs", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    resolved: true,
    woken: true,
    effect: { name: "charge", as: "succeeded" },
  });
  const position = await waypoint("show", "c2", "--json");
  expect(JSON.parse(position.stdout)).toMatchObject({ state: "done" });
});
