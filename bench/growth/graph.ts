import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Human, AI with a tool call, tool, AI. */
export const MESSAGES_A_TURN = 4;

/** The thread that the growth benchmark runs. */
export const GROWTH_THREAD = "growth";

/** How LangGraph stores the message list: whole at every change, or as deltas with a snapshot now and then. */
export type MessagesChannel = "annotation" | "delta";

type State = typeof MessagesAnnotation.State;
type Update = typeof MessagesAnnotation.Update;

// Both have one channel, `messages`, with the same updates; only its storage differs.
const CHANNELS: Record<MessagesChannel, typeof MessagesAnnotation> = {
  annotation: MessagesAnnotation,
  delta: new StateSchema({ messages: MessagesDeltaValue }) as unknown as typeof MessagesAnnotation,
};

/** A thread of the workload: runs a turn, and counts the messages of its state. */
export interface Thread {
  turn(question: string): Promise<void>;
  messageCount(): Promise<number>;
}

export type Loop = ReturnType<typeof compileLoop>;

/**
 * The ReAct loop of the benchmarks; `say` gives the text of each message of the model and the tool, `beforeTool` runs
 * first whenever the tool does.
 */
export function compileLoop(
  checkpointer: BaseCheckpointSaver,
  channel: MessagesChannel,
  say: () => string,
  beforeTool: () => void = () => {},
) {
  return new StateGraph(CHANNELS[channel])
    .addNode("model", (state) => answer(state, say()))
    .addNode("tools", (state) => {
      beforeTool();
      return runTool(state, say());
    })
    .addEdge(START, "model")
    .addConditionalEdges("model", route, ["tools", END])
    .addEdge("tools", "model")
    .compile({ checkpointer });
}

/** One thread of the loop. */
export function openThread(
  checkpointer: BaseCheckpointSaver,
  channel: MessagesChannel,
  say: () => string,
  threadId = GROWTH_THREAD,
): Thread {
  return threadOf(compileLoop(checkpointer, channel, say), threadId);
}

/** One of the threads that a compiled loop works on. */
export function threadOf(app: Loop, threadId: string): Thread {
  const config = { configurable: { thread_id: threadId } };
  return {
    async turn(question) {
      await app.invoke({ messages: [new HumanMessage(question)] }, config);
    },
    async messageCount() {
      const state = await app.getState(config);
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
