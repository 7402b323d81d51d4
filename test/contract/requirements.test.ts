/** The numbered requirements on a checkpointer, and where each is proven. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/index.js";
import { LOOP, at, chain, listed } from "../../src/testing/checkpointer/checkpoints.js";
import { checkpointerContract } from "../../src/testing/index.js";
import { openSaver } from "../checkpointer/harness.js";

/** Requirements that checks of the contract prove, here on a database in memory. */
const BY_CONTRACT: Readonly<Record<string, readonly string[]>> = {
  R9: ["can be left in the middle, and written to meanwhile"],
  R11: [
    "leaves the newest checkpoint of a thread",
    "leaves the newest of each of several threads",
    "leaves the newest of each namespace",
    "leaves the writes of what it leaves",
    "removes all of a thread when nothing is to stay",
    "leaves threads alone that it was not asked to prune",
    "does nothing when it is given no thread",
    "lets a thread appear under another id",
    "copies every checkpoint with its values, not only the newest",
    "copies metadata",
    "copies all namespaces",
    "copies pending writes",
    "keeps order and parents",
    "leaves the original as it was, also when the copy goes its own way",
    "of a thread that is not there makes none",
    "removes the checkpoints of one run",
    "removes the checkpoints of several runs",
    "leaves the checkpoints of other runs, and the newest of them is found",
    "removes the writes too",
    "does nothing when it is given no run",
    "does nothing for a run that has stored nothing",
    "removes them in all namespaces and threads",
  ],
  R14: [
    "a checkpoint that comes late does not bring the thread back",
    "writes that come late are not there when the thread begins anew",
  ],
  R17: [
    "two children of one checkpoint each give back their own values, at the same versions",
    "two forks of a graph's run, three supersteps each, both reload what they returned",
  ],
  R23: ["keeps writes that arrive before their checkpoint"],
  R24: ["keeps the channels that the newest step did not write"],
  R25: ["of two forks of one checkpoint each hold what their own run returned"],
  R26: [
    "takes before for a value to compare with, and not for a checkpoint that must be there",
    "a replay runs what came after the checkpoint, and leaves the history as it was",
    "a replay before a subgraph runs the subgraph anew, and asks again",
  ],
  R27: ["a question in a subgraph is answered, and no task that had finished runs again"],
  R28: ["a subgraph with a memory of its own keeps it over the turns, in a namespace of its own"],
  R30: ['asks, and goes on with the answer: durability "exit"'],
  R33: [
    "keeps threads apart whose ids look alike",
    "keeps namespaces apart whose names look alike",
    "takes a NUL in a thread id for what it is, or refuses it",
  ],
  R34: [
    "keeps BigInt",
    "refuses a cycle, or gives it back",
    "refuses a function in a list, or gives it back",
    "refuses a getter that throws, or gives it back",
  ],
  R35: [
    "keeps Date",
    "keeps NaN and the infinities",
    "keeps negative zero",
    "keeps Error, with class, cause and properties",
    "keeps typed arrays",
    "keeps ArrayBuffer",
  ],
  R36: [
    "keeps Uint8Array, every byte",
    "keeps Buffer, every byte",
    "stores nothing of a batch of writes that it refuses",
  ],
  R37: [
    "stays readable with an instance of an unknown class",
    "leaves data that look like the mark of a class that nobody has as they are",
  ],
  R38: [
    "keeps messages, also in Send and Command: HumanMessage",
    "keeps messages, also in Send and Command: AIMessage with tool calls",
    "keeps messages, also in Send and Command: ToolMessage with an artifact",
  ],
  R39: ["keeps one object in several places"],
  R40: ["keeps a write of undefined", "keeps undefined in records and lists"],
  R41: ["keeps NUL and lone surrogates in texts", "keeps texts of every kind", "keeps lone surrogates"],
  R43: ["keeps what it does not know, and does without what it knows"],
  R44: [
    "filters by source and step",
    'filters by the key "number" with the value 42',
    'filters by the key "yes" with the value true',
    'filters by the key "list" with the value [1,{"a":2}]',
  ],
  R45: [
    'filters by the key "a.b" with the value "dotted"',
    "takes a key with a dot for a key, and not for a path",
    "compares objects whatever the order of their keys",
    "tells a missing field from null",
  ],
};

