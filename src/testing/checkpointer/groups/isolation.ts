import { refusalOf, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, idsOf, listed, read, store } from "../checkpoints.js";
import type { Place } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** Ids that something on the way to a disk or an index may take for one another. */
const ALIKE = [
  ...["a/b", "a_b", "a\\b", "a:b", "a|b", "A/B", "a/b ", " a/b", "a//b", "a/./b", "a/../a/b", "a%2Fb", "a/b\n"],
  ...["a", "a*", "%", "_", "?", "é", "e\u0301", "\u212B", "\u00C5", "ﬁ", "fi", "ı", "i", "\u{1F600}", "1", "01", "1.0"],
  ...["a'b", 'a"b', "a'; DROP TABLE checkpoints; --", "constructor", "undefined", "null"],
];

/** Stores the place's own name in each, and reads all of them again. */
async function apart(trial: Trial, places: readonly (Place & { readonly name: string })[]): Promise<void> {
  for (const { name, ...place } of places) {
    const stored = await store(trial.saver, place, { name });
    await trial.saver.putWrites(stored, [["name", name]], "task");
  }
  for (const { name, ...place } of places) {
    const { checkpoint, pendingWrites } = await read(trial.saver, place);
    const claim = `${JSON.stringify(name)} is taken for another id that looks like it.`;
    same(checkpoint.channel_values, { name }, claim);
    same(pendingWrites, [["task", "name", name]], claim);
    same((await idsOf(trial.saver, place)).length, 1, claim);
  }
}

/** What belongs to one thread or namespace is not found in another. */
export const isolation: Group<Trial> = {
  title: "isolation",
  checks: {
    "keeps threads apart whose ids look alike": async (trial) => {
      await apart(
        trial,
        ALIKE.map((name) => ({ thread: trial.thread(name), name })),
      );
    },

    "keeps namespaces apart whose names look alike": async (trial) => {
      await apart(
        trial,
        ["", ...ALIKE].map((name) => ({ thread: trial.thread(), ns: name && `${name}:1`, name })),
      );
    },

    "keeps thread and namespace apart when together they read the same": async (trial) => {
      const pairs = [
        ["a", "b:c"],
        ["a:b", "c"],
        ["a:b:c", ""],
        ["a", "b|c"],
        ["a|b", "c"],
      ] as const;
      await apart(
        trial,
        pairs.map(([name, ns]) => ({ thread: trial.thread(name), ns, name: `${name} ${ns}` })),
      );
    },

    "takes a NUL in a thread id for what it is, or refuses it": async ({ saver, thread }) => {
      const [plain, cut] = [thread("a"), thread("a\u0000b")];
      await store(saver, { thread: plain }, { who: "plain" });
      const refusal = await refusalOf(store(saver, { thread: cut }, { who: "cut" }));
      same(
        (await read(saver, { thread: plain })).checkpoint.channel_values,
        { who: "plain" },
        "A NUL cuts a thread id short.",
      );
      if (refusal !== undefined) return;
      same(
        (await read(saver, { thread: cut })).checkpoint.channel_values,
        { who: "cut" },
        "A NUL cuts a thread id short.",
      );
    },

    "lists one thread without those whose ids begin the same": async ({ saver, thread }) => {
      for (const name of ["a", "ab", "a%", "a_"]) await store(saver, { thread: thread(name) }, { name });
      const tuples = await listed(saver, at({ thread: thread("a") }));
      same(
        tuples.map(({ checkpoint }) => checkpoint.channel_values.name),
        ["a"],
        "A thread lists checkpoints of another one.",
      );
    },
  },
};
