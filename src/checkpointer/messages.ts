import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";

type Fields = Record<string, unknown>;
type MessageClass = new (fields: never) => BaseMessage;

/** The message classes that come back as themselves; a subclass of one comes back as that one. */
const CLASSES: Readonly<Record<string, MessageClass>> = {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
};

const BY_TYPE: Readonly<Record<string, string>> = {
  ai: "AIMessage",
  generic: "ChatMessage",
  function: "FunctionMessage",
  human: "HumanMessage",
  remove: "RemoveMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
};

/** Fields that may have been set on an instance after it was constructed, and so are missing from `lc_kwargs`. */
const LATE_FIELDS = [
  "content",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
  "role",
] as const;

export function isMessage(value: object): value is BaseMessage {
  return BaseMessage.isInstance(value);
}

/** The name under which a message's class is stored. */
export function messageClass(message: BaseMessage): string {
  const name = (message.constructor as { lc_name?: () => string }).lc_name?.() ?? "";
  return Object.hasOwn(CLASSES, name) ? name : (BY_TYPE[message.type] ?? "HumanMessage");
}

/** Stands for the `id` of a message that was constructed with it: where it stands among the fields, not what it is. */
const ID_PLACE = null;

/**
 * Visits what a message's constructor needs to make it anew, in order, without the value of its `id` (which is kept
 * beside the reference, so that the same message before and after the reducer gave it an id is one object). Reads the
 * instance, not what it was constructed from, so that later changes are seen. Stops when `visit` returns false.
 */
export function visitFields(message: BaseMessage, visit: (key: string, value: unknown) => boolean): boolean {
  const instance = message as unknown as Fields;
  const given = message.lc_kwargs;
  let idPending = false;
  for (const key in given) {
    const value: unknown = key in instance ? instance[key] : given[key];
    if (value === undefined) continue;
    if (key === "id") {
      idPending = true;
      continue;
    }
    if (idPending && !visit("id", ID_PLACE)) return false;
    idPending = false;
    if (!visit(key, value)) return false;
  }
  for (const key of LATE_FIELDS) {
    const value = instance[key];
    if (value !== undefined && !(key in given) && !visit(key, value)) return false;
  }
  return true;
}

export function messageFields(message: BaseMessage): Fields {
  const fields: Fields = {};
  visitFields(message, (key, value) => {
    fields[key] = value;
    return true;
  });
  return fields;
}

/** A new instance from fields that nobody else holds (constructors write into what they are given). */
export function makeMessage(className: string, fields: Fields, id: string | undefined): BaseMessage {
  const Class = CLASSES[className] ?? HumanMessage;
  if (id !== undefined) fields.id = id;
  else delete fields.id;
  return new Class(fields as never);
}
