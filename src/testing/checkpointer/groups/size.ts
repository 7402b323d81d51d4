import { HumanMessage } from "@langchain/core/messages";
import { randomBytes } from "node:crypto";
import { holds, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { idOf, idsOf, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

const MB = 1024 * 1024;

/** Large values, and many of them. */
export const size: Group<Trial> = {
  title: "large states",
  patient: true,
  checks: {
    "keeps 5 MB of text, in a channel and in a write": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const text = randomBytes(2.5 * MB).toString("hex");
      const config = await store(saver, place, { text, beside: 1 });
      await saver.putWrites(config, [["text", text]], "task");
      const { checkpoint, pendingWrites } = await read(saver, place);
      holds(checkpoint.channel_values.text === text, "5 MB of text in a channel come back changed.");
      holds(pendingWrites?.[0]?.[2] === text, "5 MB of text in a write come back changed.");
      same(checkpoint.channel_values.beside, 1, "A channel beside 5 MB of text is changed.");
    },

    "keeps 1 MB of bytes": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const bytes = new Uint8Array(randomBytes(MB));
      await store(saver, place, { bytes });
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      const back = values.bytes;
      holds(back instanceof Uint8Array && Buffer.compare(back, bytes) === 0, "1 MB of bytes comes back changed.");
    },

    "keeps 5,000 messages, and one more after that": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const messages = Array.from(
        { length: 5000 },
        (_, index) => new HumanMessage({ id: `m${index}`, content: `message ${index}` }),
      );
      const first = await store(saver, place, { messages });
      await store(
        saver,
        { ...place, id: idOf(first) },
        { messages: [...messages, new HumanMessage({ id: "last", content: "last" })] },
        { version: 2 },
      );
      const back = (await read(saver, place)).checkpoint.channel_values.messages as HumanMessage[];
      same(
        [back.length, back[4999]?.id, back[5000]?.id],
        [5001, "m4999", "last"],
        "A long list of messages comes back changed.",
      );
      const older = (await read(saver, { ...place, id: idOf(first) })).checkpoint.channel_values
        .messages as HumanMessage[];
      same(
        [older.length, older.at(-1)?.text],
        [5000, "message 4999"],
        "The older checkpoint of a long list is changed.",
      );
    },

    "keeps a record of 5,000 keys and a state of 300 channels": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const record = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key ${index}`, { index }]));
      const channels = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`channel ${index}`, index]));
      await store(saver, place, { ...channels, record });
      const { channel_values: values } = (await read(saver, place)).checkpoint;
      same(values, { ...channels, record }, "A wide state comes back changed.");
    },

    "lists 200 checkpoints, each once": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const ids: string[] = [];
      for (let step = 0; step < 200; step += 1) {
        ids.push(idOf(await store(saver, { ...place, id: ids.at(-1) }, { step }, { version: step + 1 })));
      }
      same(
        await idsOf(saver, place),
        ids.reverse(),
        "A long history is listed with checkpoints missing, twice or in another order.",
      );
    },
  },
};
