import type { BaseMessage } from "@langchain/core/messages";

/** What the model said last. */
export function lastWords(values: Readonly<Record<string, unknown>>): string {
  const { messages = [] } = values as { messages?: BaseMessage[] };
  return messages.findLast((message) => message.type === "ai")?.text ?? "";
}
