import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { openThread } from "../../../bench/growth/graph.js";
import { messageTexts } from "../../../bench/growth/text.js";
import { aes256gcm, fileObjects, slim } from "../../../src/checkpointer/index.js";
import { DecryptionError } from "../../../src/store/errors.js";
import { temporaryFolder } from "../harness.js";
import { CountedObjects, longText, sqlite, store, tupleOf, valuesOf } from "./harness.js";

const talk = (length: number): BaseMessage[] =>
  Array.from({ length }, (_, at) => new HumanMessage({ content: longText(at, 900), id: `message-${at}` }));

const sizeOf = (path: string): number => statSync(path).size;

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("what goes where", () => {
  it(
    "60 turns of a ReAct loop: both places grow with the text, and not with its square",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, "agent.db");
      const inner = sqlite(file);
      const turns = 60;
      const texts = messageTexts("words", 11, turns * 4)[Symbol.iterator]();
      const say = (): string => texts.next().value!;
      const thread = openThread(slim(inner, { objects: fileObjects(join(folder, "objects")) }), "annotation", say);
      const sizes: { inner: number; objects: number }[] = [];
      for (let turn = 1; turn <= turns; turn += 1) {
        await thread.turn(say());
        if (turn % 20 !== 0) continue;
        inner.db.pragma("wal_checkpoint(TRUNCATE)");
        const objects = filesIn(join(folder, "objects")).map(sizeOf);
        sizes.push({ inner: sizeOf(file), objects: objects.reduce((sum, size) => sum + size, 0) });
      }
      expect(await thread.messageCount()).toBe(turns * 4);
      const [first, second, last] = sizes as [(typeof sizes)[0], (typeof sizes)[0], (typeof sizes)[0]];
      const text = turns * 5000;
      expect(last.inner / text).toBeLessThan(2.5);
      expect(last.objects / text).toBeLessThan(0.9);
      expect((last.inner - second.inner) / (second.inner - first.inner)).toBeLessThan(1.15);
      expect((last.objects - second.objects) / (second.objects - first.objects)).toBeLessThan(1.15);
      expect(filesIn(join(folder, "objects")).length).toBeLessThan(turns * 5);
    },
  );

  it("one more message in a long list stores the message, and a page when one is full", async () => {
    const objects = new CountedObjects();
    const wrapper = slim(sqlite(), { objects });
    const messages = talk(808);
    await store(wrapper, { messages });
    for (let more = 0; more < 8; more += 1) {
      const before = objects.puts.length;
      messages.push(new AIMessage({ content: longText(1000 + more, 900), id: `more-${more}` }));
      await store(wrapper, { messages });
      expect(objects.puts.length - before).toBeLessThanOrEqual(more === 7 ? 3 : 1);
    }
    expect(await valuesOf(wrapper)).toEqual({ messages });
  });

  it("a process that goes on stores nothing again that it has read", async () => {
    const objects = new CountedObjects();
    const inner = sqlite();
    await store(slim(inner, { objects }), { messages: talk(100), files: { "a.txt": longText(1, 20_000) } });
    const stored = objects.puts.length;
    const other = slim(inner, { objects });
    const { messages, files } = (await valuesOf(other)) as { messages: BaseMessage[]; files: unknown };
    await store(other, { messages: [...messages, new AIMessage("yes")], files });
    expect(objects.puts.length - stored).toBe(1);
  });

  it("what is at hand is not fetched again", async () => {
    const objects = new CountedObjects();
    const inner = sqlite();
    await store(slim(inner, { objects }), { messages: talk(50) });
    const other = slim(inner, { objects });
    await valuesOf(other);
    const fetched = objects.gets.length;
    await valuesOf(other);
    expect(objects.gets.length).toBe(fetched);
    expect(new Set(objects.gets).size).toBe(fetched);
  });

  it("a write and the channel that it becomes share one object, whatever id the message is given", async () => {
    const objects = new CountedObjects();
    const wrapper = slim(sqlite(), { objects });
    const config = await store(wrapper, { messages: [] });
    const message = new AIMessage(longText(6, 3000));
    await wrapper.putWrites(config, [["messages", [message]]], "task");
    const stored = objects.keys.length;
    message.id = "given-later";
    message.lc_kwargs.id = "given-later";
    await store(wrapper, { messages: [message] });
    expect([stored, objects.keys.length]).toEqual([1, 1]);
    expect(await valuesOf(wrapper)).toEqual({ messages: [message] });
  });

  it("the inner saver is asked in the order of the calls, however long an object takes", async () => {
    const objects = new CountedObjects();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const slow = {
      put: async (key: string, bytes: Uint8Array) => {
        if (objects.puts.length === 0) await held;
        await objects.put(key, bytes);
      },
      get: (key: string) => objects.get(key),
      delete: (key: string) => objects.delete(key),
      list: (prefix: string) => objects.list(prefix),
    };
    const inner = sqlite();
    const wrapper = slim(inner, { objects: slow });
    const config = await store(wrapper, { a: 1 });
    const first = wrapper.putWrites(config, [["a", longText(7)]], "task");
    const second = wrapper.deleteThread("t");
    const third = store(wrapper, { a: "begun anew" });
    letGo();
    await Promise.all([first, second, third]);
    const { checkpoint } = await tupleOf(wrapper);
    expect(checkpoint.channel_values).toEqual({ a: "begun anew" });
    expect(inner.db.prepare("SELECT count(*) c FROM writes").get()).toEqual({ c: 0 });
  });
});

