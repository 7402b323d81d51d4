import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { createStorage } from "unstorage";
import { afterAll } from "vitest";
import { aes256gcm, fileObjects, slim, unstorageObjects } from "../../src/checkpointer/index.js";

const folder = mkdtempSync(join(tmpdir(), "waypoint-conformance-"));
let folders = 0;

const files = () => fileObjects(join(folder, String((folders += 1))));
const memory = () => unstorageObjects(createStorage());
const encryption = aes256gcm(new Uint8Array(32));

for (const [around, create] of [
  ["MemorySaver, objects in a folder", () => slim(new MemorySaver(), { objects: files() })],
  ["MemorySaver, objects in unstorage", () => slim(new MemorySaver(), { objects: memory(), encryption })],
  ["SqliteSaver, objects in a folder", () => slim(SqliteSaver.fromConnString(":memory:"), { objects: files() })],
  ["SqliteSaver, objects in unstorage", () => slim(SqliteSaver.fromConnString(":memory:"), { objects: memory() })],
] as const) {
  const initializer = {
    checkpointerName: `langgraph-waypoint slim around ${around}`,
    createCheckpointer: (): BaseCheckpointSaver => create(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});
