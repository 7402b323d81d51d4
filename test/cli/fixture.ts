import { HumanMessage } from "@langchain/core/messages";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { effect, requestApproval, resume, unknown } from "../../src/nodes/index.js";

/** Clears the screen, turns the reading direction, forges a line. */
export const EVIL = "\u001b[2J\u202E\u009b31m\nstate done\u0007";
/** A value that may not be seen by default. */
export const SECRET = "4111-1111";

export const THREADS = { waiting: "waiting", unknown: "unknown", question: `asks ${EVIL}`, failed: "failed" } as const;

/** A graph of one node for each thread of the tests. */
function graphOf(checkpointer: SlimSaver) {
  const charge = effect({
    name: "charge",
    key: ({ card }: { card: string }) => `${card} ${EVIL}`,
    run: () => Promise.reject(Object.assign(new Error(`no answer for ${SECRET} ${EVIL}`), { code: "ECONNRESET" })),
    lookup: async () => unknown(`nobody answers ${EVIL}`),
  });
  const nodes = {
    async waiting() {
      await requestApproval({ action: "refund", args: { card: SECRET, note: EVIL }, summary: `For ${SECRET} ${EVIL}` });
      return {};
    },
    async unknown() {
      await charge({ card: SECRET });
      return {};
    },
    question() {
      interrupt(`Whose card is ${SECRET}? ${EVIL}`);
      return {};
    },
    failed() {
      throw new Error(`${SECRET} is no card ${EVIL}`);
    },
  };
  const compiled = (name: string, node: () => object) =>
    new StateGraph(MessagesAnnotation).addNode(name, node).addEdge(START, name).compile({ checkpointer });
  return {
    waiting: compiled("waiting", nodes.waiting),
    unknown: compiled("unknown", nodes.unknown),
    question: compiled("question", nodes.question),
    failed: compiled("failed", nodes.failed),
  };
}

/** A database with a thread for each way in which one can stand still, all of them hostile. */
export async function makeDatabase(file: string): Promise<void> {
  const checkpointer = SlimSaver.fromConnString(file);
  const graphs = graphOf(checkpointer);
  for (const [name, thread_id] of Object.entries(THREADS)) {
    const input = { messages: [new HumanMessage(`My card is ${SECRET} ${EVIL}`)] };
    await graphs[name as keyof typeof THREADS].invoke(input, { configurable: { thread_id } }).catch(() => undefined);
  }
  await checkpointer.close();
}

/** Continues a thread, as the user's program does after the command line has decided. */
export async function resumeThread(file: string, name: keyof typeof THREADS): Promise<string> {
  const checkpointer = SlimSaver.fromConnString(file);
  const { status } = await resume(graphOf(checkpointer)[name], { configurable: { thread_id: THREADS[name] } });
  await checkpointer.close();
  return status;
}
