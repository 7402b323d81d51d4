import { refusalOf, same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, chain, checkpointOf, idOf, idsOf, listed, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** `deleteThread`. */
export const deletion: Group<Trial> = {
  title: "deleteThread",
  checks: {
    "can be the first that is called": async ({ saver, thread }) => {
      await works(() => saver.deleteThread(thread()), "deleteThread needs tables that only other methods create.");
    },

    "does nothing to a thread that is not there": async ({ saver, thread }) => {
      await chain(saver, { thread: thread("other") }, 2);
      await works(() => saver.deleteThread(thread("none")), "deleteThread of a thread that is not there throws.");
      same(
        (await idsOf(saver, { thread: thread("other") })).length,
        2,
        "deleteThread has removed checkpoints of another thread.",
      );
    },

    "removes checkpoints and writes in all namespaces": async ({ saver, thread }) => {
      const places = ["", "node:1", "node:1|inner:2"].map((ns) => ({ thread: thread(), ns }));
      const ids: string[] = [];
      for (const place of places) {
        const [id = ""] = await chain(saver, place, 1);
        await saver.putWrites(at({ ...place, id }), [["a", "left over"]], "task");
        ids.push(id);
      }
      await saver.deleteThread(thread());
      same(
        await listed(saver, { configurable: { thread_id: thread() } }),
        [],
        "Checkpoints of a deleted thread are listed.",
      );
      for (const [index, place] of places.entries()) {
        const claim = `A checkpoint of a deleted thread is found, in namespace "${place.ns}".`;
        same(await saver.getTuple(at(place)), undefined, claim);
        same(await saver.getTuple(at({ ...place, id: ids[index] })), undefined, claim);
      }
      // A write that was left over would show at a checkpoint of the same id.
      const [root] = places;
      const again = { ...checkpointOf({ a: 1 }), id: ids[0] ?? "" };
      await saver.put(at({ thread: thread(), ns: root?.ns ?? "" }), again, LOOP, { a: 1 });
      same((await read(saver, { thread: thread() })).pendingWrites, [], "Writes of a deleted thread are still there.");
    },

    "leaves other threads whole, also those whose ids look alike": async ({ saver, thread }) => {
      const others = ["t2", "T", "t%", "t_", "t*", "%", "*", ""].map((name) => thread(name));
      for (const other of others) {
        await saver.putWrites(await store(saver, { thread: other }, { who: other }), [["a", 1]], "task");
      }
      await chain(saver, { thread: thread("t") }, 2);
      await saver.deleteThread(thread("t"));
      for (const other of others) {
        const { checkpoint, pendingWrites } = await read(saver, { thread: other });
        same(
          [checkpoint.channel_values, pendingWrites],
          [{ who: other }, [["task", "a", 1]]],
          "Deleting a thread has changed another one.",
        );
      }
    },

    "takes an id for an id, and not for a pattern": async ({ saver, thread }) => {
      await store(saver, { thread: thread() }, { a: 1 });
      for (const pattern of ["*", "%", "_", `${thread().slice(0, -1)}%`, `${thread().slice(0, -1)}*`]) {
        await saver.deleteThread(pattern);
      }
      same(
        (await idsOf(saver, { thread: thread() })).length,
        1,
        "deleteThread takes * or % for a pattern, and deletes other threads.",
      );
    },

    "lets the thread begin anew": async ({ saver, thread }) => {
      const place = { thread: thread() };
      await chain(saver, place, 3);
      await saver.deleteThread(place.thread);
      const ids = await chain(saver, place, 2);
      same(
        await idsOf(saver, place),
        [...ids].reverse(),
        "A thread that was deleted and begun anew holds other checkpoints than the new ones.",
      );
    },
  },
};

/** For checkpointers that claim `tombstones`. */
export const tombstones: Group<Trial> = {
  title: "deleteThread while a run is under way",
  checks: {
    "a checkpoint that comes late does not bring the thread back": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const [parent] = await chain(saver, place, 1);
      await saver.deleteThread(place.thread);
      await refusalOf(store(saver, { ...place, id: parent }, { a: "late" }, { version: 2 }));
      await refusalOf(store(saver, { ...place, ns: "node:1" }, { a: "late" }));
      same(
        await listed(saver, { configurable: { thread_id: place.thread } }),
        [],
        "A late put has brought a deleted thread back.",
      );
      same(await saver.getTuple(at(place)), undefined, "A late put has brought a deleted thread back.");
    },

    "writes that come late are not there when the thread begins anew": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const [id = ""] = await chain(saver, place, 1);
      await saver.deleteThread(place.thread);
      await refusalOf(saver.putWrites(at({ ...place, id }), [["a", "late"]], "task"));
      same(await saver.getTuple(at(place)), undefined, "A late write has brought a deleted thread back.");
      const checkpoint = { ...checkpointOf({ a: 1 }), id };
      const stored = await saver.put(at(place), checkpoint, LOOP, { a: 1 });
      same(
        (await read(saver, { ...place, id: idOf(stored) })).pendingWrites,
        [],
        "A late write is found in the thread that began anew.",
      );
    },
  },
};
