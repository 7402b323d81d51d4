import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { FORK, at, chain, idOf, idsOf, listed, read, store } from "../checkpoints.js";
import { GRAPHS } from "../graphs.js";
import type { Trial } from "../trial.js";

/** Two instances over one storage. Needs `reopen`. */
export const secondInstance: Group<Trial> = {
  title: "a second instance over the same storage",
  checks: {
    "reads everything that the first has stored": async (trial) => {
      const place = { thread: trial.thread() };
      const values = {
        messages: [new HumanMessage({ id: "m", content: "hi" })],
        bytes: Uint8Array.from([0, 255]),
        n: 1,
      };
      const stored = await store(trial.saver, place, values);
      await trial.saver.putWrites(stored, [["n", { a: 2 }]], "task", "path");
      await store(trial.saver, { ...place, ns: "node:1" }, { nested: true });
      const second = await trial.reopen();
      for (const tuple of await listed(trial.saver, { configurable: { thread_id: place.thread } })) {
        same(
          await second.getTuple(tuple.config),
          tuple,
          "What one instance has stored, another one reads differently.",
        );
      }
    },

    "sees at once what the first stores, and the first what it stores": async (trial) => {
      const place = { thread: trial.thread() };
      const savers = [trial.saver, await trial.reopen()];
      let parent: string | undefined;
      for (let turn = 0; turn < 6; turn += 1) {
        const [writer, reader] = turn % 2 === 0 ? savers : [...savers].reverse();
        const stored = await store(writer ?? trial.saver, { ...place, id: parent }, { turn }, { version: turn + 1 });
        parent = idOf(stored);
        const { checkpoint } = await read(reader ?? trial.saver, place);
        same(checkpoint.channel_values, { turn }, "An instance reads a state that another one has moved on.");
      }
    },

    "gives back to each what it stored, when both continue one checkpoint": async (trial) => {
      const place = { thread: trial.thread() };
      const base = idOf(await store(trial.saver, place, { who: "base" }));
      const savers = [
        ["first", trial.saver],
        ["second", await trial.reopen()],
      ] as const;
      const stored = await Promise.all(
        savers.map(([who, saver]) => store(saver, { ...place, id: base }, { who }, { metadata: FORK, version: 2 })),
      );
      for (const [index, [who]] of savers.entries()) {
        const { checkpoint } = await read(trial.saver, { ...place, id: idOf(stored[index] ?? {}) });
        same(checkpoint.channel_values, { who }, "A checkpoint of one instance holds the values of another one's.");
      }
    },

    "goes on with a question that the first has asked": async (trial) => {
      const config = at({ thread: trial.thread() });
      const graph = GRAPHS.question(() => undefined);
      await graph.compile({ checkpointer: trial.saver }).invoke({ log: [] }, config);
      const second = await trial.reopen();
      const { log } = await graph.compile({ checkpointer: second }).invoke(new Command({ resume: "yes" }), config);
      same(log, ["before", "ask: yes", "after"], "A restarted process cannot go on with a question.");
      const first = await graph.compile({ checkpointer: trial.saver }).getState(config);
      same(first.values, { log }, "The first instance does not see how the second went on.");
    },

    "does not find a thread that the first has deleted": async (trial) => {
      const place = { thread: trial.thread() };
      const second = await trial.reopen();
      await chain(trial.saver, place, 2);
      same((await idsOf(second, place)).length, 2, "An instance does not list what another one has stored.");
      await trial.saver.deleteThread(place.thread);
      same(await second.getTuple(at(place)), undefined, "An instance finds a thread that another one has deleted.");
      same(await idsOf(second, place), [], "An instance lists a thread that another one has deleted.");
    },

    "stores again what the first has deleted": async (trial) => {
      const second = await trial.reopen();
      const values = () => ({
        text: "said, deleted and said again. ".repeat(100),
        list: Array.from({ length: 100 }, (_, n) => n),
      });
      await store(second, { thread: trial.thread("a") }, values());
      await trial.saver.deleteThread(trial.thread("a"));
      await store(second, { thread: trial.thread("b") }, values());
      const { checkpoint } = await read(trial.saver, { thread: trial.thread("b") });
      same(checkpoint.channel_values, values(), "An instance relies on something that another one has deleted.");
    },
  },
};