describe("tenants and encryption", () => {
  const secret = "the secret of the house";
  const encryption = aes256gcm(new Uint8Array(32).fill(7));

  it("two tenants share no object", async () => {
    const objects = new CountedObjects();
    for (const tenant of ["a", "b"]) await store(slim(sqlite(), { objects, tenant }), { text: longText(8) });
    expect(objects.keys).toHaveLength(2);
    expect(new Set(objects.keys.map((key) => key.slice(0, 32))).size).toBe(2);
    expect(new Set(objects.keys.map((key) => key.slice(33))).size).toBe(2);
  });

  it("nothing of a value stands in the clear, and a name tells nothing about its content", async () => {
    const folder = temporaryFolder();
    const inner = sqlite();
    const values = { small: secret, large: secret.repeat(200), number: 4711, nothing: null };
    const wrapper = slim(inner, { objects: fileObjects(folder), encryption });
    const config = await store(wrapper, values);
    await wrapper.putWrites(config, [["small", secret]], "task");
    const rows = JSON.stringify(inner.db.prepare("SELECT CAST(checkpoint AS TEXT) c FROM checkpoints").all());
    const writes = JSON.stringify(inner.db.prepare("SELECT CAST(value AS TEXT) v FROM writes").all());
    expect(rows + writes).not.toMatch(/secret|4711/);
    const plain = new CountedObjects();
    await store(slim(sqlite(), { objects: plain }), values);
    expect(filesIn(folder).join()).not.toContain(plain.keys[0]!.slice(35));
    expect(await valuesOf(slim(inner, { objects: fileObjects(folder), encryption }))).toEqual(values);
  });

  it("what is not sealed is refused, and so is what was sealed for another thread", async () => {
    const objects = new CountedObjects();
    const inner = sqlite();
    await store(inner, { plain: "anybody's" }, { name: "plain" });
    await store(slim(inner, { objects }), { plain: "anybody's" }, { name: "stub" });
    const wrapper = slim(inner, { objects, encryption });
    await store(wrapper, { a: secret }, { name: "mine" });
    inner.db.exec(
      "INSERT INTO checkpoints SELECT 'yours', checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE thread_id = 'mine'",
    );
    for (const name of ["plain", "stub", "yours"])
      await expect(valuesOf(wrapper, name)).rejects.toThrow(DecryptionError);
    await expect(valuesOf(slim(inner, { objects }), "mine")).rejects.toThrow(DecryptionError);
    const otherKey = slim(inner, { objects, encryption: aes256gcm(new Uint8Array(32)) });
    await expect(valuesOf(otherKey, "mine")).rejects.toThrow(DecryptionError);
    expect(await valuesOf(wrapper, "mine")).toEqual({ a: secret });
  });
});
