import { uuid6 } from "@langchain/langgraph-checkpoint";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, chain, idOf, idsOf, listed, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** `list` without a filter. */
export const listing: Group<Trial> = {
  title: "list",
  checks: {
    "gives the newest checkpoint first": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 12);
      same(await idsOf(saver, place), [...ids].reverse(), "Checkpoints of a namespace are listed newest first.");
    },

    "gives what getTuple gives: values, metadata, parent and writes": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 3);
      await saver.putWrites(at({ ...place, id: ids[1] }), [["a", 1]], "task");
      for (const tuple of await listed(saver, at(place))) {
        same(tuple, await saver.getTuple(tuple.config), "list and getTuple differ about the same checkpoint.");
      }
    },

    "gives at most as many as limit says, and none for 0": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const newestFirst = (await chain(saver, place, 4)).reverse();
      for (const limit of [0, 1, 3, 4, 9]) {
        const ids = (await listed(saver, at(place), { limit })).map(({ config }) => idOf(config));
        same(
          ids,
          newestFirst.slice(0, limit),
          `list with limit ${limit} gives other checkpoints than the ${limit} newest.`,
        );
      }
    },

    "gives those that are older than before": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 4);
      const older = await listed(saver, at(place), { before: at({ ...place, id: ids[2] }) });
      same(
        older.map(({ config }) => idOf(config)),
        [ids[1], ids[0]],
        "before is exclusive, and newest first.",
      );
      const [one] = await listed(saver, at(place), { before: at({ ...place, id: ids[3] }), limit: 1 });
      same(one && idOf(one.config), ids[2], "limit applies to what is older than before.");
    },

    "takes before for a value to compare with, and not for a checkpoint that must be there": async (trial) => {
      const { saver } = trial;
      const place = { thread: trial.thread() };
      const older = await chain(saver, place, 2);
      const between = uuid6(0);
      await chain(saver, { ...place, ns: "node:1" }, 1);
      const found = await listed(saver, at(place), { before: at({ ...place, id: between }) });
      const claim = "`before` may name a checkpoint of another namespace, or none: it is compared with, as a text.";
      same(
        found.map(({ config }) => idOf(config)),
        [...older].reverse(),
        claim,
      );
      // So LangGraph looks into the namespace of a subgraph that has not run yet, on time travel.
      const empty = await listed(saver, at({ ...place, ns: "node:2" }), {
        before: at({ ...place, id: older[1] }),
        limit: 1,
      });
      same(empty, [], claim);
    },

    "gives one checkpoint when the configuration names it": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 3);
      const claim = "list with a checkpoint_id in its configuration gives that checkpoint.";
      same(await idsOf(saver, { ...place, id: ids[1] }), [ids[1]], claim);
      same(await idsOf(saver, { ...place, id: uuid6(0) }), [], claim);
    },

    "gives one namespace, or all when none is named": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const namespaces = ["", "node:1", "node:1|inner:2"];
      for (const ns of namespaces) await chain(saver, { ...place, ns }, 2);
      for (const ns of namespaces) {
        const tuples = await listed(saver, at({ ...place, ns }));
        const found = tuples.map(({ config }) => config.configurable?.checkpoint_ns as string);
        same(found, [ns, ns], `list of namespace "${ns}" gives checkpoints of others.`);
      }
      const all = await listed(saver, { configurable: { thread_id: place.thread } });
      same(all.length, 6, "Without a checkpoint_ns, list gives the checkpoints of all namespaces of the thread.");
    },

    "gives all threads when none is named": async ({ saver, thread }) => {
      const threads = [thread("a"), thread("b")];
      for (const name of threads) await store(saver, { thread: name }, { a: 1 });
      const tuples = await listed(saver, { configurable: {} });
      const found = new Set(tuples.map(({ config }) => config.configurable?.thread_id as string));
      same(
        threads.filter((name) => !found.has(name)),
        [],
        "Without a thread_id, list gives the checkpoints of all threads.",
      );
    },

    "can be left in the middle, and written to meanwhile": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids = await chain(saver, place, 4);
      const open = saver.list(at(place));
      await open.next();
      await store(saver, { ...place, id: ids[3] }, { a: 1 }, { version: 9 });
      await open.return(undefined);
      same((await idsOf(saver, place)).length, 5, "A checkpoint that is put while a list is open is lost.");
    },
  },
};
