import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mapChatMessagesToStoredMessages } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { round } from "../guards/conversation.js";
import { waypoint } from "./run.js";

function fileOf(...runs: unknown[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "waypoint-loops-")), "runs.jsonl");
  writeFileSync(file, runs.map((run) => (typeof run === "string" ? run : JSON.stringify(run))).join("\n"));
  return file;
}

const messages = [0, 1, 2, 3, 4].flatMap(() => round({ tool: "read", args: { path: "a" }, answer: "text" }));
const completions = [0, 1, 2, 3, 4].flatMap((n) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${n}`, function: { name: "read", arguments: '{"path":"a"}' } }],
  },
  { role: "tool", tool_call_id: `c${n}`, content: "text" },
]);
const steps = [0, 1, 2, 3, 4].map(() => ({ tool: "read", args: "cat a", result: "text", error: false }));

describe("waypoint loops", () => {
  it.each<[string, unknown]>([
    ["chat completions", { id: "r", messages: completions }],
    ["serialised LangChain messages", { id: "r", messages: JSON.parse(JSON.stringify(messages)) as unknown }],
    ["stored LangChain messages", { id: "r", messages: mapChatMessagesToStoredMessages(messages) }],
    ["steps", { id: "r", steps }],
  ])("replays %s, and says what would fire where", async (_, run) => {
    const { code, stdout } = await waypoint(["loops", fileOf(run), "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tallies: [{ label: "all", runs: 1, reminded: 1, tripped: 1 }],
      runs: [
        {
          id: "r",
          verdicts: [
            { level: "remind", index: 5, count: 3 },
            { level: "trip", index: 9, count: 5 },
          ],
        },
      ],
    });
  });

  it("tells solved runs from the others", async () => {
    const file = fileOf(
      { id: "a", solved: true, steps: steps.slice(0, 2) },
      { id: "b", reward: 0, messages: completions },
    );
    const { stdout } = await waypoint(["loops", file]);
    expect(stdout).toMatch(/^b +message 5 +remind +repeat +read +3× +no-change$/m);
    expect(stdout).toMatch(/^solved +1 +0 +0$/m);
    expect(stdout).toMatch(/^unsolved +1 +1 +1$/m);
  });

  it("escapes what models and tools wrote, and hides errors unless asked", async () => {
    const evil = {
      id: "a\u001b[2J",
      steps: steps.map((step) => ({ ...step, tool: "\u001b[31mrm", result: "\u001b]0;x", error: true })),
    };
    const shown = await waypoint(["loops", fileOf(evil), "--no-redact"]);
    expect(shown.stdout).not.toContain("\u001b");
    expect(shown.stdout).toContain("a\\x1b[2J");
    expect(shown.stdout).toContain("]0;x");
    expect((await waypoint(["loops", fileOf(evil)])).stdout).not.toContain("]0;x");
  });

  it("a missing file, a line that is no JSON or no run: one line on stderr that says which", async () => {
    expect((await waypoint(["loops", "/no/such/runs.jsonl"])).stderr).toBe(
      'waypoint: There is no file "/no/such/runs.jsonl".\n',
    );
    expect((await waypoint(["loops", fileOf({ messages: [] }, "{")])).stderr).toContain("Line 2 of");
    expect((await waypoint(["loops", fileOf({ id: 7 })])).stderr).toContain('neither "messages" nor "steps"');
  });
});
