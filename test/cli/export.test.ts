import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage, mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import type { StoredMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { ExportedCheckpoint } from "../../src/cli/exported-checkpoint.js";
import { LOOP, checkpointOf, thread } from "../checkpointer/checkpoints.js";
import { EVIL, makeDatabase, SECRET, THREADS } from "./fixture.js";
import { waypoint } from "./run.js";

let folder = "";
let db = "";
let out = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-cli-export-"));
  db = join(folder, "agent.db");
  out = join(folder, "threads.jsonl");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function parsed(lines: string): ExportedCheckpoint[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ExportedCheckpoint);
}

async function exported(...args: string[]): Promise<ExportedCheckpoint[]> {
  const { code, stdout, stderr } = await waypoint(["export", "--db", db, ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // Each line is one, and none steers a terminal.
  expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  return parsed(stdout);
}

/** Everything that JSON cannot say, messages, and what only looks like something else. */
const VALUES = {
  messages: [
    new HumanMessage({ content: `hello ${SECRET}`, id: "m1" }),
    new AIMessage({ content: "", id: "m2", tool_calls: [{ name: "pay", id: "c1", args: { card: SECRET } }] }),
    new ToolMessage({ content: "paid", id: "m3", name: "pay", tool_call_id: "c1" }),
  ],
  mixed: {
    big: 12n,
    nan: NaN,
    when: new Date(0),
    map: new Map([["a", new Set([1])]]),
    bytes: new Uint8Array([1, 200]),
  },
  sent: [new Send("work", { said: new HumanMessage("to do") })],
  error: new TypeError("broken"),
  "branch:to:model": null,
};

async function makeOne(): Promise<string[]> {
  const saver = SlimSaver.fromConnString(db);
  const first = checkpointOf({ step: 0 });
  const second = checkpointOf(VALUES);
  const at = await saver.put(thread("t"), first, { ...LOOP, step: 0 }, undefined);
  const metadata = { ...LOOP, step: 1, tenant: SECRET };
  await saver.putWrites(await saver.put(at, second, metadata, undefined), [["messages", VALUES.messages]], "task");
  await saver.close();
  return [second.id, first.id];
}

describe("waypoint export", () => {
  it("gives a line for each checkpoint of each thread, values hidden, names and structure kept", async () => {
    await makeDatabase(db);
    const saver = SlimSaver.fromConnString(db);
    const { checkpoints } = await saver.stats();
    await saver.close();
    const lines = await exported();
    expect(lines).toHaveLength(checkpoints);
    expect(new Set(lines.map((line) => line.thread))).toEqual(new Set(Object.values(THREADS)));
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(lines.every(({ redacted }) => redacted)).toBe(true);
  });

  it("with --no-redact says everything, as JSON that any program reads", async () => {
    const [second, first] = await makeOne();
    const [newest, oldest] = await exported("--no-redact");
    expect(oldest).toMatchObject({ thread: "t", ns: "", id: first, parent: null, values: { step: 0 }, writes: [] });
    expect(newest).toMatchObject({ id: second, parent: first, redacted: false });
    expect(newest?.metadata).toEqual({ ...LOOP, step: 1, tenant: SECRET });
    const { messages, ...others } = newest?.values as { messages: StoredMessage[] };
    expect(others).toEqual({
      mixed: { big: "12", nan: "NaN", when: "1970-01-01T00:00:00.000Z", map: [["a", [1]]], bytes: "Acg=" },
      sent: [{ lg_name: "Send", node: "work", args: { said: expect.objectContaining({ type: "human" }) as object } }],
      error: { name: "TypeError", message: "broken" },
      "branch:to:model": null,
    });
    expect(mapStoredMessagesToChatMessages(messages)).toEqual(VALUES.messages);
    expect(newest?.writes).toEqual([{ task: "task", channel: "messages", value: messages }]);
  });

  it("hides what was said and every value, and keeps who spoke, which tools were called, and how it hangs together", async () => {
    const [second, first] = await makeOne();
    const [newest] = await exported();
    expect(newest).toMatchObject({ id: second, parent: first, redacted: true });
    expect(newest?.metadata).toEqual({ ...LOOP, step: 1, tenant: "…(9 characters)" });
    expect(newest?.values).toMatchObject({
      messages: [
        { type: "human", data: { content: "…(15 characters)", id: "m1" } },
        { type: "ai", data: { id: "m2", tool_calls: [{ name: "pay", id: "c1", args: "…(20 characters)" }] } },
        { type: "tool", data: { content: "…(4 characters)", name: "pay", tool_call_id: "c1" } },
      ],
      mixed: expect.stringMatching(/^…\(\d+ characters\)$/) as string,
      "branch:to:model": null,
    });
    expect(JSON.stringify(newest)).not.toMatch(/4111|to do|broken/);
  });

  it("gives only the threads that are named, each once, whatever their ids hold", async () => {
    await makeDatabase(db);
    const { question, failed } = THREADS;
    const lines = await exported("--thread", question, "--thread", failed, question);
    expect(new Set(lines.map((line) => line.thread))).toEqual(new Set([question, failed]));
    expect(new Set(lines.map(({ ns, id }) => `${ns} ${id}`)).size).toBe(lines.length);
    expect(question).toContain(EVIL);
  });

  it("writes into a file that is there when it is whole, for its owner only", async () => {
    await makeDatabase(db);
    const { code, stdout, stderr } = await waypoint(["export", "--db", db, "--out", out, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = parsed(readFileSync(out, "utf8"));
    expect(JSON.parse(stdout)).toEqual({ threads: 4, checkpoints: lines.length, out, redacted: true });
    expect(lines).toEqual(await exported());
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("waits for a reader that is slow, checkpoint by checkpoint", async () => {
    await makeOne();
    const printed: string[] = [];
    await waypoint(["export", "--db", db], {
      out: (text) => printed.push(text),
      drained: () => {
        printed.push("drained");
        return Promise.resolve();
      },
    });
    expect(printed.map((text) => text.slice(0, 7))).toEqual(['{"threa', "drained", '{"threa', "drained"]);
  });
});

describe("waypoint export and bad input", () => {
  it.each([
    ["a thread that is not there", ["--thread", "nobody"], /no thread "nobody"/],
    ["a thread beside one that is not there", ["--thread", "t", "nobody"], /no thread "nobody"/],
    [
      "a folder that is not there",
      ["--out", join(tmpdir(), "waypoint-no-such-folder", "x.jsonl")],
      /cannot be written/,
    ],
  ])("%s: one line, exit code 1, nothing printed", async (_, args, says) => {
    await makeOne();
    const { code, stdout, stderr } = await waypoint(["export", "--db", db, ...args]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("a file that is there already stays as it was, the database too", async () => {
    await makeOne();
    writeFileSync(out, "mine");
    const before = readFileSync(db, "hex");
    for (const file of [out, db]) {
      expect((await waypoint(["export", "--db", db, "--out", file])).stderr).toMatch(/is there already/);
    }
    expect([readFileSync(out, "utf8"), readFileSync(db, "hex")]).toEqual(["mine", before]);
  });

  it("an export that fails in the middle leaves no file", async () => {
    await makeOne();
    const handle = new Database(db);
    handle.prepare("DELETE FROM waypoint_objects").run();
    handle.close();
    const { code, stderr } = await waypoint(["export", "--db", db, "--out", out]);
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
    expect([existsSync(out), existsSync(`${out}.partial`)]).toEqual([false, false]);
  });
});
