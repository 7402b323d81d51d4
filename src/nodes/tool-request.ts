import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isCommand } from "@langchain/langgraph";
import { changesBy, refusalsIn, type CallVerdict } from "./call-verdict.js";
import { openCalls, withChangedCalls, type OpenCall } from "./tool-calls.js";
import type { ToolArgs } from "./tool-policy.js";

/** What a tool node is given, and the calls in it. */
export interface ToolRequest {
  readonly input: unknown;
  readonly calls: readonly OpenCall[];
  /** The model's message; undefined where a `Send` brought one call. */
  readonly message: AIMessage | undefined;
  /** Whether the state has the message under its id, so that a changed one takes its place. */
  readonly replaceable: boolean;
}

/** What is left to do once everything is decided. */
export interface CarriedOut {
  /** For the tools; undefined when none is to run. */
  readonly input: unknown;
  /** What the state gets beside the results: the model's message as it was changed, and refusals. */
  readonly extra: readonly BaseMessage[];
  /** Arguments that a person changed, by call id, where the model's own message cannot say so. */
  readonly notes: ReadonlyMap<string, ToolArgs>;
}

interface SendInput {
  readonly lg_tool_call: ToolCall;
}

/** @param sent whether a `Send` brought the input */
export function requestIn(input: unknown, sent: boolean): ToolRequest {
  if (isSendInput(input)) {
    const call = input.lg_tool_call;
    return { input, calls: [{ index: 0, call, id: call.id ?? "call_0" }], message: undefined, replaceable: false };
  }
  const open = openCalls(messagesOf(input));
  if (open === undefined) return { input, calls: [], message: undefined, replaceable: false };
  const { message, calls } = open;
  // What a Send brought need not be the message that the state has under this id.
  const replaceable = message.id !== undefined && !sent;
  return { input, message, replaceable, calls: replaceable ? calls : calls.map(asWritten) };
}

/** Where the message stays as it is, a call answers to the id that it has there. */
function asWritten(open: OpenCall): OpenCall {
  return { ...open, id: open.call.id ?? open.id };
}

/** What the decisions make of a request. */
export function carriedOut(request: ToolRequest, verdicts: readonly CallVerdict[]): CarriedOut {
  const { message, calls, replaceable } = request;
  const refusals = refusalsIn(verdicts);
  const changes = changesBy(verdicts, calls);
  const notes = new Map(replaceable ? [] : changes.map(({ id, args }) => [id, args] as const));
  if (message === undefined) return { input: sentOn(request, verdicts), extra: refusals, notes };
  if (changes.length === 0 && refusals.length === 0) return { input: request.input, extra: [], notes };
  const changed = changes.length === 0 ? message : withChangedCalls(message, changes);
  const messages = messagesOf(request.input).map((before) => (before === message ? changed : before));
  const input = withMessagesOf(request.input, [...messages, ...refusals]);
  return { input, extra: [...(replaceable && changed !== message ? [changed] : []), ...refusals], notes };
}

function sentOn({ input }: ToolRequest, [verdict]: readonly CallVerdict[]): unknown {
  if (verdict === undefined || !isSendInput(input)) return input;
  return "run" in verdict ? { ...input, lg_tool_call: { ...input.lg_tool_call, args: verdict.run } } : undefined;
}

/** What the node returns: results, in whichever shape ToolNode gives them, after what else the state gets. */
export function withMessages(results: unknown, extra: readonly BaseMessage[], input: unknown): unknown {
  const asState = !Array.isArray(input);
  if (!Array.isArray(results)) {
    const { messages } = results as { messages: readonly BaseMessage[] };
    return extra.length === 0 ? results : { messages: [...extra, ...messages] };
  }
  // With a Command among them, ToolNode returns one update for each result.
  if (results.some((result) => isCommand(result)) && extra.length > 0) {
    return [asState ? { messages: extra } : extra, ...(results as unknown[])];
  }
  if (asState && results.length === 0) return { messages: extra };
  return asState || results.some((result) => isCommand(result)) ? results : [...extra, ...(results as unknown[])];
}

function messagesOf(input: unknown): readonly BaseMessage[] {
  if (Array.isArray(input)) return input as BaseMessage[];
  const { messages } = (input ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? (messages as BaseMessage[]) : [];
}

function withMessagesOf(input: unknown, messages: readonly BaseMessage[]): unknown {
  return Array.isArray(input) ? messages : { ...(input as object), messages };
}

function isSendInput(input: unknown): input is SendInput {
  return typeof input === "object" && input !== null && "lg_tool_call" in input;
}
