/** Stores a checkpoint, carries an effect out, asks for an approval and decides it, and writes a mark to its standard output before and after each. */
import { writeSync } from "node:fs";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { SlimSaver, decide, effect, ledgerOf, pendingApprovals, requestApproval } from "../../src/index.js";
import { LOOP, checkpointOf, thread } from "../checkpointer/checkpoints.js";

const { file } = JSON.parse(process.argv[2] ?? "{}") as { file: string };
const mark = (text: string): number => writeSync(1, `${text}\n`);

const saver = SlimSaver.fromConnString(file);
const checkpoint = checkpointOf({ a: 1 });
mark("CHECKPOINT BEGINS");
await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
mark("CHECKPOINT ENDS");

const pay = effect({
  name: "pay",
  key: ({ order }: { order: string }) => order,
  ledger: ledgerOf(saver),
  run: () => Promise.resolve(mark("OUTSIDE CALL")),
});
mark("EFFECT BEGINS");
await pay({ order: "7" });
mark("EFFECT ENDS");

const app = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("ask", async (_state, config) => {
    mark("QUESTION BEGINS");
    try {
      return { said: (await requestApproval({ action: "pay", args: { order: "8" } }, config)).type };
    } finally {
      mark("QUESTION IS ASKED");
    }
  })
  .addEdge(START, "ask")
  .compile({ checkpointer: saver });
await app.invoke({ said: "" }, { ...thread("asks"), durability: "sync" });
const [approval] = await pendingApprovals(ledgerOf(saver));
mark("DECISION BEGINS");
await decide(ledgerOf(saver), approval?.id ?? "", { type: "approve" }, { by: "ann" });
mark("DECISION ENDS");
await saver.close();
