import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/**
 * A chat model that says what it was told to, in order. Which line is next is read from the conversation (how many
 * times the model has spoken), so that a new process goes on where the old one was.
 */
export class ScriptedModel extends BaseChatModel {
  constructor(private readonly script: readonly AIMessage[]) {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const spoken = messages.filter((message) => message.type === "ai").length;
    const line = this.script[spoken];
    if (line === undefined) throw new Error(`The script has no line ${spoken}.`);
    const message = new AIMessage({ content: line.content, tool_calls: line.tool_calls ?? [] });
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }
}
