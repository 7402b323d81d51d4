import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, Checkpoint } from "@langchain/langgraph-checkpoint";
import { CONTROL } from "../../../shared/langgraph.js";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, checkpointOf, idOf, listed, read } from "../checkpoints.js";
import type { Place } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** The first format in which sends stand in a channel, and not in the writes of the parent. */
const SENDS_IN_CHANNEL = 4;
const CLAIM = "Before format 4, what the parent's tasks wrote to the channel of sends is the channel's value.";

async function early(saver: BaseCheckpointSaver, place: Place, id?: string): Promise<RunnableConfig> {
  const checkpoint: Checkpoint = { ...checkpointOf({ a: 1 }), v: 1 };
  if (id !== undefined) checkpoint.id = id;
  return saver.put(at(place), checkpoint, LOOP, { a: 1 });
}

/** Checkpoints of before format 4, as threads that began long ago have them. */
export const earlySends: Group<Trial> = {
  title: "checkpoints of before format 4",
  checks: {
    "get the sends that the tasks of their parent wrote": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const parent = await early(saver, place);
      await saver.putWrites(
        parent,
        [
          [CONTROL.tasks, "one"],
          ["a", 2],
          [CONTROL.tasks, "two"],
        ],
        "task-1",
      );
      await saver.putWrites(parent, [[CONTROL.tasks, "three"]], "task-2");
      const child = await early(saver, { ...place, id: idOf(parent) });
      const sends = ["one", "two", "three"];
      same((await read(saver, { ...place, id: idOf(child) })).checkpoint.channel_values[CONTROL.tasks], sends, CLAIM);
      const [newest] = await listed(saver, at(place));
      same(newest?.checkpoint.channel_values[CONTROL.tasks], sends, `list: ${CLAIM}`);
    },

    "get no sends of another namespace": async ({ saver, thread }) => {
      const [root, nested] = [{ thread: thread() }, { thread: thread(), ns: "node:1" }];
      const parent = await early(saver, root);
      const other = await early(saver, nested, idOf(parent));
      await saver.putWrites(parent, [[CONTROL.tasks, "of the root"]], "task");
      await saver.putWrites(other, [[CONTROL.tasks, "of the subgraph"]], "task");
      const child = await early(saver, { ...root, id: idOf(parent) });
      const { checkpoint } = await read(saver, { ...root, id: idOf(child) });
      same(checkpoint.channel_values[CONTROL.tasks], ["of the root"], "Sends of another namespace are taken over.");
    },

    "of format 4 keep the channel as it was put": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const parent = await saver.put(at(place), { ...checkpointOf({ a: 1 }), v: SENDS_IN_CHANNEL }, LOOP, { a: 1 });
      await saver.putWrites(parent, [[CONTROL.tasks, "one"]], "task");
      const checkpoint = { ...checkpointOf({ a: 1 }), v: SENDS_IN_CHANNEL };
      await saver.put(at({ ...place, id: idOf(parent) }), checkpoint, LOOP, { a: 1 });
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      same(
        values,
        { a: 1 },
        "A checkpoint of format 4 has its sends in the channel; the parent's writes are not added.",
      );
    },
  },
};
