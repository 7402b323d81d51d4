import { HumanMessage } from "@langchain/core/messages";
import { Command, interrupt, isInterrupted } from "@langchain/langgraph";
import type { MessagesAnnotation } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { compileLoop, MESSAGES_A_TURN, threadOf } from "../growth/graph.js";
import type { MessagesChannel } from "../growth/graph.js";

type State = typeof MessagesAnnotation.State;

const CONFIG = { configurable: { thread_id: "resume" } };
const QUESTION = "Shall I look it up?";

/** Messages that are there when the last of `turns` turns asks: its tool and its last answer are missing. */
export function messagesBefore(turns: number): number {
  return turns * MESSAGES_A_TURN - 2;
}

/** A ReAct thread whose last turn waits for a person before the tool runs. */
export interface AskingThread {
  /** Runs all turns; the last one ends with the question. */
  run(turns: number): Promise<void>;
  /** Reads the state; how many messages there are, and what is asked. */
  state(): Promise<{ readonly messages: number; readonly asks: boolean }>;
  /** Answers, and runs the turn to its end; how many messages there are then. */
  resume(): Promise<number>;
}

export function openAskingThread(
  checkpointer: BaseCheckpointSaver,
  channel: MessagesChannel,
  say: () => string,
): AskingThread {
  let asks = false;
  const plain = threadOf(compileLoop(checkpointer, channel, say), CONFIG.configurable.thread_id);
  const asking = compileLoop(checkpointer, channel, say, () => {
    asks = interrupt<string, string>(QUESTION) !== "yes";
  });
  return {
    async run(turns) {
      for (let turn = 1; turn < turns; turn += 1) await plain.turn(say());
      const stopped = await asking.invoke({ messages: [new HumanMessage(say())] }, CONFIG);
      if (!isInterrupted(stopped)) throw new Error("The last turn does not ask.");
    },
    async state() {
      const state = await asking.getState(CONFIG);
      const { messages } = state.values as State;
      const questions = state.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as unknown));
      return { messages: messages.length, asks: questions.length === 1 && questions[0] === QUESTION };
    },
    async resume() {
      const { messages } = await asking.invoke(new Command({ resume: "yes" }), CONFIG);
      if (asks) throw new Error("The answer did not arrive.");
      return messages.length;
    },
  };
}
