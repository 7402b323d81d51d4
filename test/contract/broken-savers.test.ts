/** Savers that are broken in one way each: the contract finds it. */
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { checkpointerContract } from "../../src/testing/index.js";
import type { CheckpointerInitializer } from "../../src/testing/index.js";
import { databaseOf, temporaryFolder } from "../checkpointer/harness.js";
import { checkOf } from "./check.js";
import { everything, reading, savedBy } from "./delegate.js";
import type { Unhurried } from "./unhurried.child.js";

const slim = { checkpointerName: "a broken saver", createCheckpointer: () => SlimSaver.fromConnString(":memory:") };

const sortedAsText = (tuple: CheckpointTuple): CheckpointTuple => ({
  ...tuple,
  pendingWrites: [...(tuple.pendingWrites ?? [])].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
});

/** As a store does that keeps values under the version of their channel, and keeps the first. */
function byVersion(): (tuple: CheckpointTuple) => CheckpointTuple {
  const first = new Map<string, unknown>();
  return (tuple) => {
    const { channel_values: values, channel_versions: versions } = tuple.checkpoint;
    for (const [channel, value] of Object.entries(values)) {
      const key = JSON.stringify([tuple.config.configurable?.thread_id, channel, versions[channel]]);
      if (!first.has(key)) first.set(key, value);
      values[channel] = first.get(key);
    }
    return tuple;
  };
}

const saverOf: Readonly<Record<string, () => BaseCheckpointSaver>> = {
  "drops writes without a checkpoint": () =>
    savedBy((inner) => ({
      putWrites: async (config, ...rest) => {
        if ((await inner.getTuple(config)) !== undefined) await inner.putWrites(config, ...rest);
      },
    })),
  "forgets task paths": () =>
    savedBy((inner) => ({ putWrites: (config, writes, task) => inner.putWrites(config, writes, task) })),
  "sorts writes as text": () => savedBy((inner) => reading(inner, sortedAsText)),
  "never replaces a write": () =>
    savedBy((inner) => ({
      putWrites: async (config, writes, task, path) => {
        const stored = (await inner.getTuple(config))?.pendingWrites ?? [];
        const isThere = (channel: string): boolean => stored.some(([by, on]) => by === task && on === channel);
        await inner.putWrites(
          config,
          writes.filter(([channel]) => !isThere(channel)),
          task,
          path,
        );
      },
    })),
  "keeps values by version": () => savedBy((inner) => reading(inner, byVersion())),
  "needs newVersions": () =>
    savedBy((inner) => ({
      put: (config, checkpoint, metadata, versions) =>
        inner.put(config, checkpoint, metadata, Object.fromEntries(Object.entries(versions))),
    })),
  "hands out what it keeps": () => {
    const kept = new Map<string, CheckpointTuple>();
    return savedBy((inner) =>
      reading(inner, (tuple) => {
        const key = JSON.stringify(tuple.config);
        kept.set(key, kept.get(key) ?? tuple);
        return kept.get(key) ?? tuple;
      }),
    );
  },
  "lists the oldest first": () =>
    savedBy((inner) => ({
      async *list(config, options) {
        const { limit = Infinity, ...rest } = options ?? {};
        const tuples = [];
        for await (const tuple of inner.list(config, rest)) tuples.unshift(tuple);
        yield* tuples.slice(0, limit);
      },
    })),
  "looks before up": () =>
    savedBy((inner) => ({
      async *list(config, options) {
        const { before } = options ?? {};
        if (before !== undefined && (await inner.getTuple(before)) === undefined) return;
        yield* inner.list(config, options);
      },
    })),
  "does not filter": () =>
    savedBy((inner) => ({ list: (config, options) => inner.list(config, { ...options, filter: {} }) })),
  "lists all namespaces": () =>
    savedBy((inner) => ({
      list: (config, options) =>
        inner.list({ configurable: { thread_id: config.configurable?.thread_id as string } }, options),
    })),
  "deletes by the beginning of the id": () =>
    savedBy((inner) => ({
      deleteThread: async (id) => {
        const ids = (await everything(inner, {})).map(({ config }) => config.configurable?.thread_id as string);
        for (const found of new Set(ids)) if (found.startsWith(id)) await inner.deleteThread(found);
      },
    })),
  "loses what it cannot store": () =>
    savedBy((inner) => ({
      put: (config, checkpoint, ...rest) => inner.put(config, JSON.parse(JSON.stringify(checkpoint)) as never, ...rest),
    })),
  "shares namespaces": () =>
    savedBy((inner) => ({
      putWrites: (config, ...rest) =>
        inner.putWrites({ configurable: { ...config.configurable, checkpoint_ns: "" } }, ...rest),
    })),
};

describe("a saver that", () => {
  it.each([
    ["drops writes without a checkpoint", "keeps writes that arrive before their checkpoint"],
    ["forgets task paths", "gives writes back by task path, task and index, compared by code point"],
    ["sorts writes as text", "orders the index as a number"],
    ["never replaces a write", "replaces an error, a question and an answer by a later one"],
    ["keeps values by version", "two children of one checkpoint each give back their own values, at the same versions"],
    ["keeps values by version", "two forks of a graph's run, three supersteps each, both reload what they returned"],
    ["needs newVersions", "stores every channel when newVersions is undefined"],
    ["hands out what it keeps", "can be changed after it was loaded, without a change to what is loaded next"],
    ["lists the oldest first", "gives the newest checkpoint first"],
    ["lists the oldest first", "the history tells every step, newest first"],
    ["looks before up", "takes before for a value to compare with, and not for a checkpoint that must be there"],
    ["does not filter", "filters by source and step"],
    ["does not filter", "tells a missing field from null"],
    ["lists all namespaces", "gives one namespace, or all when none is named"],
    ["deletes by the beginning of the id", "leaves other threads whole, also those whose ids look alike"],
    ["loses what it cannot store", "keeps Map"],
    ["loses what it cannot store", "refuses a function in a list, or gives it back"],
    ["shares namespaces", "keeps the writes of several tasks, namespaces and threads apart"],
    ["shares namespaces", "a subgraph that asks can be found, with its state"],
  ])("%s does not get through: %s", async (name, check) => {
    const failure = await checkOf({ ...slim, createCheckpointer: saverOf[name] as () => BaseCheckpointSaver }, check);
    expect(failure?.name).toBe("BrokenClaim");
    expect(await checkOf(slim, check)).toBeUndefined();
  });
});

