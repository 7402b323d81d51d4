import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent } from "langchain";
import { SlimSaver } from "../../../src/checkpointer/index.js";
import { listFlights } from "../agent.js";
import { longConversation } from "../conversation.js";
import { onThread } from "../desk.js";
import { ScriptedModel } from "../scripted-model.js";
import type { Scene } from "../stage.js";

const TURNS = 24;
const THREAD = onThread({ threadId: "support-long" });

export const size: Scene = {
  title: `The same conversation of ${TURNS} turns in SqliteSaver and in SlimSaver`,
  async play(stage) {
    const official = SqliteSaver.fromConnString(join(stage.folder, "official.db"));
    const messages = await converse(official);
    official.db.close();
    const slim = SlimSaver.fromConnString(join(stage.folder, "slim.db"));
    const same = await converse(slim);
    await slim.close();

    const [officialBytes, slimBytes] = [bytesOf(stage.folder, "official.db"), bytesOf(stage.folder, "slim.db")];
    const ratio = officialBytes / slimBytes;
    stage.step(`what was said${kilobytes(Buffer.byteLength(messages.join("")))}`);
    stage.step(`SqliteSaver  ${kilobytes(officialBytes)}`);
    stage.step(`SlimSaver    ${kilobytes(slimBytes)}, ${ratio.toFixed(1)} times smaller`);
    stage.promise(`both hold the same ${messages.length} messages`, JSON.stringify(messages) === JSON.stringify(same));
    stage.promise("SlimSaver's database is at least five times smaller", ratio >= 5);
  },
};

/** Holds the conversation, and returns what was said in the end. */
async function converse(checkpointer: BaseCheckpointSaver): Promise<string[]> {
  const { questions, lines } = longConversation(TURNS);
  const app = createAgent({ model: new ScriptedModel(() => lines), tools: [listFlights], checkpointer });
  let said: string[] = [];
  for (const content of questions) {
    const { messages } = await app.invoke({ messages: [{ role: "user", content }] }, THREAD);
    said = messages.map(({ text }) => text);
  }
  return said;
}

/** The database and what stands beside it. */
function bytesOf(folder: string, name: string): number {
  const files = readdirSync(folder).filter((file) => file.startsWith(name));
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0).padStart(7)} kB`;
}
