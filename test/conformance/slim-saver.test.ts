import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll } from "vitest";
import { SlimSaver, aes256gcm, fileObjects } from "../../src/checkpointer/index.js";
import type { SlimSaverOptions } from "../../src/checkpointer/index.js";

const folder = mkdtempSync(join(tmpdir(), "waypoint-conformance-"));
let files = 0;

const file = (): string => join(folder, `${(files += 1)}.db`);
/** Everything that can lie outside the database does. */
const outside = (): SlimSaverOptions => ({ objects: fileObjects(join(folder, `${files}-objects`)), objectsAbove: 0 });

for (const [where, open] of [
  ["memory", () => SlimSaver.fromConnString(":memory:")],
  ["file", () => SlimSaver.fromConnString(file())],
  ["sealed", () => SlimSaver.fromConnString(file(), { encryption: aes256gcm(randomBytes(32)) })],
  ["outside", () => SlimSaver.fromConnString(file(), outside())],
  ["outside, sealed", () => SlimSaver.fromConnString(file(), { ...outside(), encryption: aes256gcm(randomBytes(32)) })],
] as const) {
  const initializer = {
    checkpointerName: `langgraph-waypoint SlimSaver (${where})`,
    createCheckpointer: open,
    destroyCheckpointer: (saver: SlimSaver) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});
