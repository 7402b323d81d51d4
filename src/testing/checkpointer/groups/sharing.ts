import { AIMessage } from "@langchain/core/messages";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, checkpointOf, idOf, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

function state() {
  return {
    messages: Array.from(
      { length: 20 },
      (_, index) => new AIMessage({ id: `m${index}`, content: [{ type: "text", text: `${index}` }] }),
    ),
    files: { "a.txt": { lines: ["one"] } },
    bytes: Uint8Array.from([1, 2, 3]),
  };
}

/** Changes a state in every way that a node could. */
function spoil({ messages, files, bytes }: ReturnType<typeof state>): void {
  (messages[0]?.content as object[])[0] = { type: "text", text: "spoilt" };
  if (messages[1] !== undefined) messages[1].additional_kwargs.spoilt = true;
  messages.length = 2;
  files["a.txt"].lines.push("spoilt");
  Object.assign(files, { "b.txt": { lines: [] } });
  bytes[0] = 99;
}

/** Nothing is shared between the caller and what is stored. */
export const sharing: Group<Trial> = {
  title: "what is handed over",
  checks: {
    "can be changed after it was loaded, without a change to what is loaded next": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, state());
      await saver.putWrites(config, [["files", state().files]], "task");
      const before = JSON.stringify(await read(saver, place));
      const loaded = await read(saver, place);
      spoil(loaded.checkpoint.channel_values as ReturnType<typeof state>);
      ((loaded.pendingWrites?.[0]?.[2] ?? {}) as { extra?: boolean }).extra = true;
      loaded.checkpoint.channel_versions.files = 99;
      Object.assign(loaded.metadata ?? {}, { spoilt: true });
      same(
        JSON.stringify(await read(saver, place)),
        before,
        "What getTuple handed out is shared with what it hands out next.",
      );
    },

    "can be changed after it was put, without a change to what is stored": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const given = state();
      const checkpoint = checkpointOf(given);
      const metadata = { ...LOOP, parents: { "": "p" } };
      const write = { list: [1] };
      const config = await saver.put(at(place), checkpoint, metadata, checkpoint.channel_versions);
      await saver.putWrites(config, [["w", write]], "task");
      spoil(given);
      metadata.parents[""] = "spoilt";
      write.list.push(2);
      checkpoint.channel_versions.files = 99;
      const tuple = await read(saver, place);
      const { messages, files, bytes } = tuple.checkpoint.channel_values as ReturnType<typeof state>;
      const claim = "put keeps the caller's objects instead of what they held.";
      same(JSON.stringify(messages), JSON.stringify(state().messages), claim);
      same([files, [...bytes]], [state().files, [...state().bytes]], claim);
      same(tuple.checkpoint.channel_versions, { messages: 1, files: 1, bytes: 1 }, "put keeps the caller's versions.");
      same(tuple.metadata, { ...LOOP, parents: { "": "p" } }, "put keeps the caller's metadata.");
      same(tuple.pendingWrites, [["task", "w", { list: [1] }]], "putWrites keeps the caller's objects.");
    },

    "is not changed by being put": async ({ saver, thread }) => {
      const checkpoint = checkpointOf(state());
      const copy = (given: Checkpoint): string => JSON.stringify(given);
      const before = copy(checkpoint);
      await saver.put(at({ thread: thread() }), checkpoint, LOOP, checkpoint.channel_versions);
      same(copy(checkpoint), before, "put changes the checkpoint that it is given.");
    },

    "is stored as it is now, when a value was changed in place": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const files: Record<string, unknown> = { "a.txt": ["one"] };
      const first = checkpointOf({ files });
      await saver.put(at(place), first, LOOP, { files: 1 });
      files["b.txt"] = ["two"];
      const second = checkpointOf({ files }, 2);
      await saver.put(at({ ...place, id: first.id }), second, LOOP, { files: 2 });
      const at_ = async (id: string) => (await read(saver, { ...place, id })).checkpoint.channel_values.files;
      same(await at_(first.id), { "a.txt": ["one"] }, "A change to a value has reached an older checkpoint.");
      same(
        await at_(second.id),
        { "a.txt": ["one"], "b.txt": ["two"] },
        "A value that was changed in place is stored as it was before.",
      );
      same(idOf((await read(saver, place)).config), second.id, "The newest checkpoint is another one.");
    },
  },
};
