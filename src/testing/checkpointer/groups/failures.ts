import { START, StateGraph } from "@langchain/langgraph";
import { Annotation } from "@langchain/langgraph";
import { refusalOf, same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { LOOP, at, checkpointOf, idOf, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

const unreadable = () => ({
  get broken(): never {
    throw new TypeError("this value cannot be read");
  },
});

/** The rejections that nobody handled while `work` ran, and until those that it left behind have shown. */
async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await work();
    // Node reports them after the microtasks of a turn.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("unhandledRejection", note);
  }
  return unhandled;
}

const CLAIM = "A failure of put or putWrites leaves an unhandled rejection, which ends a Node process.";

const State = Annotation.Root({ value: Annotation<unknown>, after: Annotation<string> });

/** What happens when storing fails. */
export const failures: Group<Trial> = {
  title: "failures",
  checks: {
    "a put or putWrites that fails leaves no unhandled rejection": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      const unhandled = await unhandledDuring(async () => {
        const bad = checkpointOf({ a: unreadable() }, 2);
        await refusalOf(saver.put(at({ ...place, id: idOf(config) }), bad, LOOP, { a: 2 }));
        await refusalOf(saver.putWrites(config, [["a", unreadable()]], "task"));
        await refusalOf(saver.put({}, checkpointOf({}), LOOP, {}));
        await refusalOf(saver.putWrites({}, [["a", 1]], "task"));
      });
      same(unhandled, [], CLAIM);
    },

    "works on after a put that failed": async ({ saver, thread }) => {
      const place = { thread: thread() };
      const config = await store(saver, place, { a: 1 });
      await refusalOf(saver.put({}, checkpointOf({ a: 2 }, 2), LOOP, { a: 2 }));
      const next = checkpointOf({ a: "next" }, 3);
      const put = () => saver.put(at({ ...place, id: idOf(config) }), next, LOOP, { a: 3 });
      await works(put, "After a put that failed, the next one fails too.");
      same(
        (await read(saver, place)).checkpoint.channel_values,
        { a: "next" },
        "After a put that failed, the next one is not stored.",
      );
    },

    "a put without a thread_id is refused": async ({ saver }) => {
      const refusal = await refusalOf(saver.put({ configurable: {} }, checkpointOf({ a: 1 }), LOOP, { a: 1 }));
      same(
        refusal === undefined,
        false,
        "A checkpoint without a thread is stored where nobody finds it, instead of being refused.",
      );
    },

    "a graph's run can be gone on with after a state that could not be stored": async ({ saver, thread }) => {
      const app = new StateGraph(State)
        .addNode("fine", () => ({ value: "fine" }))
        .addNode("turn", ({ after }) => ({ value: after === "again" ? "fine again" : unreadable() }))
        .addEdge(START, "fine")
        .addEdge("fine", "turn")
        .compile({ checkpointer: saver });
      const config = { ...at({ thread: thread() }), durability: "sync" as const };
      const unhandled = await unhandledDuring(() => refusalOf(app.invoke({ after: "once" }, config)));
      same(unhandled, [], CLAIM);
      const again = () => app.invoke({ after: "again" }, config);
      const { value } = await works(
        again,
        "After a state that could not be stored, the thread cannot be used any more.",
      );
      same(value, "fine again", "After a state that could not be stored, the next run returns another state.");
    },
  },
};
