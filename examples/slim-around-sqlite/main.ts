/**
 * The same conversation twice in an SqliteSaver: by itself, and with `slim` around it.
 * Run it: npx tsx examples/slim-around-sqlite/main.ts
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { fileObjects, slim } from "../../src/index.js";

const TURNS = 40;
const THREAD = { configurable: { thread_id: "long-talk" } };

const graph = new StateGraph(MessagesAnnotation)
  .addNode("answer", ({ messages }) => ({ messages: [new AIMessage(`You asked: ${messages.at(-1)?.text ?? ""}`)] }))
  .addEdge(START, "answer");

/** Holds the conversation, and returns what the thread says in the end. */
async function converse(checkpointer: BaseCheckpointSaver): Promise<string> {
  const app = graph.compile({ checkpointer });
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const question = `What about flight LX ${turn}? ${"It matters to me. ".repeat(60)}`;
    await app.invoke({ messages: [new HumanMessage(question)] }, THREAD);
  }
  const { messages } = (await app.getState(THREAD)).values as typeof MessagesAnnotation.State;
  return JSON.stringify(messages.map(({ text }) => text));
}

function bytesIn(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

const folder = mkdtempSync(join(tmpdir(), "waypoint-example-"));
try {
  const plain = SqliteSaver.fromConnString(join(folder, "plain.db"));
  const inner = SqliteSaver.fromConnString(join(folder, "slim.db"));
  const said = await converse(plain);
  // The one line that changes:
  const same = await converse(slim(inner, { objects: fileObjects(join(folder, "objects")) }));
  for (const { db } of [plain, inner]) db.close();

  const kilobytes = (name: string): string => `${Math.round(bytesIn(join(folder, name)) / 1024)} kB`;
  console.log(`said           ${Math.round(said.length / 1024)} kB`);
  console.log(`SqliteSaver    ${kilobytes("plain.db")}`);
  console.log(`slim around it ${kilobytes("slim.db")}, and ${kilobytes("objects")} in the folder of objects`);
  console.log(said === same ? "Both hold the same conversation." : "They differ.");
} finally {
  rmSync(folder, { recursive: true });
}
