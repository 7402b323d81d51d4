import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Human, AI with a tool call, tool, AI. */
export const MESSAGES_A_TURN = 4;

/** How LangGraph stores the message list: whole at every change, or as deltas with a snapshot now and then. */
export type MessagesChannel = "annotation" | "delta";

type State = typeof MessagesAnnotation.State;
type Update = typeof MessagesAnnotation.Update;

// Both have one channel, `messages`, with the same updates; only its storage differs.
const CHANNELS: Record<MessagesChannel, typeof MessagesAnnotation> = {
  annotation: MessagesAnnotation,
  delta: new StateSchema({ messages: MessagesDeltaValue }) as unknown as typeof MessagesAnnotation,
};

const CONFIG = { configurable: { thread_id: "growth" } };

/** A thread of the workload: runs a turn, and counts the messages of its state. */
export interface Thread {
  turn(question: string): Promise<void>;
  messageCount(): Promise<number>;
}

/** The ReAct loop of the growth benchmark; `say` gives the text of each message of the model and the tool. */
export function openThread(checkpointer: BaseCheckpointSaver, channel: MessagesChannel, say: () => string): Thread {
  const app = new StateGraph(CHANNELS[channel])
    .addNode("model", (state) => answer(state, say()))
    .addNode("tools", (state) => runTool(state, say()))
    .addEdge(START, "model")
    .addConditionalEdges("model", route, ["tools", END])
    .addEdge("tools", "model")
    .compile({ checkpointer });
  return {
    async turn(question) {
      await app.invoke({ messages: [new HumanMessage(question)] }, CONFIG);
    },
    async messageCount() {
      const state = await app.getState(CONFIG);
      return (state.values as Partial<State>).messages?.length ?? 0;
    },
  };
}

/** Calls the tool after a question, and answers after the tool. */
function answer({ messages }: State, text: string): Update {
  if (!HumanMessage.isInstance(messages.at(-1))) return { messages: [new AIMessage(text)] };
  const call = { name: "look_up", args: { query: messages.length }, id: `call_${messages.length}` };
  return { messages: [new AIMessage({ content: text, tool_calls: [call] })] };
}

function runTool({ messages }: State, text: string): Update {
  const call = callsOf(messages.at(-1))[0]!;
  return { messages: [new ToolMessage({ content: text, name: call.name, tool_call_id: call.id! })] };
}

function route({ messages }: State): "tools" | typeof END {
  return callsOf(messages.at(-1)).length > 0 ? "tools" : END;
}

function callsOf(message: BaseMessage | undefined): NonNullable<AIMessage["tool_calls"]> {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
}
