import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { SlimSaver } from "../../src/index.js";
import { checkpointerContract } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "contract-"));
const files = new Map<SlimSaver, string>();

function open(file: string): SlimSaver {
  const saver = SlimSaver.fromConnString(file);
  files.set(saver, file);
  return saver;
}

checkpointerContract<SlimSaver>({
  checkpointerName: "SlimSaver",
  createCheckpointer: () => open(join(folder, `${files.size}.db`)),
  destroyCheckpointer: (saver) => saver.close(),
  afterAll: () => rmSync(folder, { recursive: true }),

  // What follows is optional: each line switches on the groups that need it.
  reopen: (saver) => open(files.get(saver) ?? ""),
  child: {
    module: new URL("./slim-saver.child.ts", import.meta.url),
    parameters: (saver) => files.get(saver),
    execArgv: ["--import", "tsx"],
  },
  ownership: true,
  tombstones: true,
  prune: async (saver, threads, keep) => {
    if (keep === "latest") await saver.prune({ threads, keep });
    else for (const thread of threads) await saver.deleteThread(thread);
  },
  copyThread: (saver, from, to) => saver.copyThread(from, to),
  deleteForRuns: (saver, runIds) => saver.deleteForRuns(runIds),

  runner: { describe, it, beforeAll, afterAll },
});
