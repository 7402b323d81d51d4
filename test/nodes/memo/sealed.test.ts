import { readFileSync } from "node:fs";
import { join } from "node:path";
import { START, StateGraph, Annotation } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { SlimSaver, aes256gcm } from "../../../src/checkpointer/index.js";
import { memo } from "../../../src/nodes/index.js";
import { temporaryFolder } from "../../checkpointer/harness.js";

it("a memo on a sealed database is not readable in its file, and is taken again", async () => {
  const file = join(temporaryFolder(), "agent.db");
  const checkpointer = SlimSaver.fromConnString(file, { encryption: aes256gcm(Buffer.alloc(32, 7)) });
  let taken = 0;
  const State = Annotation.Root({ drafts: Annotation<string[]> });
  const app = new StateGraph(State)
    .addNode("draft", async () => {
      const write = (): Promise<string> =>
        memo("draft", { to: "a recognisable addressee" }, () => `a secret draft ${++taken}`);
      return { drafts: [await write(), await write()] };
    })
    .addEdge(START, "draft")
    .compile({ checkpointer });
  const { drafts } = await app.invoke({}, { configurable: { thread_id: "t" } });
  expect(drafts).toEqual(["a secret draft 1", "a secret draft 1"]);
  await checkpointer.close();
  const bytes = readFileSync(file, "latin1");
  expect(bytes).not.toContain("a secret draft");
  expect(bytes).not.toContain("recognisable");
});