const claims: [string, Partial<CheckpointerInitializer<SlimSaver>>, string][] = [
  [
    "ownership and lets both runs advance",
    { createCheckpointer: () => SlimSaver.fromConnString(":memory:", { concurrency: "off" }), ownership: true },
    'of two answers to one question at once, exactly one is taken: durability "sync"',
  ],
  [
    "a second instance that is another storage",
    { reopen: () => SlimSaver.fromConnString(":memory:") },
    "sees at once what the first stores, and the first what it stores",
  ],
  ["to prune and does nothing", { prune: () => undefined }, "leaves the newest of each namespace"],
  [
    "to prune and takes no thread for all",
    { prune: (saver, threads) => saver.prune({ keep: "latest", ...(threads.length > 0 && { threads }) }) },
    "does nothing when it is given no thread",
  ],
  [
    "to copy and copies the newest only",
    {
      copyThread: async (saver, from, to) => {
        const tuple = await saver.getTuple({ configurable: { thread_id: from } });
        if (tuple === undefined) return;
        await saver.put(
          { configurable: { thread_id: to } },
          tuple.checkpoint,
          tuple.metadata ?? ({} as never),
          undefined,
        );
      },
    },
    "copies every checkpoint with its values, not only the newest",
  ],
  ["to delete runs and does nothing", { deleteForRuns: () => undefined }, "removes the writes too"],
];

describe("a saver that claims", () => {
  it.each(claims)("%s does not get through", async (_claim, init, check) => {
    expect((await checkOf({ ...slim, ...init }, check))?.name).toBe("BrokenClaim");
  });

  it("to have stored a task's writes and has not, does not get through when it is killed", async () => {
    const init: CheckpointerInitializer<SlimSaver> = {
      ...slim,
      createCheckpointer: () => SlimSaver.fromConnString(`${temporaryFolder()}/agent.db`),
      child: {
        module: new URL("./forgetful.child.ts", import.meta.url),
        parameters: (saver) => databaseOf(saver).path,
        execArgv: ["--import", "tsx"],
      },
    };
    const failure = await checkOf(init, "after a task's writes were stored: the task does not run again");
    expect(failure?.message).toBe("A task whose writes were stored before the kill ran again.");
  });
});

describe("of two processes on one thread, one begins late", () => {
  it("ownership gets through where it is kept, and only there", { timeout: 120_000 }, async () => {
    let children = 0;
    const raceWith = (concurrency: Unhurried["concurrency"]): CheckpointerInitializer<SlimSaver> => ({
      ...slim,
      createCheckpointer: () => SlimSaver.fromConnString(`${temporaryFolder()}/agent.db`),
      ownership: true,
      child: {
        module: new URL("./unhurried.child.ts", import.meta.url),
        parameters: (saver): Unhurried => ({ file: databaseOf(saver).path, concurrency, late: ++children % 2 === 0 }),
        execArgv: ["--import", "tsx"],
      },
    });
    const check = "of two that answer one question at once, exactly one advances";
    expect((await checkOf(raceWith("off"), check))?.name).toBe("BrokenClaim");
    expect(await checkOf(raceWith("enforce"), check)).toBeUndefined();
  });
});

describe("a failing check", () => {
  it("says what is wrong with the saver, and what was expected and found", async () => {
    const createCheckpointer = saverOf["needs newVersions"] as () => BaseCheckpointSaver;
    const failure = await checkOf(
      { ...slim, createCheckpointer },
      "stores every channel when newVersions is undefined",
    );
    expect(failure?.message).toMatch(
      /^newVersions may be undefined.*It means: store everything\.\nIt threw: TypeError/s,
    );
    const loses = saverOf["loses what it cannot store"] as () => BaseCheckpointSaver;
    const lost = await checkOf({ ...slim, createCheckpointer: loses }, "keeps Map");
    expect(lost?.message).toMatch(
      /^As the value of a channel, Map does not come back.*\nexpected: Map\(3\).*\nfound: +\{\}$/s,
    );
  });

  it("destroys every checkpointer that it had", async () => {
    const destroyed: BaseCheckpointSaver[] = [];
    const init: CheckpointerInitializer = {
      ...slim,
      destroyCheckpointer: (saver) => void destroyed.push(saver),
      reopen: () => SlimSaver.fromConnString(":memory:"),
    };
    await checkOf(init, "sees at once what the first stores, and the first what it stores");
    expect(new Set(destroyed).size).toBe(2);
  });
});

describe("without what it needs", () => {
  it("the contract asks for a test runner, or for its hooks", () => {
    expect(() => checkpointerContract(slim)).toThrow(InvalidInputError);
    const runner = { describe: () => undefined, it: () => undefined };
    expect(() => checkpointerContract({ ...slim, runner, beforeAll: () => undefined })).toThrow(/has no|none/);
  });
});
