import type { RunnableConfig } from "@langchain/core/runnables";
import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { holds, refusalOf, same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { FORK, LOOP, at, chain, checkpointOf, idOf, idsOf, read, store } from "../checkpoints.js";
import { GRAPHS } from "../graphs.js";
import type { Observe } from "../graphs.js";
import type { Trial } from "../trial.js";

type Check = Group<Trial>["checks"][string];

const question = (saver: BaseCheckpointSaver, observe: Observe = () => undefined) =>
  GRAPHS.question(observe).compile({ checkpointer: saver });

/** Holds runs in the node that asks until all of them stand there, or one has ended. */
function gate(runs: number): { observe: Observe; open: () => void } {
  let arrived = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const observe = async (node: string): Promise<void> => {
    if (node !== "ask") return;
    arrived += 1;
    if (arrived === runs) open();
    await opened;
  };
  return { observe, open };
}

/** Each answers the question that the thread asks; none is done before all have read it. */
async function answerAtOnce(
  savers: readonly BaseCheckpointSaver[],
  config: RunnableConfig & { durability: "sync" | "async" | "exit" },
): Promise<PromiseSettledResult<{ log: string[] }>[]> {
  const { observe, open } = gate(savers.length);
  return Promise.allSettled(
    savers.map((saver, index) =>
      question(saver, observe)
        .invoke(new Command({ resume: `answer ${index}` }), config)
        .finally(open),
    ),
  );
}

/** Both see the same question, and both answer. */
function oneAdvances(durability: "sync" | "async" | "exit"): Check {
  return async (trial) => {
    const config = { ...at({ thread: trial.thread() }), durability };
    const savers = [trial.saver, await trial.second()];
    await question(trial.saver).invoke({ log: [] }, config);
    const runs = await answerAtOnce(savers, config);
    const winners = runs.flatMap((run) => (run.status === "fulfilled" ? [run.value.log] : []));
    same(
      winners.length,
      1,
      "Two runs answered one question at once. Exactly one may succeed; the other has to get an error.",
    );
    const state = await question(trial.saver).getState(config);
    same(state.values, { log: winners[0] }, "The thread is not where the run that succeeded has left it.");
  };
}

/** For checkpointers that claim `ownership`: of two runs that continue one checkpoint, exactly one advances. */
export const ownership: Group<Trial> = {
  title: "two runs on one thread",
  checks: {
    "a checkpoint that continues one which is no longer the newest is refused, and leaves nothing behind": async (
      trial,
    ) => {
      const place = { thread: trial.thread() };
      const [base] = await chain(trial.saver, place, 1);
      const winner = idOf(await store(trial.saver, { ...place, id: base }, { a: "winner" }, { version: 2 }));
      const loser = checkpointOf({ a: "loser" }, 2);
      const other = await trial.second();
      const refusal = await refusalOf(other.put(at({ ...place, id: base }), loser, LOOP, loser.channel_versions));
      holds(
        refusal !== undefined,
        "A checkpoint of a run that was overtaken is stored: the thread has forked, and nobody knows.",
      );
      const { checkpoint } = await read(trial.saver, place);
      same(
        [checkpoint.id, checkpoint.channel_values],
        [winner, { a: "winner" }],
        "The run that was refused has moved the thread.",
      );
      same(
        await other.getTuple(at({ ...place, id: loser.id })),
        undefined,
        "A part of a refused checkpoint is stored.",
      );
      same((await idsOf(trial.saver, place)).length, 2, "A refused checkpoint is listed.");
    },

    ...Object.fromEntries(
      (["sync", "async", "exit"] as const).map((durability) => [
        `of two answers to one question at once, exactly one is taken: durability "${durability}"`,
        oneAdvances(durability),
      ]),
    ),

    "namespaces are owned each for itself": async (trial) => {
      const place = { thread: trial.thread(), ns: "node:1" };
      const [base] = await chain(trial.saver, place, 1);
      await chain(trial.saver, { thread: trial.thread() }, 2);
      await works(
        () => store(trial.saver, { ...place, id: base }, { a: 1 }, { version: 2 }),
        "A checkpoint is refused because another namespace of the thread has moved on.",
      );
      const refusal = await refusalOf(store(trial.saver, { ...place, id: base }, { a: 2 }, { version: 2 }));
      holds(refusal !== undefined, "In a nested namespace, a checkpoint of a run that was overtaken is stored.");
    },

    "forks and updates of the state are no conflict": async (trial) => {
      const place = { thread: trial.thread() };
      const [base] = await chain(trial.saver, place, 3);
      for (const source of ["fork", "update"] as const) {
        await works(
          () =>
            store(trial.saver, { ...place, id: base }, { a: source }, { metadata: { ...FORK, source }, version: 4 }),
          `A checkpoint with the source "${source}" says that it does not continue the newest one, and is refused.`,
        );
      }
    },

    "after a run that was refused, the thread goes on": async (trial) => {
      const config = { ...at({ thread: trial.thread() }), durability: "sync" as const };
      const app = question(trial.saver);
      await app.invoke({ log: [] }, config);
      const rivals = [trial.saver, await trial.second()];
      await answerAtOnce(rivals, config);
      await works(
        () => app.invoke({ log: ["again"] }, config),
        "After two runs met on a thread, the thread cannot be run any more.",
      );
      const { log } = await app.invoke(new Command({ resume: "once more" }), config);
      same(
        log.slice(-4),
        ["again", "before", "ask: once more", "after"],
        "After two runs met on a thread, it returns another state.",
      );
    },
  },
};
