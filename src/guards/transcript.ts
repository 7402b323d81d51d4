/**
 * Reads messages as they come: LangChain's, or those of the chat-completions shape; whole, or with half of it missing.
 * What is not there is read as absent, and nothing here throws for it.
 */
import { parsedJson } from "./canonical-args.js";
import { shortName, token } from "./hash.js";

/** A message of a model's conversation, as far as it is read. */
export interface LooseMessage {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly status?: unknown;
  readonly tool_calls?: unknown;
  readonly invalid_tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
}

export type MessageKind = "human" | "ai" | "tool" | "other";

/** One call of a tool that a model asked for. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
  /** Why it could not be read, for a call whose arguments are no JSON. */
  readonly invalid?: string;
}

/** What came of a call. */
export interface Result {
  readonly callId: string;
  readonly name: string | undefined;
  readonly text: string;
  /** What the message itself says. */
  readonly failed: boolean;
  /** The content was taken away to save room: nothing is known of the outcome any more. */
  readonly cleared: boolean;
}

const KINDS: Readonly<Record<string, MessageKind>> = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  tool: "tool",
  function: "tool",
};

/** The name of messages of ours. */
export const GUARD_NAME = "loop_guard";
/** Where a message of ours says what it is. */
export const MARK = "waypoint_loop_guard";

export function kindOf(message: LooseMessage | null | undefined): MessageKind {
  const kind = message?.type ?? message?.role;
  return typeof kind === "string" && Object.hasOwn(KINDS, kind) ? (KINDS[kind] ?? "other") : "other";
}

/** Whether a person said something new; summaries and reminders in a person's place are none. */
export function isHumanTurn(message: LooseMessage): boolean {
  if (kindOf(message) !== "human" || message.name === GUARD_NAME) return false;
  const kwargs = recordOf(message.additional_kwargs);
  return kwargs.lc_source === undefined && kwargs[MARK] === undefined;
}

export function callsOf(message: LooseMessage): Call[] {
  return [
    ...listOf(message.tool_calls).map((call) => callOf(call)),
    ...listOf(message.invalid_tool_calls).map((call) => invalidCallOf(call)),
  ];
}

function callOf(raw: unknown): Call {
  const call = recordOf(raw);
  const inner = recordOf(call.function);
  const args = inner.arguments ?? call.args ?? call.arguments;
  const tool = textOr(call.name ?? inner.name, "");
  const id = textOr(call.id, "");
  if (typeof inner.arguments !== "string" || inner.arguments.trim() === "") return { id, tool, args };
  const parsed = parsedJson(inner.arguments);
  return parsed === undefined ? { id, tool, args, invalid: "the arguments are no JSON" } : { id, tool, args: parsed };
}

function invalidCallOf(raw: unknown): Call {
  const call = recordOf(raw);
  return {
    id: textOr(call.id, ""),
    tool: textOr(call.name, ""),
    args: call.args,
    invalid: textOr(call.error, "the arguments are no JSON"),
  };
}

export function resultOf(message: LooseMessage): Result {
  return {
    callId: textOr(message.tool_call_id, ""),
    name: typeof message.name === "string" ? message.name : undefined,
    text: withoutReminder(message),
    failed: message.status === "error",
    cleared: isCleared(message),
  };
}

/** The text of a message; what is no text is told apart by its content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return jsonOf(content);
  return content.map((block: unknown) => blockText(block)).join("\n");
}

function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  const { text } = recordOf(block);
  return typeof text === "string" ? text : `<${token(jsonOf(block))}>`;
}

/** A message's text without the reminder that we added; text of the tool that looks like one stays. */
function withoutReminder(message: LooseMessage): string {
  const ours = recordOf(message.additional_kwargs)[MARK];
  const text = textOf(message.content);
  if (typeof ours !== "string" || ours === "" || !text.endsWith(ours)) return text;
  return text.slice(0, -ours.length).replace(/\n+$/, "");
}

function isCleared(message: LooseMessage): boolean {
  const editing = recordOf(recordOf(message.response_metadata).context_editing);
  return editing.cleared === true || message.content === "[cleared]";
}

/** A name for a message: by its id, or else by what it says. */
export function identityOf(message: LooseMessage | null | undefined): string {
  const id = idOf(message);
  if (id !== undefined) return shortName(id);
  const text = textOf(message?.content);
  const calls = listOf(message?.tool_calls)
    .map((call) => textOr(recordOf(call).id, ""))
    .join(",");
  return token(kindOf(message), textOr(message?.tool_call_id, ""), calls, String(text.length), text.slice(0, 512));
}

/** The id of a message, where it has one. */
export function idOf(message: LooseMessage | null | undefined): string | undefined {
  return typeof message?.id === "string" && message.id !== "" ? message.id : undefined;
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** A value as JSON; where it has none, a text that is not JSON. */
export function jsonOf(value: unknown): string {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? text : "";
  } catch {
    return "?";
  }
}
