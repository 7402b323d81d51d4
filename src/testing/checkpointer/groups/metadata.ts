import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, chain, idOf, listed, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

const FIELDS = {
  text: "v",
  number: 42,
  float: 0.5,
  yes: true,
  nothing: null,
  list: [1, { a: 2 }],
  nested: { x: 1, y: { z: [2] } },
  "a.b": "dotted",
  "a b": "spaced",
  "a'b": "quoted",
  'a"b': "double-quoted",
  "$.x": "a path",
  "x' OR '1'='1": "an injection",
} as const;

const METADATA = { ...LOOP, ...FIELDS } as CheckpointMetadata;

async function found(trial: Trial, filter: Record<string, unknown>): Promise<number> {
  const list = () => listed(trial.saver, at({ thread: trial.thread() }), { filter });
  return (await works(list, `list throws for the filter ${JSON.stringify(filter)}.`)).length;
}

/** One checkpoint with METADATA, and one with none of its fields. */
async function two(trial: Trial): Promise<void> {
  const place = { thread: trial.thread() };
  const first = await store(trial.saver, place, { a: 1 }, { metadata: METADATA });
  await store(trial.saver, { ...place, id: idOf(first) }, { a: 2 }, { metadata: { ...LOOP, step: 2 }, version: 2 });
}

/** Metadata, and the filters of `list` over them. */
export const metadata: Group<Trial> = {
  title: "metadata and filters",
  checks: {
    "keeps fields of any name and any JSON value": async (trial) => {
      await two(trial);
      const [, tuple] = await listed(trial.saver, at({ thread: trial.thread() }));
      same(tuple?.metadata, METADATA, "The metadata differ from those that were put.");
    },

    "keeps NUL and lone surrogates in texts": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const odd = { ...LOOP, nul: "a\u0000b", half: "a\ud800b", "k\u0000": "key" } as CheckpointMetadata;
      await works(
        () => store(saver, place, { a: 1 }, { metadata: odd }),
        "put refuses metadata with a NUL or half a character.",
      );
      same((await read(saver, place)).metadata, odd, "Metadata with a NUL or half a character come back changed.");
    },

    "keeps what it does not know, and does without what it knows": async ({ saver, thread }) => {
      for (const [name, given] of [
        ["old keys", { ...LOOP, writes: { node: { a: 1 } }, thread_id: "x", score: null }],
        ["nothing", {}],
      ] as const) {
        const place = { thread: thread(name) };
        await works(
          () => store(saver, place, { a: 1 }, { metadata: given as never }),
          `put refuses metadata with ${name}.`,
        );
        same((await read(saver, place)).metadata, given, `Metadata with ${name} come back changed.`);
      }
    },

    "filters by source and step": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 4, (step) => ({
        ...LOOP,
        step,
        source: step % 2 === 0 ? "input" : "loop",
      }));
      const byFilter = async (filter: Record<string, unknown>): Promise<string[]> =>
        (await listed(saver, at(place), { filter })).map(({ config }) => idOf(config));
      same(await byFilter({ source: "loop" }), [ids[3], ids[1]], "A filter by source finds other checkpoints.");
      same(await byFilter({ step: 2 }), [ids[2]], "A filter by step finds other checkpoints.");
      same(await byFilter({ step: 2, source: "loop" }), [], "All keys of a filter have to match.");
      same(await byFilter({}), [...ids].reverse(), "An empty filter matches everything.");
    },

    ...Object.fromEntries(
      Object.entries(FIELDS).map(([key, value]) => [
        `filters by the key ${JSON.stringify(key)} with the value ${JSON.stringify(value)}`,
        async (trial: Trial) => {
          await two(trial);
          same(await found(trial, { [key]: value }), 1, "The filter has to find the one checkpoint with this field.");
        },
      ]),
    ),

    "finds nothing by another value": async (trial) => {
      await two(trial);
      for (const [key, value] of [
        ["text", "w"],
        ["number", "42"],
        ["yes", 1],
        ["list", [1]],
        ["float", 0],
      ] as const) {
        same(
          await found(trial, { [key]: value }),
          0,
          `${JSON.stringify({ [key]: value })} is not the value that was put.`,
        );
      }
    },

    "takes a key with a dot for a key, and not for a path": async (trial) => {
      await two(trial);
      same(await found(trial, { "nested.x": 1 }), 0, "A dot in a key of a filter reaches into a nested object.");
    },

    "tells a missing field from null": async (trial) => {
      await two(trial);
      same(await found(trial, { missing: null }), 0, "A filter for null finds checkpoints that do not have the field.");
    },

    "compares objects whatever the order of their keys": async (trial) => {
      await two(trial);
      same(
        await found(trial, { nested: { y: { z: [2] }, x: 1 } }),
        1,
        "The order of keys in a filter changes what is found.",
      );
    },

    "compares objects and lists whole": async (trial) => {
      await two(trial);
      same(await found(trial, { nested: { x: 1 } }), 0, "A filter by a part of an object finds the object.");
      same(await found(trial, { list: [{ a: 2 }] }), 0, "A filter by a part of a list finds the list.");
    },

    "applies the limit after the filter": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 6, (step) => ({ ...LOOP, step, source: step < 2 ? "input" : "loop" }));
      const tuples = await listed(saver, at(place), { filter: { source: "input" }, limit: 1 });
      same(
        tuples.map(({ config }) => idOf(config)),
        [ids[1]],
        "limit counts checkpoints that the filter has dropped.",
      );
    },
  },
};
