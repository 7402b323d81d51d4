import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { StructuredTool, ToolRunnableConfig } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, createMiddleware } from "langchain";
import type { AgentMiddleware } from "langchain";
import { z } from "zod";
import { RecordedModel, conversationHere, timesSpoken } from "./recorded-model.js";
import { refusalIn } from "./recording.js";
import type { RecordedCall, Recording } from "./recording.js";

/** Carries a recorded call out. */
export type Perform = (call: RecordedCall, args: Record<string, unknown>) => string;

export interface AgentParts {
  readonly checkpointer: BaseCheckpointSaver;
  readonly tools: StructuredTool[];
  readonly asking?: AgentMiddleware;
}

/** The airline's agent: its model says what was recorded, its tools answer what was recorded; a thread a conversation. */
export function airlineAgent(recording: Recording, { checkpointer, tools, asking }: AgentParts) {
  const end = endOfScript(recording);
  const model = new RecordedModel(recording);
  if (asking === undefined) return createAgent({ model, tools, middleware: [end], checkpointer });
  return createAgent({ model, tools, middleware: [asking, end], checkpointer });
}

export type AirlineAgent = ReturnType<typeof airlineAgent>;

/** The longest recorded turn takes more supersteps than LangGraph allows by default. */
export function threadOf(conversation: string) {
  return { configurable: { thread_id: conversation }, recursionLimit: 500 };
}

/** One tool for every name that was called. */
export function recordedTools(recording: Recording, perform: Perform = answerTo): StructuredTool[] {
  return [...new Set(recording.calls.map((call) => call.tool))].map((name) =>
    tool(
      (args: Record<string, unknown>, { toolCall }: ToolRunnableConfig) =>
        perform(recording.call(String(toolCall?.id)), args),
      {
        name,
        description: name,
        schema: z.looseObject({}),
      },
    ),
  );
}

/** What the recording says came back; a refusal is an error of the tool. */
export function answerTo({ answer }: RecordedCall): string {
  const refusal = refusalIn(answer);
  if (refusal === undefined) return answer;
  throw new Error(refusal);
}

/** Some recordings end with a tool's answer: the model is not asked for what it never said. */
function endOfScript(recording: Recording): AgentMiddleware {
  return createMiddleware({
    name: "EndOfScript",
    beforeModel: {
      canJumpTo: ["end"],
      hook: ({ messages }: { messages: BaseMessage[] }) =>
        timesSpoken(messages) < conversationHere(recording).lines.length ? undefined : { jumpTo: "end" as const },
    },
  });
}
