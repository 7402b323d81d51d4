import { ToolMessage } from "@langchain/core/messages";
import { Command, isCommand } from "@langchain/langgraph";

/**
 * A recorded result, for the call that gets it now: a tool message inside it answers this call, also when it was made
 * for an earlier one with the same business key.
 */
export function answering(result: unknown, toolCallId: string | undefined): unknown {
  if (toolCallId === undefined) return result;
  if (ToolMessage.isInstance(result)) return bound(result, toolCallId);
  return isCommand(result) ? boundCommand(result, toolCallId) : result;
}

function bound(message: ToolMessage, toolCallId: string): ToolMessage {
  return message.tool_call_id === toolCallId ? message : copyOf(message, { tool_call_id: toolCallId });
}

function copyOf(message: ToolMessage, changes: { tool_call_id?: string; content?: string }): ToolMessage {
  const { content, tool_call_id, name, status, artifact, id, metadata } = message as Fields;
  const fields: Fields = { content, tool_call_id, name, status, artifact, id, metadata, ...changes };
  return new ToolMessage(fields as ConstructorParameters<typeof ToolMessage>[0] & object);
}

interface Fields {
  readonly content: unknown;
  readonly tool_call_id: string;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly artifact?: unknown;
  readonly id?: string | undefined;
  readonly metadata?: unknown;
}

function boundCommand(command: Command, toolCallId: string): Command {
  const update: unknown = command.update;
  const messages = (update as { messages?: unknown } | undefined)?.messages;
  if (!Array.isArray(messages)) return command;
  const answers = messages.filter((message) => ToolMessage.isInstance(message));
  if (answers.length !== 1 || answers[0]?.tool_call_id === toolCallId) return command;
  const rebound = messages.map((message: unknown) =>
    ToolMessage.isInstance(message) ? bound(message, toolCallId) : message,
  );
  const { graph, goto, resume } = command;
  return new Command({
    ...(goto === undefined ? {} : { goto }),
    update: { ...(update as object), messages: rebound },
    ...(graph === undefined ? {} : { graph }),
    ...(resume === undefined ? {} : { resume }),
  });
}

/** A model is told that other arguments ran than the ones it wrote, where its own message still shows those. */
export function withNote(result: unknown, args: unknown): unknown {
  const note = `[A reviewer changed the arguments of this call to ${JSON.stringify(args)}.]`;
  if (typeof result === "string") return `${result}\n\n${note}`;
  if (ToolMessage.isInstance(result) && typeof result.content === "string") {
    return copyOf(result, { content: `${result.content}\n\n${note}` });
  }
  if (Array.isArray(result) && result.length === 2 && typeof result[0] === "string") {
    return [`${result[0]}\n\n${note}`, result[1]];
  }
  return result;
}
