import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** What the model says next; undefined for a last word. */
export type Plan = (spoken: number, messages: readonly BaseMessage[]) => { name: string; args?: object } | undefined;

/** A chat model that calls tools as planned, each call with an id of its own, and keeps every request that it got. */
export class LoopingModel extends BaseChatModel {
  readonly requests: BaseMessage[][] = [];
  /** So many calls fail first. */
  failures = 0;

  constructor(private readonly plan: Plan) {
    super({});
  }

  override _llmType(): string {
    return "looping";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.requests.push(messages);
    if (this.failures > 0) {
      this.failures -= 1;
      return Promise.reject(new Error("the model is busy"));
    }
    const spoken = this.requests.length;
    const call = this.plan(spoken, messages);
    const calls = call === undefined ? [] : [{ name: call.name, args: { ...call.args }, id: `c${spoken}` }];
    const message = new AIMessage({ content: call === undefined ? "Done." : "", tool_calls: calls });
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }

  /** For each request, how many reminders it had. */
  reminders(): number[] {
    return this.requests.map((messages) => messages.filter(({ text }) => text.includes("<system-reminder>")).length);
  }
}
