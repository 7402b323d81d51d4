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

// What an inner saver does with a channel that did not change is its own matter; for these two the suite leaves out its test
// of that, by their names.
const MEMORY = "MemorySaver";
const SQLITE = "@langchain/langgraph-checkpoint-sqlite";

for (const [checkpointerName, create] of [
  [MEMORY, () => slim(new MemorySaver(), { objects: files() })],
  [MEMORY, () => slim(new MemorySaver(), { objects: memory(), encryption })],
  [SQLITE, () => slim(SqliteSaver.fromConnString(":memory:"), { objects: files() })],
  [SQLITE, () => slim(SqliteSaver.fromConnString(":memory:"), { objects: memory() })],
] as const) {
  const initializer = {
    checkpointerName,
    createCheckpointer: (): BaseCheckpointSaver => create(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});
