import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** The newest message of the model, and its calls that no tool message answers yet. */
export interface OpenCalls {
  readonly message: AIMessage;
  readonly calls: readonly OpenCall[];
  /** How many calls of the message are answered already. */
  readonly answered: number;
}

export interface OpenCall {
  /** Its position in the message. */
  readonly index: number;
  readonly call: ToolCall;
  /** Free of the ids of earlier calls: models use one id twice in a thread. */
  readonly id: string;
}

/** What the model asked for last; undefined when it asked for nothing. */
export function openCalls(messages: readonly BaseMessage[]): OpenCalls | undefined {
  const at = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const message = messages[at];
  if (!AIMessage.isInstance(message) || !message.tool_calls?.length) return undefined;
  const answered = new Set(answeredIds(messages.slice(at + 1)));
  const used = new Set(answeredIds(messages.slice(0, at)));
  const calls: OpenCall[] = [];
  message.tool_calls.forEach((call, index) => {
    if (call.id !== undefined && answered.has(call.id)) return;
    const id = unused(call.id ?? `call_${index}`, used);
    used.add(id);
    calls.push({ index, call, id });
  });
  return { message, calls, answered: message.tool_calls.length - calls.length };
}

function answeredIds(messages: readonly BaseMessage[]): string[] {
  return messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.tool_call_id);
}

function unused(id: string, used: ReadonlySet<string>): string {
  if (!used.has(id)) return id;
  let number = 2;
  while (used.has(`${id}_${number}`)) number += 1;
  return `${id}_${number}`;
}

/** A change to one call of a message. */
export interface CallChange {
  readonly index: number;
  readonly id: string;
  readonly args: Record<string, unknown>;
}

/**
 * The message with some calls changed, wherever it states them: the provider's content blocks and raw calls as well, or
 * the model would read there what it did not get. It keeps its id, so that it replaces the original.
 */
export function withChangedCalls(message: AIMessage, changes: readonly CallChange[]): AIMessage {
  const before = message.tool_calls ?? [];
  const byIndex = new Map(changes.map((change) => [change.index, change]));
  const byOldId = new Map(changes.map((change) => [before[change.index]?.id, change]));
  const { content, additional_kwargs, response_metadata, invalid_tool_calls, id, name, usage_metadata } =
    message as Fields;
  const fields: Fields = {
    content: changedContent(content, byOldId),
    additional_kwargs: changedKwargs(additional_kwargs, byOldId),
    response_metadata,
    tool_calls: before.map((call, index) => changedCall(call, byIndex.get(index))),
    invalid_tool_calls,
    id,
    name,
    usage_metadata,
  };
  return new AIMessage(fields as ConstructorParameters<typeof AIMessage>[0]);
}

/** What a message of the model is made from. */
interface Fields {
  readonly content: AIMessage["content"];
  readonly additional_kwargs: Record<string, unknown>;
  readonly response_metadata: unknown;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  readonly invalid_tool_calls?: unknown;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly usage_metadata?: unknown;
}

type ById = ReadonlyMap<string | undefined, CallChange>;

function changedCall(call: ToolCall, change: CallChange | undefined): ToolCall {
  return change === undefined ? call : { ...call, id: change.id, args: change.args };
}

/** Anthropic says `tool_use` with `input`; langchain's standard blocks say `tool_call` with `args`. */
function changedContent(content: AIMessage["content"], changes: ById): AIMessage["content"] {
  if (!Array.isArray(content)) return content;
  return content.map((block) => {
    const change = changes.get(typeof block.id === "string" ? block.id : undefined);
    if (change === undefined) return block;
    if (block.type === "tool_use") return { ...block, id: change.id, input: change.args };
    return block.type === "tool_call" ? { ...block, id: change.id, args: change.args } : block;
  });
}

interface RawCall {
  readonly id?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** OpenAI's raw calls hold the arguments as text. */
function changedKwargs(kwargs: Record<string, unknown>, changes: ById): Record<string, unknown> {
  const raw = kwargs.tool_calls;
  if (!Array.isArray(raw)) return kwargs;
  const calls = (raw as RawCall[]).map((call) => {
    const change = changes.get(call.id);
    if (change === undefined || call.function === undefined) return call;
    return { ...call, id: change.id, function: { ...call.function, arguments: JSON.stringify(change.args) } };
  });
  return { ...kwargs, tool_calls: calls };
}
