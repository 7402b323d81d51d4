import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { createServer, get, request } from "node:http";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Annotation, interrupt, MemorySaver, START, StateGraph, task } from "@langchain/langgraph";
import { afterAll, beforeAll, expect, it } from "vitest";
import { effect, memo, memoryLedger, now, random, setLedger } from "../../src/index.js";
import { replayAudit } from "../../src/testing/index.js";
import type { ReplayableGraph } from "../../src/testing/index.js";

const State = Annotation.Root({ ok: Annotation<unknown>, seen: Annotation<unknown> });

let folder: string;
let url: string;
const server = createServer((_request, response) => response.end("here"));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "replay-"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  rmSync(folder, { recursive: true });
  server.close();
});

type Node = (state: typeof State.State) => object | Promise<object>;

function graphOf(...nodes: Node[]): ReturnType<typeof compiled> {
  return compiled(nodes);
}

function compiled(nodes: readonly Node[]) {
  const graph = new StateGraph(State) as unknown as {
    addNode(name: string, node: Node): void;
    addEdge(from: string, to: string): void;
    compile(options: object): ReturnType<StateGraph<typeof State.spec>["compile"]>;
  };
  nodes.forEach((node, index) => {
    graph.addNode(`n${index}`, node);
    graph.addEdge(index === 0 ? START : `n${index - 1}`, `n${index}`);
  });
  return graph.compile({ checkpointer: new MemorySaver() });
}

async function callsOf(...nodes: Node[]): Promise<string[]> {
  const findings = await replayAudit(graphOf(...nodes), {}, ["yes"]);
  return findings.map(
    ({ what, kind, call, node }) => `${what} ${kind} ${call.replace(folder, "").replace(url, "")} in ${node}`,
  );
}

const ask = (): unknown => interrupt("ok?");

it.each<readonly [string, string, (path: string) => unknown]>([
  ["fetch", "repeated fetch POST /", () => fetch(url, { method: "POST", body: "{}" })],
  ["node:fs/promises", "repeated fs fs.appendFile(/a.log)", (path) => appendFile(path, "x")],
  ["node:fs", "repeated fs fs.appendFileSync(/a.log)", (path) => appendFileSync(path, "x")],
  ["node:child_process", "repeated process execFileSync(true)", () => execFileSync("true")],
  [
    "node:http",
    "repeated http POST /",
    async () => {
      const sent = request(url, { method: "POST" });
      sent.end("x");
      const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream];
      response.resume();
    },
  ],
])("what %s does before a question is found, and behind it is not", async (_, expected, act) => {
  const path = join(folder, "a.log");
  const before = await callsOf(async () => {
    await act(path);
    return { ok: ask() };
  });
  expect(before).toEqual([`${expected} in n0`]);
  const behind = await callsOf(async () => {
    const ok = ask();
    await act(path);
    return { ok };
  });
  expect(behind).toEqual([]);
});

it("a clock and chance before a question are other ones afterwards", async () => {
  let ticks = Date.now();
  const found = await callsOf(async () => {
    await new Promise((resolve) => setTimeout(resolve, (ticks += 1) % 2 === 0 ? 2 : 3));
    const seen = [Date.now(), new Date().toISOString(), Math.random(), crypto.randomUUID(), new Date(0)];
    return { ok: ask(), seen };
  });
  expect(found).toEqual([
    "changed clock Date.now() in n0",
    "changed clock new Date() in n0",
    "changed random Math.random() in n0",
    "changed random crypto.randomUUID() in n0",
  ]);
});

it("a read is found when it saw something else, and only then", async () => {
  const path = join(folder, "read.txt");
  writeFileSync(path, "0");
  const same = await callsOf(async () => {
    const seen = [readFileSync(path, "utf8"), await readFile(path, "utf8"), await (await fetch(url)).text()];
    await once(get(url), "response").then(([response]) => (response as NodeJS.ReadableStream).resume());
    return { ok: ask(), seen };
  });
  expect(same).toEqual([]);
  const app = graphOf(async () => {
    const seen = await readFile(path, "utf8");
    return { ok: ask(), seen };
  });
  const changing: ReplayableGraph = {
    getState: (config) => app.getState(config),
    invoke: async (input, config) => {
      const result = await app.invoke(input, config);
      writeFileSync(path, "1");
      return result;
    },
  };
  const found = await replayAudit(changing, {}, ["yes"]);
  expect(found).toMatchObject([{ what: "changed", kind: "fs", passes: [0, 1] }]);
});

it("what is recorded happens once: effect, memo, now, random, task", async () => {
  setLedger(memoryLedger());
  const path = join(folder, "once.log");
  const pay = effect({ name: "replay-pay", key: () => "k", run: () => appendFile(path, "paid\n").then(() => 1) });
  const write = task("write", () => appendFile(path, "written\n"));
  const found = await callsOf(async () => {
    await pay({});
    await write();
    const seen = [await memo("id", {}, () => crypto.randomUUID()), await now(), await random()];
    return { ok: ask(), seen };
  });
  expect(found).toEqual([]);
  expect(readFileSync(path, "utf8")).toBe("paid\nwritten\n");
});

it("a finding says where, and nodes that have ended are not run again", async () => {
  const path = join(folder, "where.log");
  const act = async (): Promise<object> => {
    await appendFile(path, "x");
    return {};
  };
  const gate = async (): Promise<object> => {
    appendFileSync(path, "y");
    return { ok: ask(), seen: ask() };
  };
  const findings = await replayAudit(graphOf(act, gate, act), {}, ["first", "second"]);
  expect(findings).toMatchObject([{ call: `fs.appendFileSync(${path})`, node: "n1", passes: [0, 1, 2] }]);
  expect(findings[0]?.file).toBe(import.meta.filename);
  expect(readFileSync(import.meta.filename, "utf8").split("\n")[(findings[0]?.line ?? 0) - 1]).toContain(
    'appendFileSync(path, "y")',
  );
});

it("everything is put back, also when the graph fails", async () => {
  const before = [globalThis.fetch, globalThis.Date, Math.random, appendFileSync, crypto.randomUUID];
  await expect(
    replayAudit(
      graphOf(() => Promise.reject(new Error("broken"))),
      {},
      [],
    ),
  ).rejects.toThrow("broken");
  expect([globalThis.fetch, globalThis.Date, Math.random, appendFileSync, crypto.randomUUID]).toEqual(before);
});

it("an answer without a question, and a second replay at once, are refused", async () => {
  await expect(
    replayAudit(
      graphOf(() => ({ ok: ask() })),
      {},
      ["a", "b"],
    ),
  ).rejects.toThrow("asked 1 questions");
  const first = replayAudit(
    graphOf(() => ({ ok: ask() })),
    {},
    ["a"],
  );
  await expect(
    replayAudit(
      graphOf(() => ({ ok: ask() })),
      {},
      ["a"],
    ),
  ).rejects.toThrow("running");
  expect(await first).toEqual([]);
});

it("what is known to do no harm can be left out", async () => {
  const app = graphOf(() => ({ seen: Math.random(), ok: ask() }));
  expect(await replayAudit(app, {}, ["a"], { ignore: ({ kind }) => kind === "random" })).toEqual([]);
});
