import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, chain, idsOf, listed, read } from "../checkpoints.js";
import type { Trial } from "../trial.js";

type Prune = (trial: Trial, threads: string[], keep: "latest" | "nothing") => Promise<unknown>;

/** Removing old checkpoints. */
export function pruning(prune: Prune): Group<Trial> {
  return {
    title: "prune",
    checks: {
      "leaves the newest checkpoint of a thread": async (trial) => {
        const place = { thread: trial.thread() };
        const ids = await chain(trial.saver, place, 4);
        await prune(trial, [place.thread], "latest");
        same(await idsOf(trial.saver, place), ids.slice(-1), "Something else is left than the newest checkpoint.");
        const { checkpoint } = await read(trial.saver, place);
        same(checkpoint.channel_values, { step: 3 }, "The checkpoint that is left has lost its values.");
      },

      "leaves the newest of each of several threads": async (trial) => {
        const lengths = [3, 2, 1];
        const threads = lengths.map((length) => trial.thread(String(length)));
        const kept: (string | undefined)[] = [];
        for (const [index, length] of lengths.entries()) {
          kept.push((await chain(trial.saver, { thread: threads[index] ?? "" }, length)).at(-1));
        }
        await prune(trial, threads, "latest");
        for (const [index, thread] of threads.entries()) {
          same(
            await idsOf(trial.saver, { thread }),
            [kept[index]],
            "Of several threads, not each keeps its newest checkpoint.",
          );
        }
      },

      "leaves the newest of each namespace": async (trial) => {
        const places = ["", "child:1"].map((ns) => ({ thread: trial.thread(), ns }));
        const kept: (string | undefined)[] = [];
        for (const place of places) kept.push((await chain(trial.saver, place, 3)).at(-1));
        await prune(trial, [trial.thread()], "latest");
        for (const [index, place] of places.entries()) {
          same(
            await idsOf(trial.saver, place),
            [kept[index]],
            `In namespace "${place.ns}" something else is left than the newest checkpoint.`,
          );
        }
      },

      "leaves the writes of what it leaves": async (trial) => {
        const place = { thread: trial.thread() };
        const ids = await chain(trial.saver, place, 3);
        for (const id of ids) await trial.saver.putWrites(at({ ...place, id }), [["a", id]], "task");
        await prune(trial, [place.thread], "latest");
        const { pendingWrites } = await read(trial.saver, place);
        same(
          pendingWrites,
          [["task", "a", ids.at(-1)]],
          "The newest checkpoint has lost its writes, in which a question may wait.",
        );
      },

      "removes all of a thread when nothing is to stay": async (trial) => {
        const place = { thread: trial.thread() };
        await chain(trial.saver, place, 3);
        await chain(trial.saver, { ...place, ns: "child:1" }, 2);
        await prune(trial, [place.thread], "nothing");
        same(await listed(trial.saver, { configurable: { thread_id: place.thread } }), [], "Checkpoints are left.");
      },

      "leaves threads alone that it was not asked to prune": async (trial) => {
        const [mine, other] = [trial.thread("mine"), trial.thread("other")];
        await chain(trial.saver, { thread: mine }, 3);
        const ids = await chain(trial.saver, { thread: other }, 3);
        await prune(trial, [mine], "latest");
        same(
          await idsOf(trial.saver, { thread: other }),
          [...ids].reverse(),
          "Checkpoints of another thread are removed.",
        );
      },

      "does nothing when it is given no thread": async (trial) => {
        const ids = await chain(trial.saver, { thread: trial.thread() }, 3);
        await works(() => prune(trial, [], "latest"), "An empty list of threads is refused.");
        same(
          (await idsOf(trial.saver, { thread: trial.thread() })).length,
          ids.length,
          "An empty list of threads is taken for all.",
        );
      },

      "does nothing to a thread that is not there": async (trial) => {
        await works(() => prune(trial, [trial.thread("none")], "latest"), "A thread that is not there is refused.");
      },
    },
  };
}
