import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { refusalIn } from "./recording.js";
import type { Conversation } from "./recording.js";

/** What of a message has to be the same in every run: all but its id. */
export interface Said {
  readonly type: string;
  readonly content: unknown;
  readonly name?: string | undefined;
  readonly calls?:
    readonly { readonly id: string | undefined; readonly name: string; readonly args: unknown }[] | undefined;
  readonly answers?: string;
  readonly status?: string | undefined;
}

export function historyOf(messages: readonly BaseMessage[]): Said[] {
  return messages.map((message) => ({
    type: message.type,
    content: message.content,
    name: message.name,
    ...(AIMessage.isInstance(message) ? { calls: callsOf(message) } : {}),
    ...(ToolMessage.isInstance(message) ? { answers: message.tool_call_id, status: message.status } : {}),
  }));
}

function callsOf({ tool_calls = [] }: AIMessage): Said["calls"] {
  return tool_calls.map(({ id, name, args }) => ({ id, name, args }));
}

/** The history that the recording prescribes. langchain names the model, and adds a line of advice to a tool's error. */
export function recordedHistory({ speakers, userTurns, lines, calls }: Conversation): Said[] {
  const [turns, spoken, called] = [userTurns.values(), lines.values(), calls.values()];
  return speakers.map((speaker) => {
    if (speaker === "user") return { type: "human", content: turns.next().value };
    if (speaker === "assistant") return sayLine(spoken.next().value!);
    const { id, tool, answer } = called.next().value!;
    const refused = refusalIn(answer) !== undefined;
    const content = refused ? `${answer}\n Please fix your mistakes.` : answer;
    return { type: "tool", content, name: tool, answers: id, status: refused ? "error" : "success" };
  });
}

function sayLine(line: AIMessage): Said {
  return { type: "ai", content: line.content, name: "model", calls: callsOf(line) };
}
