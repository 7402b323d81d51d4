import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { SlimSaver, fileObjects } from "../../src/index.js";
import { checkpointerContract } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "contract-"));
const places = new Map<SlimSaver, Place>();

interface Place {
  readonly file: string;
  /** Where everything lies that can lie outside the database. */
  readonly dir?: string;
}

function opened(place: Place): SlimSaver {
  const { file, dir } = place;
  const saver = SlimSaver.fromConnString(file, dir === undefined ? {} : { objects: fileObjects(dir), objectsAbove: 0 });
  places.set(saver, place);
  return saver;
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});

for (const [checkpointerName, open] of [
  ["SlimSaver", (file: string) => opened({ file })],
  ["SlimSaver with objects", (file: string) => opened({ file, dir: `${file}-objects` })],
] as const) {
  checkpointerContract<SlimSaver>({
    checkpointerName,
    createCheckpointer: () => open(join(folder, `${places.size}.db`)),
    destroyCheckpointer: (saver) => saver.close(),

    // What follows is optional: each line switches on the groups that need it.
    reopen: (saver) => open(places.get(saver)?.file ?? ""),
    child: {
      module: new URL("./slim-saver.child.ts", import.meta.url),
      parameters: (saver) => places.get(saver),
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
}
