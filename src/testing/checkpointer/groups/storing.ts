import { CONTROL } from "../../../shared/langgraph.js";
import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { FORK, LOOP, at, chain, checkpointOf, idOf, idsOf, listed, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** LangGraph puts such a channel into the checkpoint of an input. */
const NO_TASKS = CONTROL.tasks;

/** What `put` stores, and what comes back of it. */
export const storing: Group<Trial> = {
  title: "put",
  checks: {
    "gives back checkpoint, metadata and parent as they were put": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const [parent] = await chain(saver, place, 1);
      const checkpoint = {
        ...checkpointOf({ a: "text", b: [1, { c: null }] }, 2),
        versions_seen: { node: { a: 1 }, other: {} },
      };
      const metadata = { ...LOOP, step: 7, custom: { tags: ["x"] } };
      await saver.put(at({ ...place, id: parent }), checkpoint, metadata, checkpoint.channel_versions);
      const tuple = await read(saver, place);
      same(tuple.checkpoint, checkpoint, "The checkpoint differs from the one that was put.");
      same(tuple.metadata, metadata, "The metadata differ from those that were put.");
      same(
        tuple.parentConfig,
        at({ ...place, id: parent }),
        "parentConfig does not name the checkpoint that was continued.",
      );
      same(tuple.pendingWrites, [], "A checkpoint without writes has pendingWrites [].");
    },

    "returns and lists thread, namespace and checkpoint id, and no other key of the configuration": async (trial) => {
      const place = { thread: trial.thread(), ns: "node:1" };
      const checkpoint = checkpointOf({ a: 1 });
      const config = { ...at(place), metadata: { tenant: "x" }, tags: ["t"], runName: "run" };
      config.configurable = { ...config.configurable, user: "ann", checkpoint_map: { "": "c" } };
      const address = at({ ...place, id: checkpoint.id });
      const stored = await trial.saver.put(config, checkpoint, LOOP, checkpoint.channel_versions);
      same(stored, address, "put returns the address of the checkpoint, without other keys of the configuration.");
      same(
        (await read(trial.saver, place)).config,
        address,
        "The configuration of the newest checkpoint is its address only.",
      );
      const [tuple] = await listed(trial.saver, at(place));
      same(tuple?.config, address, "The configuration of a listed checkpoint is its address only.");
    },

    "stores every channel when newVersions is undefined": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const checkpoint = checkpointOf({ a: 1, b: "two" });
      const put = (): Promise<unknown> => saver.put(at(place), checkpoint, LOOP, undefined as never);
      await works(put, "newVersions may be undefined: LangGraph's own wrappers drop it. It means: store everything.");
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      same(values, { a: 1, b: "two" }, "Without newVersions, every channel has to be stored.");
    },

    "keeps the channels that the newest step did not write": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const first = await store(saver, place, { still: ["kept"], moving: 1 });
      let parent = idOf(first);
      for (const version of [2, 3, 4]) {
        const checkpoint = checkpointOf({ still: ["kept"], moving: version });
        checkpoint.channel_versions = { still: 1, moving: version };
        await saver.put(at({ ...place, id: parent }), checkpoint, LOOP, { moving: version });
        parent = checkpoint.id;
      }
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      same(
        values,
        { still: ["kept"], moving: 4 },
        "A channel that is not in newVersions has to come back with its value.",
      );
    },

    "keeps all channels of a checkpoint that is copied beside its own parent with newVersions {}": async (trial) => {
      const { saver } = trial;
      const place = { thread: trial.thread() };
      const first = idOf(await store(saver, place, { a: "one" }));
      await store(saver, { ...place, id: first }, { a: "two" }, { version: 2 });
      // LangGraph copies a checkpoint so: the parent of the original, all values, no new versions.
      const copy = checkpointOf({ a: "two" }, 2);
      await saver.put(at({ ...place, id: first }), copy, FORK, {});
      const { channel_values: values } = (await read(saver, { ...place, id: copy.id })).checkpoint;
      same(
        values,
        { a: "two" },
        "A copied checkpoint lost or changed values: channel_values are the truth, not the parent's.",
      );
    },

    "keeps a channel that has a value and no version": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const checkpoint = checkpointOf({ a: 1 });
      checkpoint.channel_values[NO_TASKS] = [];
      await saver.put(at(place), checkpoint, LOOP, { a: 1 });
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      same(values, { a: 1, [NO_TASKS]: [] }, "channel_values may hold channels that channel_versions do not name.");
    },

    "keeps a channel whose name is that of a property of every object": async ({ saver, thread }) => {
      for (const name of ["constructor", "toString", "hasOwnProperty"]) {
        const place = { thread: thread(name) };
        await store(saver, place, { [name]: [1] });
        const { channel_values: values } = (await read(saver, place)).checkpoint;
        same(Object.entries(values), [[name, [1]]], `A channel called "${name}" is lost or changed.`);
      }
    },

    "gives versions back as numbers and texts, as they were put": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const versions = { a: 12, b: "00000000000000000000000000000002.0.5" };
      const checkpoint = {
        ...checkpointOf({ a: 1, b: 2 }),
        channel_versions: versions,
        versions_seen: { node: versions },
      };
      await saver.put(at(place), checkpoint, LOOP, versions);
      const back = (await read(saver, place)).checkpoint;
      same(back.channel_versions, versions, "channel_versions differ from those that were put.");
      same(back.versions_seen, { node: versions }, "versions_seen differ from those that were put.");
    },

    "stores a checkpoint that comes twice once, with its writes": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const checkpoint = checkpointOf({ a: 1 });
      const put = () => saver.put(at(place), checkpoint, LOOP, checkpoint.channel_versions);
      await saver.putWrites(await put(), [["a", 2]], "task");
      await put();
      const tuples = await listed(saver, at(place));
      same(
        tuples.map(({ config }) => idOf(config)),
        [checkpoint.id],
        "A checkpoint that is put twice is listed once.",
      );
      same(tuples[0]?.pendingWrites, [["task", "a", 2]], "A checkpoint that is put again keeps its writes.");
    },

    "takes the greatest id for the newest checkpoint, and finds each by its own": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 5);
      same(
        idOf((await read(saver, place)).config),
        ids.at(-1),
        "Without a checkpoint_id, the greatest id has to be found.",
      );
      for (const [step, id] of ids.entries()) {
        const { checkpoint } = await read(saver, { ...place, id });
        same(
          [checkpoint.id, checkpoint.channel_values],
          [id, { step }],
          "A checkpoint addressed by its id is another one.",
        );
      }
    },

    "finds nothing where nothing was stored": async ({ saver, thread }) => {
      same(await saver.getTuple(at({ thread: thread("none") })), undefined, "A thread that is not there is undefined.");
      const place = { thread: thread() };
      await chain(saver, place, 1);
      const missing = checkpointOf({}).id;
      same(
        await saver.getTuple(at({ ...place, id: missing })),
        undefined,
        "A checkpoint that is not there is undefined.",
      );
      same(
        await saver.getTuple(at({ ...place, ns: "other" })),
        undefined,
        "A namespace that is not there is undefined.",
      );
      same(await idsOf(saver, { ...place, ns: "other" }), [], "A namespace that is not there lists nothing.");
    },
  },
};
