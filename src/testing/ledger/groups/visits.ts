import { Annotation, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { deliverEvent } from "../../../nodes/deliver-event.js";
import { memo } from "../../../nodes/memo.js";
import { pendingWaits } from "../../../nodes/pending-waits.js";
import type { ResumableGraph } from "../../../nodes/resume.js";
import { sleepUntil } from "../../../nodes/sleep-until.js";
import { waitForEvent } from "../../../nodes/wait-for-event.js";
import { holds, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { begin, goOn } from "../graphs.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

const State = Annotation.Root({ value: Annotation<unknown> });

/** A graph of one node, on LangGraph's own saver: the ledger is all that this package brings. */
function graph(node: () => Promise<unknown>): ResumableGraph {
  return new StateGraph(State)
    .addNode("node", async () => ({ value: await node() }))
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() });
}

/** What a node gets back when it runs again from its first line. */
export const visits: Group<LedgerTrial> = {
  title: "nodes that run again",
  checks: {
    "an unknown outcome asks a person, and takes the answer": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream({ lost: 1 });
      const pay = paying(name("pay"), ledger, bank, { blind: true });
      const thread = name("t");
      const app = graph(async () => pay({ id: "1" }));
      await begin(app, thread);
      const { pending } = await goOn(app, thread);
      same(pending.length, 1, "Nobody is asked about an unknown outcome.");
      const { effects } = pending[0]?.value as { effects: { evidence: string[] }[] };
      const told = effects[0]?.evidence.some((text) => text.startsWith("attempt 1: ")) === true;
      holds(told, "Whoever is asked about an unknown outcome is not told of the attempt.");
      const answer = { as: "succeeded", by: "ada", evidence: "seen", result: "receipt" };
      const { status, values } = await goOn(app, thread, { [String(pending[0]?.interruptId)]: answer });
      same([status, values], ["finished", { value: "receipt" }], "The answer was not taken.");
      same(bank.calls.length, 1, "A call was repeated while a person was asked about it.");
    },

    "a memo is taken once, and is the same on every pass": async ({ name }) => {
      let taken = 0;
      const thread = name("t");
      const app = graph(async () => {
        const value = await memo("n", null, () => (taken += 1));
        return [value, interrupt<string, string>("go on?")];
      });
      await begin(app, thread);
      const [question] = (await goOn(app, thread)).pending;
      const { values } = await goOn(app, thread, { [String(question?.interruptId)]: "yes" });
      same([taken, values], [1, { value: [1, "yes"] }], "A memo was taken again by a later pass.");
    },

    "a sleep is due by the ledger's clock": async ({ name, clock }) => {
      const thread = name("t");
      const until = new Date(clock.now() + 3_600_000);
      const app = graph(async () => sleepUntil(until));
      await begin(app, thread);
      same((await goOn(app, thread)).status, "waiting", "A thread woke before it was due.");
      await clock.advance("1h");
      same((await goOn(app, thread)).status, "finished", "A thread that is due does not wake.");
    },

    "an event that comes before anybody waits for it is kept, and one that comes twice counts once": async ({
      ledger,
      name,
    }) => {
      const thread = name("t");
      const event = { threadId: thread, name: "paid", id: "1", payload: { cents: 5 } };
      await deliverEvent(ledger, event);
      await deliverEvent(ledger, event);
      const got = async (): Promise<unknown> => {
        const first = await waitForEvent("paid");
        return first.type === "event" ? first.payload : first.type;
      };
      const app = graph(async () => [await got(), await got()]);
      await begin(app, thread);
      const waits = await pendingWaits(ledger, { threadId: thread });
      same(waits.length, 1, "An early event was lost, or was taken for two.");
      await deliverEvent(ledger, { ...event, id: "2", payload: { cents: 6 } }, { app });
      const { status, values } = await goOn(app, thread);
      holds(status === "finished", "The event that it waited for did not wake the thread.");
      same(values, { value: [{ cents: 5 }, { cents: 6 }] }, "Events were not handed out in their order.");
    },
  },
};
