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
import { setOwn } from "./tree.js";

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
export const LATE_FIELDS = [
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

export type LateField = (typeof LATE_FIELDS)[number];

export function isMessage(value: object): value is BaseMessage {
  return BaseMessage.isInstance(value);
}

/** Whether messages of a class of this name come back as themselves. */
export function isMessageClass(name: string): boolean {
  return Object.hasOwn(CLASSES, name);
}

/** The name under which a message's class is stored. */
export function messageClass(message: BaseMessage): string {
  const name = (message.constructor as { lc_name?: () => string }).lc_name?.() ?? "";
  return Object.hasOwn(CLASSES, name) ? name : byType(message.type);
}

function byType(type: string): string {
  return (Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined) ?? "HumanMessage";
}

/**
 * What an instance holds under the name of a field. A message that was made from a spread of another one was given that
 * one's `lc_kwargs`, and holds its own under this name; read from the instance they would nest once more with each load.
 */
export function fieldOf(instance: Fields, given: Fields, key: string): unknown {
  const another = key === "lc_kwargs" || key in Object.prototype;
  return key in instance && !another ? instance[key] : given[key];
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
  const given = (instance.lc_kwargs ?? {}) as Fields;
  let idPending = false;
  for (const key in given) {
    const value = fieldOf(instance, given, key);
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
    setOwn(fields, key, value);
    return true;
  });
  return fields;
}

/** What any of the constructors is content with. */
const PLACEHOLDERS = { content: "", tool_call_id: "", role: "", name: "", id: "" } as const;

/**
 * A new instance. Fields that were set to something no constructor takes are put onto the instance as they were.
 *
 * @param copyFields makes fields that nobody else holds: constructors write into what they are given
 */
export function makeMessage(className: string, copyFields: () => Fields, id: string | undefined): BaseMessage {
  const Class = (Object.hasOwn(CLASSES, className) ? CLASSES[className] : undefined) ?? HumanMessage;
  try {
    return new Class(withId(copyFields(), id) as never);
  } catch {
    const made = new Class({ ...PLACEHOLDERS } as never);
    const given = withId(copyFields(), id);
    for (const key of LATE_FIELDS) if (key in made || key in given) (made as unknown as Fields)[key] = given[key];
    return Object.assign(made, { id, lc_kwargs: given });
  }
}

function withId(fields: Fields, id: string | undefined): Fields {
  if (id !== undefined) fields.id = id;
  else delete fields.id;
  return fields;
}
