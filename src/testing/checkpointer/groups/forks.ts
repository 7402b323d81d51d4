import { START, StateGraph } from "@langchain/langgraph";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { FORK, LOOP, at, checkpointOf, idOf, idsOf, read, store } from "../checkpoints.js";
import { Log } from "../graphs.js";
import type { Trial } from "../trial.js";

const SAME_VERSION =
  "Sibling checkpoints may give the same version to different values, so a version does not name a value.";

/** Three supersteps, each of which says whose they are. */
const threeSteps = new StateGraph(Log)
  .addNode("one", ({ log }) => ({ log: [`${log.at(-1) ?? ""}.1`] }))
  .addNode("two", ({ log }) => ({ log: [`${log.at(-1) ?? ""}.2`] }))
  .addNode("three", ({ log }) => ({ log: [`${log.at(-1) ?? ""}.3`] }))
  .addEdge(START, "one")
  .addEdge("one", "two")
  .addEdge("two", "three");

/** Two checkpoints that continue one. */
export const forks: Group<Trial> = {
  title: "forks",
  checks: {
    "two children of one checkpoint each give back their own values, at the same versions": async (trial) => {
      const { saver } = trial;
      const place = { thread: trial.thread() };
      const base = idOf(await store(saver, place, { who: "base" }));
      const ids: [string, string][] = [];
      for (const who of ["left", "right"]) {
        const stored = await store(saver, { ...place, id: base }, { who }, { metadata: FORK, version: 2 });
        ids.push([idOf(stored), who]);
      }
      for (const [id, who] of ids) {
        same((await read(saver, { ...place, id })).checkpoint.channel_values, { who }, SAME_VERSION);
      }
    },

    "a copy of one fork has the values of that fork": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const base = idOf(await store(saver, place, { who: "base" }));
      for (const who of ["left", "right"]) {
        await store(saver, { ...place, id: base }, { who }, { metadata: FORK, version: 2 });
      }
      const copy = checkpointOf({ who: "left" }, 2);
      await saver.put(at({ ...place, id: base }), copy, FORK, {});
      same((await read(saver, { ...place, id: copy.id })).checkpoint.channel_values, { who: "left" }, SAME_VERSION);
    },

    "a child of one fork keeps the channels that it did not write": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const base = idOf(await store(saver, place, { who: "base", n: 0 }));
      const heads: [string, string][] = [];
      for (const who of ["left", "right"]) {
        const stored = await store(saver, { ...place, id: base }, { who, n: 0 }, { metadata: FORK, version: 2 });
        heads.push([idOf(stored), who]);
      }
      for (const [parent, who] of heads) {
        const child = { ...checkpointOf({ who, n: 1 }), channel_versions: { who: 2, n: 3 } };
        await saver.put(at({ ...place, id: parent }), child, FORK, { n: 3 });
        same((await read(saver, { ...place, id: child.id })).checkpoint.channel_values, { who, n: 1 }, SAME_VERSION);
      }
    },

    "writes at one checkpoint are not those of its siblings": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const base = idOf(await store(saver, place, { a: 0 }));
      const children = [];
      for (const who of ["left", "right"]) {
        const stored = await store(saver, { ...place, id: base }, { a: 1 }, { metadata: FORK, version: 2 });
        await saver.putWrites(stored, [["a", who]], "task");
        children.push([idOf(stored), who] as const);
      }
      for (const [id, who] of children) {
        const { pendingWrites } = await read(saver, { ...place, id });
        same(pendingWrites, [["task", "a", who]], "The writes of one fork are found at the other.");
      }
    },

    "a base with two forks stays as it was, and is the parent of both": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const base = idOf(await store(saver, place, { a: "base" }));
      for (const a of ["left", "right"]) {
        const stored = await store(
          saver,
          { ...place, id: base },
          { a },
          { metadata: { ...LOOP, source: "update" }, version: 2 },
        );
        const { parentConfig } = await read(saver, { ...place, id: idOf(stored) });
        same(parentConfig && idOf(parentConfig), base, "A fork does not name the checkpoint that it was made from.");
      }
      const { checkpoint } = await read(saver, { ...place, id: base });
      same(checkpoint.channel_values, { a: "base" }, "Forking has changed the checkpoint that was forked.");
      same((await idsOf(saver, place)).length, 3, "A thread with two forks lists all three checkpoints.");
    },

    "two forks of a graph's run, three supersteps each, both reload what they returned": async ({ saver, thread }) => {
      const app = threeSteps.compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["base"] }, config);
      const base = (await app.getState(config)).config;
      const returned = [];
      for (const who of ["left", "right"]) {
        const fork = await app.updateState(base, { log: [who] }, "three");
        const { log } = await app.invoke({ log: [`${who} again`] }, fork);
        returned.push([(await app.getState(config)).config, log] as const);
      }
      for (const [head, log] of returned) {
        same(
          (await app.getState(head)).values,
          { log },
          "A fork reads another state than the one that its run returned.",
        );
      }
    },
  },
};
