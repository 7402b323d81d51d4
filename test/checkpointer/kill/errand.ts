/** A graph with everything that is stored: tasks side by side, a subgraph, a question, an effect; and how it is driven. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, START, Send, StateGraph, interrupt } from "@langchain/langgraph";
import { SlimSaver, absent, effect, fileObjects, succeeded } from "../../../src/index.js";

export interface Errand {
  readonly folder: string;
  readonly durability: "async" | "sync";
  /** Whether everything that can lie outside the database does. */
  readonly roomy: boolean;
}

export const THREAD = { configurable: { thread_id: "t" } };

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
type Update = Partial<typeof State.State>;

/** The outside world: a line for each call that came, whoever made it and however often. */
export class Outside {
  private readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, "outside.txt");
  }

  get calls(): string[] {
    return existsSync(this.file) ? readFileSync(this.file, "utf8").trim().split("\n") : [];
  }

  call(key: string): string {
    appendFileSync(this.file, `${key}\n`);
    return `receipt for ${key}`;
  }
}

export function openErrand({ folder, roomy }: Pick<Errand, "folder" | "roomy">): SlimSaver {
  const options = roomy ? { objects: fileObjects(join(folder, "objects")), objectsAbove: 0 } : {};
  return SlimSaver.fromConnString(join(folder, "agent.db"), options);
}

function graph(saver: SlimSaver, outside: Outside) {
  const pay = effect({
    name: "pay",
    key: ({ order }: { order: string }) => order,
    run: (_args, { key }) => Promise.resolve(outside.call(key)),
    lookup: (_args, { key }) =>
      Promise.resolve(outside.calls.includes(key) ? succeeded(`receipt for ${key}`) : absent()),
  });
  const paying =
    (order: string) =>
    async (_state: unknown, config: RunnableConfig): Promise<Update> => ({
      log: [await pay({ order }, config)],
    });
  const inner = new StateGraph(State)
    .addNode("gather", () => ({ log: ["gathered".repeat(200)] }))
    .addNode("ask", () => ({ log: [`asked: ${interrupt<string, string>("go on?")}`] }))
    .addNode("pay", paying("inner"))
    .addEdge(START, "gather")
    .addEdge("gather", "ask")
    .addEdge("ask", "pay")
    .compile();
  return new StateGraph(State)
    .addNode("plan", () => ({ log: ["planned"] }))
    .addNode("work", ({ log }) => ({ log: [`worked on ${log.join()}`] }))
    .addNode("inner", inner)
    .addNode("pay", paying("outer"))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", () => ["x", "y", "z"].map((item) => new Send("work", { log: [item] })), ["work"])
    .addEdge("work", "inner")
    .addEdge("inner", "pay")
    .compile({ checkpointer: saver });
}

/** Brings the errand to its end from wherever it stands, as the store alone says. Resolves to the log. */
export async function carryOut(saver: SlimSaver, { folder, durability }: Errand): Promise<string[]> {
  const app = graph(saver, new Outside(folder));
  const config = { ...THREAD, durability };
  for (;;) {
    const position = await saver.position("t");
    const snapshot = await app.getState(THREAD);
    if (position?.state === "done") return (snapshot.values as typeof State.State).log;
    const asked = snapshot.tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id ?? ""));
    if (asked.length > 0) {
      await app.invoke(new Command({ resume: Object.fromEntries(asked.map((id) => [id, "yes"])) }), config);
    } else {
      await app.invoke(position === undefined ? { log: ["begun"] } : null, config);
    }
  }
}
