import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";

const folder = mkdtempSync(join(tmpdir(), "waypoint-conformance-"));
let files = 0;

for (const [where, connection] of [
  ["memory", () => ":memory:"],
  ["file", () => join(folder, `${(files += 1)}.db`)],
] as const) {
  const initializer = {
    checkpointerName: `langgraph-waypoint SlimSaver (${where})`,
    createCheckpointer: () => SlimSaver.fromConnString(connection()),
    destroyCheckpointer: (saver: SlimSaver) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});
