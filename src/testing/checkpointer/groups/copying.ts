import { refusalOf, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, chain, idsOf, listed, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

type Copy = (trial: Trial, from: string, to: string) => Promise<unknown>;

/** A thread's checkpoints without the thread's name, to compare two threads. */
async function contents(trial: Trial, thread: string, ns = ""): Promise<unknown[]> {
  const tuples = await listed(trial.saver, at({ thread, ns }));
  return tuples.map(({ checkpoint, metadata, pendingWrites, parentConfig }) => ({
    checkpoint,
    metadata,
    pendingWrites,
    parent: parentConfig?.configurable?.checkpoint_id as unknown,
  }));
}

/** Copying threads. */
export function copying(copy: Copy): Group<Trial> {
  const pair = (trial: Trial) => ({ from: trial.thread("from"), to: trial.thread("to") });
  return {
    title: "copyThread",
    checks: {
      "lets a thread appear under another id": async (trial) => {
        const { from, to } = pair(trial);
        await chain(trial.saver, { thread: from }, 3);
        await copy(trial, from, to);
        same((await idsOf(trial.saver, { thread: to })).length, 3, "The copy has another number of checkpoints.");
        same(
          (await read(trial.saver, { thread: to })).config.configurable?.thread_id,
          to,
          "The copy carries the id of the original.",
        );
      },

      "copies every checkpoint with its values, not only the newest": async (trial) => {
        const { from, to } = pair(trial);
        await chain(trial.saver, { thread: from }, 4);
        await copy(trial, from, to);
        const values = async (thread: string) =>
          (await listed(trial.saver, at({ thread }))).map(({ checkpoint }) => checkpoint.channel_values);
        same(await values(to), await values(from), "Values of the copy differ from those of the original.");
      },

      "copies metadata": async (trial) => {
        const { from, to } = pair(trial);
        await chain(
          trial.saver,
          { thread: from },
          2,
          (step) => ({ source: "loop", step, parents: { "": "p" }, custom: [step] }) as never,
        );
        await copy(trial, from, to);
        const metadata = async (thread: string) =>
          (await listed(trial.saver, at({ thread }))).map((tuple) => tuple.metadata);
        same(await metadata(to), await metadata(from), "Metadata of the copy differ from those of the original.");
      },

      "copies all namespaces": async (trial) => {
        const { from, to } = pair(trial);
        const namespaces = ["", "child:1", "child:1|inner:2"];
        for (const ns of namespaces) await chain(trial.saver, { thread: from, ns }, 2);
        await copy(trial, from, to);
        for (const ns of namespaces) {
          same(
            await contents(trial, to, ns),
            await contents(trial, from, ns),
            `Namespace "${ns}" of the copy differs.`,
          );
        }
      },

      "copies pending writes": async (trial) => {
        const { from, to } = pair(trial);
        const [id] = await chain(trial.saver, { thread: from }, 1);
        await trial.saver.putWrites(
          at({ thread: from, id }),
          [
            ["a", "written"],
            ["b", 2],
          ],
          "task",
          "path",
        );
        await copy(trial, from, to);
        const { pendingWrites } = await read(trial.saver, { thread: to });
        same(
          pendingWrites,
          [
            ["task", "a", "written"],
            ["task", "b", 2],
          ],
          "Writes of the copy differ from those of the original.",
        );
      },

      "keeps order and parents": async (trial) => {
        const { from, to } = pair(trial);
        await chain(trial.saver, { thread: from }, 5);
        await copy(trial, from, to);
        same(
          await contents(trial, to),
          await contents(trial, from),
          "Order or parents of the copy differ from those of the original.",
        );
      },

      "leaves the original as it was, also when the copy goes its own way": async (trial) => {
        const { from, to } = pair(trial);
        await chain(trial.saver, { thread: from }, 3);
        const before = await contents(trial, from);
        await copy(trial, from, to);
        same(await contents(trial, from), before, "Copying has changed the original.");
        const [head] = await idsOf(trial.saver, { thread: to });
        await store(trial.saver, { thread: to, id: head }, { step: "of the copy" }, { version: 9 });
        same(await contents(trial, from), before, "What is put into the copy shows in the original.");
        await trial.saver.deleteThread(to);
        same(await contents(trial, from), before, "Deleting the copy has changed the original.");
      },

      "of a thread that is not there makes none": async (trial) => {
        const { from, to } = pair(trial);
        await refusalOf(copy(trial, from, to));
        same(await listed(trial.saver, { configurable: { thread_id: to } }), [], "A copy of nothing holds something.");
      },
    },
  };
}