/** Requirements that tests prove which look into the database, or at what only this package offers. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  R1: "checkpointer/retention.test.ts",
  R2: "checkpointer/size.test.ts",
  R3: "checkpointer/size.test.ts",
  R4: "checkpointer/size.test.ts",
  R5: "checkpointer/size.test.ts",
  R7: "checkpointer/size.test.ts",
  R8: "checkpointer/statements.test.ts",
  R10: "checkpointer/order-of-calls.test.ts",
  R12: "checkpointer/retention.test.ts",
  R13: "checkpointer/leftovers.test.ts",
  R15: "checkpointer/leftovers.test.ts",
  R16: "checkpointer/retention.test.ts",
  R18: "checkpointer/race.test.ts",
  R19: "checkpointer/overtaken.test.ts",
  R20: "checkpointer/overtaken.test.ts",
  R21: "checkpointer/kill/kill.test.ts",
  R22: "checkpointer/order-of-calls.test.ts",
  R29: "checkpointer/trouble.test.ts",
  R39: "contract/requirements.test.ts",
  R41: "contract/requirements.test.ts",
  R46: "checkpointer/concurrency.test.ts",
  R47: "checkpointer/setup.test.ts",
  R48: "checkpointer/setup.test.ts",
  R49: "checkpointer/setup.test.ts",
  R52: "checkpointer/tenants.test.ts",
  R53: "checkpointer/encryption/sealed.test.ts",
  R54: "checkpointer/retention.test.ts",
  R55: "checkpointer/import-threads.test.ts",
  R56: "contract/page.test.ts",
};

/** Requirements that are not met yet, or only in part; what there is instead. */
const NOT_MET: Readonly<Record<string, string>> = {
  R6: "threads are not removed by age in one call: listThreads tells when each was last changed, deleteThread removes it",
  R31: "no fingerprint of the graph is kept with a thread",
  R32: "there is no hook that migrates what was stored under another schema of the state",
  R42: "the codec of each object is stored, but users cannot bring one of their own",
  R50: "there is no pool of connections: the store is a file",
  R51: "encoding runs within the transaction: there is no pool that it could starve",
};

const numbersOf = (check: string): string[] =>
  Object.keys(BY_CONTRACT).filter((number) => BY_CONTRACT[number]?.includes(check));

const proven = new Set<string>();

checkpointerContract<SlimSaver>({
  checkpointerName: "SlimSaver in memory",
  createCheckpointer: () => SlimSaver.fromConnString(":memory:"),
  destroyCheckpointer: (saver) => saver.close(),
  ownership: true,
  tombstones: true,
  prune: async (saver, threads, keep) => {
    if (keep === "latest") await saver.prune({ threads, keep });
    else for (const thread of threads) await saver.deleteThread(thread);
  },
  copyThread: (saver, from, to) => saver.copyThread(from, to),
  deleteForRuns: (saver, runIds) => saver.deleteForRuns(runIds),
  runner: {
    describe,
    it: (name, body, timeoutMs) => {
      const numbers = numbersOf(name);
      proven.add(name);
      it(numbers.length === 0 ? name : `${name} (${numbers.join(", ")})`, body, timeoutMs);
    },
  },
});

describe("a requirement is proven where it is said to be", () => {
  it.each(Object.entries(BY_CONTRACT))("%s: %j", (_number, checks) => {
    expect(checks.filter((check) => !proven.has(check))).toEqual([]);
  });

  const tests = join(import.meta.dirname, "..");
  it.each(Object.entries(ELSEWHERE))("%s: %s", (number, file) => {
    const text = readFileSync(join(tests, file), "utf8");
    const named = [...text.matchAll(/\((R\d+(?:, R\d+)*)\)/g)].flatMap(([, numbers = ""]) => numbers.split(", "));
    const leading = [...text.matchAll(/["`](R\d+): /g)].map(([, leads]) => leads);
    expect([...named, ...leading]).toContain(number);
  });

  it("or said not to be met, each of the 56", () => {
    const all = Array.from({ length: 56 }, (_, index) => `R${index + 1}`);
    const said = new Set([...Object.keys(BY_CONTRACT), ...Object.keys(ELSEWHERE), ...Object.keys(NOT_MET)]);
    expect(all.filter((number) => !said.has(number))).toEqual([]);
    expect(Object.keys(NOT_MET).filter((number) => number in BY_CONTRACT || number in ELSEWHERE)).toEqual([]);
  });
});

it("a saver in a configuration is not taken apart by JSON (R39)", () => {
  const saver = openSaver();
  expect(JSON.stringify({ configurable: { saver } })).toBe('{"configurable":{"saver":"[SlimSaver]"}}');
});

it("texts with NUL and half a character are found by a filter as they are (R41)", async () => {
  const saver = openSaver();
  const texts = ["a\0b", "a\ud800b", "a", "a\ufffdb"];
  const ids = await chain(saver, { thread: "t" }, texts.length, (step) => ({ ...LOOP, text: texts[step] }) as never);
  for (const [index, text] of texts.entries()) {
    const found = await listed(saver, at({ thread: "t" }), { filter: { text } });
    expect(found.map(({ checkpoint }) => checkpoint.id)).toEqual([ids[index]]);
  }
});
