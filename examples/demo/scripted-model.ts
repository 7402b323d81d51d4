import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Line } from "./conversation.js";

/**
 * Stands in for a chat model, so that the demo needs no key and no network. Which line comes next is read from the
 * messages (how often the model has spoken), so that a new process goes on where a killed one was.
 */
export class ScriptedModel extends BaseChatModel {
  /** @param scriptFor the lines for a conversation, found by its opening words */
  constructor(private readonly scriptFor: (opening: string) => readonly Line[]) {
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
    const opening = messages.find((message) => message.type === "human")?.text ?? "";
    const line = this.scriptFor(opening)[spoken];
    if (line === undefined) throw new Error(`The script for "${opening}" has no line ${spoken}.`);
    const { text = "", calls = [] } = line;
    const tool_calls = calls.map((call, index) => ({ ...call, id: `call_${spoken}_${index}` }));
    const message = new AIMessage({ content: text, tool_calls });
    return Promise.resolve({ generations: [{ message, text }] });
  }
}
