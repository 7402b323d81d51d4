import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createStorage } from "unstorage";
import { afterAll, describe, expect, it } from "vitest";
import { fileObjects, slim, unstorageObjects } from "../../src/checkpointer/index.js";
import type { ObjectStore } from "../../src/checkpointer/index.js";
import { checkpointerContract, resultsOf } from "../../src/testing/index.js";
import type { CheckpointerInitializer } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CLAIMS = { ownership: true, tombstones: true } as const;

const memory: CheckpointerInitializer = {
  checkpointerName: "slim around MemorySaver",
  createCheckpointer: () => slim(new MemorySaver(), { objects: unstorageObjects(createStorage()) }),
  ...CLAIMS,
};

interface Place {
  readonly inner: SqliteSaver;
  readonly objects: ObjectStore;
}
const places = new Map<BaseCheckpointSaver, Place>();

function around(place: Place): BaseCheckpointSaver {
  const wrapper = slim(place.inner, place);
  places.set(wrapper, place);
  return wrapper;
}

const sqlite: CheckpointerInitializer = {
  checkpointerName: "slim around SqliteSaver",
  createCheckpointer: () => {
    const objects = fileObjects(join(folder, String(places.size)));
    return around({ inner: SqliteSaver.fromConnString(":memory:"), objects });
  },
  reopen: (wrapper) => {
    const { inner, objects } = places.get(wrapper)!;
    return around({ inner: new SqliteSaver(inner.db), objects });
  },
  ...CLAIMS,
};

/** Who owns a thread, and what stays deleted, only a saver that holds the rows can say. */
const NOT_CLAIMED = [
  "deleteThread while a run is under way: a checkpoint that comes late does not bring the thread back",
  "deleteThread while a run is under way: writes that come late are not there when the thread begins anew",
  "two runs on one thread: a checkpoint that continues one which is no longer the newest is refused, and leaves nothing behind",
  'two runs on one thread: of two answers to one question at once, exactly one is taken: durability "sync"',
  'two runs on one thread: of two answers to one question at once, exactly one is taken: durability "async"',
  'two runs on one thread: of two answers to one question at once, exactly one is taken: durability "exit"',
  "two runs on one thread: namespaces are owned each for itself",
];

/** What a wrapper cannot mend: filters, lists and rows are the inner saver's. Each of these it fails by itself too. */
const FAILED: readonly [CheckpointerInitializer, readonly string[]][] = [
  [
    memory,
    [
      'metadata and filters: filters by the key "list" with the value [1,{"a":2}]',
      'metadata and filters: filters by the key "nested" with the value {"x":1,"y":{"z":[2]}}',
      "metadata and filters: compares objects whatever the order of their keys",
      ...NOT_CLAIMED,
    ],
  ],
  [
    sqlite,
    [
      'metadata and filters: filters by the key "a.b" with the value "dotted"',
      'metadata and filters: filters by the key "$.x" with the value "a path"',
      "metadata and filters: takes a key with a dot for a key, and not for a path",
      "metadata and filters: compares objects whatever the order of their keys",
      "list: gives at most as many as limit says, and none for 0",
      "list: gives one checkpoint when the configuration names it",
      "checkpoints of before format 4: get no sends of another namespace",
      "deleteThread: can be the first that is called",
      ...NOT_CLAIMED,
    ],
  ],
];

describe("the contract, around the official savers", () => {
  it.each(FAILED.map(([init, failed]) => ({ name: init.checkpointerName, init, failed })))(
    "$name fails what the inner saver fails and a wrapper cannot mend, and nothing else",
    { timeout: 180_000 },
    async ({ init, failed }) => {
      const results = await resultsOf((runner) => {
        checkpointerContract({ ...init, runner });
      });
      expect(results.length).toBeGreaterThan(150);
      const found = results.filter(({ error }) => error !== undefined).map(({ group, name }) => `${group}: ${name}`);
      expect(found).toEqual(failed);
    },
  );
});
