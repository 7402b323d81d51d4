import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CONTROL } from "../../../shared/langgraph.js";
import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, checkpointOf, idOf, listed, read, store } from "../checkpoints.js";
import type { Place } from "../checkpoints.js";
import type { Trial } from "../trial.js";

async function writesAt(saver: BaseCheckpointSaver, place: Place): Promise<unknown[]> {
  return (await read(saver, place)).pendingWrites ?? [];
}

/** Tasks whose order by path, task and index differs from the order of arrival, by UTF-16 and by any collation. */
const BY_PATH: readonly [path: string, task: string, values: string[]][] = [
  ["~~pull, \u{1F600}", "task-a", ["after every character of the base plane"]],
  ["~~pull, \uFFFD", "task-b", ["before the astral one"]],
  ["~~pull, é", "task-c", ["accented: after z"]],
  ["~~pull, z", "task-e", ["z, second task"]],
  ["~~pull, z", "task-d", ["z, first task"]],
  ["~~pull, a", "task-f", ["lower case: after upper"]],
  ["~~pull, Z", "task-g", ["upper case: before lower"]],
  ["", "task-z", ["no path: first", "and its second write"]],
];

/** Pending writes: what tasks wrote at a checkpoint. */
export const writes: Group<Trial> = {
  title: "putWrites",
  checks: {
    "keeps writes that arrive before their checkpoint": async ({ saver, thread }) => {
      const place = { thread: thread(), id: uuid6(0) };
      await works(
        () => saver.putWrites(at(place), [[CONTROL.interrupt, [{ value: "go on?" }]]], "task"),
        "LangGraph calls putWrites without waiting for put, so writes come before the checkpoint that they belong to.",
      );
      const checkpoint = { ...checkpointOf({ a: 1 }), id: place.id };
      await saver.put(at({ thread: place.thread }), checkpoint, LOOP, { a: 1 });
      const expected = [["task", CONTROL.interrupt, [{ value: "go on?" }]]];
      same(await writesAt(saver, place), expected, "A question that was written before its checkpoint is lost.");
      const [tuple] = await listed(saver, at({ thread: place.thread }));
      same(tuple?.pendingWrites, expected, "list does not show writes that came before their checkpoint.");
    },

    "gives writes back by task path, task and index, compared by code point": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      for (const [path, task, values] of BY_PATH) {
        await saver.putWrites(
          config,
          values.map((value) => ["a", value]),
          task,
          path,
        );
      }
      const expected = [...BY_PATH].reverse().flatMap(([, task, values]) => values.map((value) => [task, "a", value]));
      const claim = "pendingWrites must be ordered as compareWritesSortKeys of langgraph-checkpoint orders them.";
      same(await writesAt(saver, place), expected, claim);
      const [tuple] = await listed(saver, at(place));
      same(tuple?.pendingWrites, expected, `list: ${claim}`);
    },

    "orders the index as a number": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      const given = Array.from({ length: 12 }, (_, index): [string, unknown] => ["a", index]);
      await saver.putWrites(config, given, "task");
      const expected = given.map(([channel, value]) => ["task", channel, value]);
      same(await writesAt(saver, place), expected, "Write 10 of a task comes after write 9, not after write 1.");
    },

    "keeps the first of two regular writes of one task at one index": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      await saver.putWrites(config, [["a", "first"]], "task");
      await saver.putWrites(
        config,
        [
          ["a", "second"],
          ["b", "more"],
        ],
        "task",
      );
      const expected = [
        ["task", "a", "first"],
        ["task", "b", "more"],
      ];
      same(
        await writesAt(saver, place),
        expected,
        "A regular write that is stored stays; what a re-run brings beside it is added.",
      );
    },

    "stores writes that come twice once": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      for (let time = 0; time < 3; time += 1)
        await saver.putWrites(
          config,
          [
            ["a", { n: 1 }],
            ["b", "x"],
          ],
          "task",
          "path",
        );
      const expected = [
        ["task", "a", { n: 1 }],
        ["task", "b", "x"],
      ];
      same(await writesAt(saver, place), expected, "putWrites has to be idempotent: LangGraph repeats it.");
    },

    "replaces an error, a question and an answer by a later one": async ({ saver, thread }) => {
      for (const channel of [CONTROL.error, CONTROL.interrupt, CONTROL.resume]) {
        const place = { thread: thread(channel) };
        const config = await store(saver, place, { a: 1 });
        await saver.putWrites(config, [[channel, "old"]], "task");
        await saver.putWrites(config, [[channel, "new"]], "task");
        const expected = [["task", channel, "new"]];
        same(
          await writesAt(saver, place),
          expected,
          `A later write to the control channel ${channel} replaces the earlier one.`,
        );
      }
    },

    "counts the index of a regular write over control writes too": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      await saver.putWrites(
        config,
        [
          [CONTROL.error, "e"],
          ["a", "at index 1"],
        ],
        "task",
      );
      await saver.putWrites(config, [["a", "at index 0"]], "task");
      const expected = [
        ["task", CONTROL.error, "e"],
        ["task", "a", "at index 0"],
        ["task", "a", "at index 1"],
      ];
      same(
        await writesAt(saver, place),
        expected,
        "The index of a write is its position in the batch, whatever stands before it.",
      );
    },

    "does not replace a regular write that comes again beside a control write": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      await saver.putWrites(
        config,
        [
          [CONTROL.error, "e"],
          ["a", "first"],
        ],
        "task",
      );
      await saver.putWrites(
        config,
        [
          [CONTROL.error, "e"],
          ["a", "second"],
        ],
        "task",
      );
      const regular = (await writesAt(saver, place)).filter((write) => (write as string[])[1] === "a");
      same(regular, [["task", "a", "first"]], "A control write in the batch does not make regular writes replaceable.");
    },

    "keeps the writes of several tasks, namespaces and threads apart": async ({ saver, thread }) => {
      const [here, there] = [thread("here"), thread("there")];
      const id = uuid6(0);
      const places = [
        { thread: here, id },
        { thread: here, ns: "child:1", id },
        { thread: there, id },
      ];
      for (const [index, place] of places.entries()) {
        await saver.put(at({ ...place, id: undefined }), { ...checkpointOf({ a: 1 }), id }, LOOP, { a: 1 });
        await saver.putWrites(at(place), [["a", index]], "task");
        await saver.putWrites(at(place), [["a", `other ${index}`]], "task 2");
      }
      for (const [index, place] of places.entries()) {
        const expected = [
          ["task", "a", index],
          ["task 2", "a", `other ${index}`],
        ];
        same(await writesAt(saver, place), expected, "Writes are mixed up between tasks, namespaces or threads.");
      }
    },

    "starts a new checkpoint without the writes of the one before": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const first = await store(saver, place, { a: 1 });
      await saver.putWrites(first, [["a", 2]], "task");
      await store(saver, { ...place, id: idOf(first) }, { a: 2 }, { version: 2 });
      same(await writesAt(saver, place), [], "The newest checkpoint shows the writes of its parent.");
      same(await writesAt(saver, { ...place, id: idOf(first) }), [["task", "a", 2]], "The parent has lost its writes.");
    },

    "keeps all of 100 batches that arrive at once": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      const tasks = Array.from({ length: 100 }, (_, index) => `task-${String(index).padStart(3, "0")}`);
      await Promise.all(
        tasks.map((task) =>
          saver.putWrites(
            config,
            [
              ["a", task],
              ["b", [task]],
            ],
            task,
          ),
        ),
      );
      const expected = tasks.flatMap((task) => [
        [task, "a", task],
        [task, "b", [task]],
      ]);
      same(await writesAt(saver, place), expected, "Writes of tasks that end at the same time are lost.");
    },

    "takes a batch of no writes": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      await works(() => saver.putWrites(config, [], "task"), "A task may write nothing.");
      same(await writesAt(saver, place), [], "A batch of no writes leaves nothing behind.");
    },
  },
};
