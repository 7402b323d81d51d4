import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, checkpointOf, idOf, listed } from "../checkpoints.js";
import type { Place } from "../checkpoints.js";
import type { Trial } from "../trial.js";

type DeleteRuns = (trial: Trial, runIds: string[]) => Promise<unknown>;

/** A checkpoint of a run, which is named where LangGraph and its servers name it. */
async function storeFor(run: string, trial: Trial, place: Place): Promise<RunnableConfig> {
  const checkpoint = checkpointOf({ run });
  const metadata = { ...LOOP, run_id: run } as CheckpointMetadata;
  return trial.saver.put(
    { ...at(place), metadata: { run_id: run } },
    checkpoint,
    metadata,
    checkpoint.channel_versions,
  );
}

async function storeRuns(trial: Trial, runs: readonly string[]): Promise<RunnableConfig[]> {
  const stored: RunnableConfig[] = [];
  for (const run of runs) {
    const parent = stored.at(-1);
    stored.push(await storeFor(run, trial, { thread: trial.thread(), id: parent && idOf(parent) }));
  }
  return stored;
}

async function runsLeft(trial: Trial, ns = ""): Promise<unknown[]> {
  const tuples = await listed(trial.saver, at({ thread: trial.thread(), ns }));
  return tuples.map(({ checkpoint }) => checkpoint.channel_values.run).reverse();
}

/** Removing what single runs stored. */
export function runs(deleteForRuns: DeleteRuns): Group<Trial> {
  const named = (trial: Trial, ...names: string[]): string[] => names.map((name) => trial.thread(`run ${name}`));
  return {
    title: "deleteForRuns",
    checks: {
      "removes the checkpoints of one run": async (trial) => {
        const [one = "", two = ""] = named(trial, "1", "2");
        await storeRuns(trial, [one, two]);
        await deleteForRuns(trial, [one]);
        same(await runsLeft(trial), [two], "Something else is left than the checkpoints of the other run.");
      },

      "removes the checkpoints of several runs": async (trial) => {
        const [one = "", two = "", three = ""] = named(trial, "1", "2", "3");
        await storeRuns(trial, [one, two, three]);
        await deleteForRuns(trial, [one, two]);
        same(await runsLeft(trial), [three], "Something else is left than the checkpoints of the other run.");
      },

      "leaves the checkpoints of other runs, and the newest of them is found": async (trial) => {
        const [one = "", two = ""] = named(trial, "1", "2");
        const [first] = await storeRuns(trial, [one, two]);
        await deleteForRuns(trial, [two]);
        same(await runsLeft(trial), [one], "The checkpoints of another run are gone.");
        const newest = await trial.saver.getTuple(at({ thread: trial.thread() }));
        same(
          newest && idOf(newest.config),
          first && idOf(first),
          "After the newest run was removed, the one before it is not the newest.",
        );
      },

      "removes the writes too": async (trial) => {
        const [one = ""] = named(trial, "1");
        const [stored = {}] = await storeRuns(trial, [one]);
        await trial.saver.putWrites(stored, [["a", 1]], "task");
        await deleteForRuns(trial, [one]);
        same(await trial.saver.getTuple(stored), undefined, "A checkpoint of a removed run is found.");
        const again = { ...checkpointOf({ run: one }), id: idOf(stored) };
        await trial.saver.put(at({ thread: trial.thread() }), again, LOOP, again.channel_versions);
        same((await trial.saver.getTuple(stored))?.pendingWrites, [], "Writes of a removed run are still there.");
      },

      "does nothing when it is given no run": async (trial) => {
        const all = named(trial, "1", "2");
        await storeRuns(trial, all);
        await works(() => deleteForRuns(trial, []), "An empty list of runs is refused.");
        same(await runsLeft(trial), all, "An empty list of runs is taken for all.");
      },

      "does nothing for a run that has stored nothing": async (trial) => {
        const all = named(trial, "1");
        await storeRuns(trial, all);
        await works(() => deleteForRuns(trial, named(trial, "never")), "A run that has stored nothing is refused.");
        same(await runsLeft(trial), all, "Checkpoints of another run are gone.");
      },

      "removes them in all namespaces and threads": async (trial) => {
        const [one = "", two = ""] = named(trial, "1", "2");
        for (const ns of ["", "child:1"]) {
          await storeFor(one, trial, { thread: trial.thread(), ns });
          await storeFor(two, trial, { thread: trial.thread(), ns });
        }
        await storeFor(one, trial, { thread: trial.thread("other") });
        await deleteForRuns(trial, [one]);
        for (const ns of ["", "child:1"])
          same(await runsLeft(trial, ns), [two], `In namespace "${ns}" something else is left.`);
        same(
          await trial.saver.getTuple(at({ thread: trial.thread("other") })),
          undefined,
          "In another thread, checkpoints of the run are left.",
        );
      },
    },
  };
}
