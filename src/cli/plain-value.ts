import { BaseMessage } from "@langchain/core/messages";

/**
 * A value of a state as JSON that people and programs of any kind read: messages in LangChain's `{ type, data }`, maps
 * and sets as lists, dates in ISO 8601, bytes in Base64. It cannot all be turned back: a backup is a copy of the database.
 */
export function plainValue(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "object":
      return value === null ? null : plainObject(value);
    case "string":
    case "boolean":
      return value;
    default:
      return null;
  }
}

function plainObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (BaseMessage.isInstance(value)) return plainMessage(value);
  if (value instanceof Map || value instanceof Set) return Array.from(value as Iterable<unknown>, plainValue);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (value instanceof Error) return { name: value.name, message: value.message, ...plainRecord(value) };
  return plainRecord(value);
}

function plainMessage(message: BaseMessage): unknown {
  const { type, data } = message.toDict();
  return { type, data: plainRecord(data) };
}

function plainRecord(value: object): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && typeof item !== "function");
  return Object.fromEntries(entries.map(([key, item]) => [key, plainValue(item)]));
}
