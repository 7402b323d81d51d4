import { Document } from "@langchain/core/documents";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { isRecord } from "./input.js";
import { makeError, makeRegexp } from "./leaf-values.js";
import { isMessageClass, makeMessage } from "./messages.js";
import { setOwn } from "./tree.js";

type Fields = Record<string, unknown>;

/** Where a part of the value stands. */
interface Slot {
  readonly holder: object;
  readonly key: string | number;
  /** Whether it stands among the fields of a message, where LangChain escapes data that look like its marks. */
  readonly inFields: boolean;
}

/** LangChain wraps data that look like its marks into an object with this one key. */
const ESCAPED = "__lc_escaped__";

/**
 * The value that LangGraph's `JsonPlusSerializer` wrote as JSON.
 *
 * Its marks stand for messages, documents, Set, Map, RegExp, Error, Uint8Array, `undefined` and DeltaSnapshot. Whatever
 * else looks like one stays data: no class is looked up, nothing is called, no secret is read. Nesting may be as deep as
 * `JSON.parse` takes it.
 *
 * @throws SyntaxError for what is no JSON
 */
export function parseJsonPlus(text: string): unknown {
  const root: Fields = { value: JSON.parse(text) as unknown };
  const slots = slotsBelow(root);
  // What stands further in comes later in the list, so it is made first.
  for (let at = slots.length - 1; at >= 0; at -= 1) revive(slots[at] as Slot);
  return root.value;
}

/** The slots of all records that bear a mark, each before those of what it holds. */
function slotsBelow(root: Fields): Slot[] {
  const slots: Slot[] = [];
  const pending: Slot[] = [{ holder: root, key: "value", inFields: false }];
  for (let slot = pending.pop(); slot !== undefined; slot = pending.pop()) {
    const value = valueIn(slot);
    if (typeof value !== "object" || value === null) continue; // the root may be anything
    if (slot.inFields && isEscaped(value)) {
      put(slot, value[ESCAPED]);
      continue;
    }
    if (isMarked(value as Fields)) slots.push(slot);
    pushChildren(value as Fields, slot.inFields, pending);
  }
  return slots;
}

function isMarked({ lc }: Fields): boolean {
  return lc === 1 || lc === 2;
}

function pushChildren(value: Fields, inFields: boolean, pending: Slot[]): void {
  if (Array.isArray(value)) {
    for (let key = 0; key < value.length; key += 1) pushChild(value, key, inFields, pending);
    return;
  }
  const ofClass = !inFields && classOf(value) !== undefined;
  for (const key of Object.keys(value)) pushChild(value, key, inFields || (ofClass && key === "kwargs"), pending);
}

function pushChild(holder: object, key: string | number, inFields: boolean, pending: Slot[]): void {
  const child = valueIn({ holder, key });
  if (typeof child === "object" && child !== null) pending.push({ holder, key, inFields });
}

function valueIn({ holder, key }: Pick<Slot, "holder" | "key">): unknown {
  return (holder as Fields)[key];
}

function put({ holder, key }: Slot, value: unknown): void {
  setOwn(holder as Fields, String(key), value);
}

function isEscaped(value: object): value is Record<typeof ESCAPED, unknown> {
  return Object.hasOwn(value, ESCAPED) && Object.keys(value).length === 1;
}

function revive(slot: Slot): void {
  const record = valueIn(slot) as Fields;
  if (record.lc === 1) put(slot, instance(record));
  else if (record.lc === 2) put(slot, marked(record));
}

const CLASSES = { message: "message", document: "document" } as const;
type KnownClass = (typeof CLASSES)[keyof typeof CLASSES];

/** The kind of a record that LangChain wrote for an instance of a class that is known here. */
function classOf(record: Fields): KnownClass | undefined {
  if (record.lc !== 1 || record.type !== "constructor" || !isRecord(record.kwargs)) return undefined;
  const id: unknown[] = Array.isArray(record.id) ? record.id : [];
  const name: unknown = id.at(-1);
  if (typeof name !== "string" || (id[0] !== "langchain_core" && id[0] !== "langchain")) return undefined;
  const within = (...rooms: string[]): boolean => rooms.some((room) => id.slice(1, -1).includes(room));
  if (within("messages", "schema") && isMessageClass(name)) return CLASSES.message;
  return within("documents", "schema") && name === "Document" ? CLASSES.document : undefined;
}

function instance(record: Fields): unknown {
  const found = classOf(record);
  if (found === undefined) return record;
  const fields = fieldsOf(record.kwargs as Fields);
  if (found === CLASSES.document) return new Document({ ...fields, pageContent: textOf(fields.pageContent) });
  const name = (record.id as string[]).at(-1) as string;
  return makeMessage(name, () => ({ ...fields }), fields.id as string | undefined);
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : "";
}

/** Fields that LangChain names so in its classes too; it writes all others in snake_case. */
const SNAKE_CASE: ReadonlySet<string> = new Set([
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "tool_call_id",
]);

function fieldsOf(kwargs: Fields): Fields {
  const fields: Fields = {};
  for (const [key, value] of Object.entries(kwargs)) {
    if (value !== undefined) setOwn(fields, SNAKE_CASE.has(key) ? key : camelCase(key), value);
  }
  return fields;
}

/** As LangChain reads the names of fields. */
function camelCase(key: string): string {
  const trimmed = key.trim();
  if (!/[-_\s]/.test(trimmed)) return trimmed;
  const words = trimmed.replaceAll(/[-_\s]+/g, "_").toLowerCase();
  return words.replaceAll(/_+([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function marked(record: Fields): unknown {
  if (record.type === "undefined") return undefined;
  if (record.type === "delta_snapshot" && Object.hasOwn(record, "value")) return new DeltaSnapshot(record.value);
  return record.type === "constructor" ? constructed(record) : record;
}

/** What the serializer writes as a call of a constructor; anything else stays as it is. */
function constructed(record: Fields): unknown {
  const [name, ...noMore] = Array.isArray(record.id) ? (record.id as unknown[]) : [];
  const given: unknown[] = Array.isArray(record.args) ? record.args : [];
  const [first, second] = given;
  if (noMore.length > 0 || !isMethodOf(record.method, name)) return record;
  if (name === "RegExp" && given.length === 2) return regexp(first, second) ?? record;
  if (given.length !== 1) return record;
  if (name === "Error" && typeof first === "string") {
    return makeError({ name: "Error", message: first, own: {}, hidden: {} });
  }
  if (!Array.isArray(first)) return record;
  if (name === "Set") return new Set(first as unknown[]);
  if (name === "Map" && first.every(isPair)) return new Map(first);
  if (name === "Uint8Array" && first.every(isByte)) return Uint8Array.from(first);
  return record;
}

function isMethodOf(method: unknown, name: unknown): boolean {
  return method === undefined || method === null || (method === "from" && name === "Uint8Array");
}

function regexp(source: unknown, flags: unknown): RegExp | undefined {
  if (typeof source !== "string" || typeof flags !== "string") return undefined;
  try {
    return makeRegexp(source, flags, 0);
  } catch {
    return undefined; // no pattern: data that only look like one
  }
}

function isPair(entry: unknown): entry is [unknown, unknown] {
  return Array.isArray(entry) && entry.length === 2;
}

function isByte(item: unknown): item is number {
  return typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255;
}
