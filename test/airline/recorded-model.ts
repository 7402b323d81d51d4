import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { getConfig } from "@langchain/langgraph";
import type { Conversation, Recording } from "./recording.js";

/**
 * Says what was recorded in the conversation of its thread. Which line is next is read from the messages, so that a new
 * process goes on where the old one was.
 */
export class RecordedModel extends BaseChatModel {
  constructor(private readonly recording: Recording) {
    super({});
  }

  override _llmType(): string {
    return "recorded";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { id, lines } = conversationHere(this.recording);
    const line = lines[timesSpoken(messages)];
    if (line === undefined) throw new Error(`The model of ${id} has nothing more to say.`);
    const message = new AIMessage({ content: line.content, tool_calls: line.tool_calls ?? [] });
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }
}

/** The conversation of the thread that runs. */
export function conversationHere(recording: Recording): Conversation {
  return recording.conversation(String(getConfig().configurable?.thread_id));
}

export function timesSpoken(messages: readonly BaseMessage[]): number {
  return messages.filter(({ type }) => type === "ai").length;
}
