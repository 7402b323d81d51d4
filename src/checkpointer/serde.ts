import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { types } from "node:util";
import { InvalidInputError } from "../shared/errors.js";
import { SchemaVersionError } from "../store/errors.js";
import { Classes } from "./classes.js";
import { treeOf, valueOf } from "./codec.js";
import { reading } from "./damage.js";
import { isRecord } from "./input.js";
import { parseJsonPlus } from "./json-plus.js";
import { TAG } from "./tree.js";
import type { Tree } from "./tree.js";

/** The one key that tells a value in our form from JSON; behind it stands the number of the form. */
const MARK = "waypoint:serde";
const FORMAT = 1;

/**
 * LangGraph's serializer interface over our codec.
 *
 * - `dumpsTyped` writes JSON, always under the type `"json"`. Plain data stand in it as they are, so that a database can
 *   look into them; everything else stands in our form, behind a mark. It is lossless, or throws.
 * - `loadsTyped` reads that, and what `JsonPlusSerializer` wrote, of type `"json"` and `"bytes"`. Of the latter only known
 *   classes come to life; what else looks like a mark is data.
 *
 * `dumps` and `loads` are the same without waiting.
 *
 * @throws UnstorableValueError, CorruptObjectError, SchemaVersionError; InvalidInputError for a type that is neither
 */
export class WaypointSerde implements SerializerProtocol {
  constructor(private readonly classes = new Classes()) {}

  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    await Promise.resolve();
    return ["json", this.dumps(value)];
  }

  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    await Promise.resolve();
    return this.loads(type, data);
  }

  dumps(value: unknown): Uint8Array {
    const tree = treeOf(value, "The value", this.classes);
    return new TextEncoder().encode(JSON.stringify(isPlain(tree) ? tree : { [MARK]: FORMAT, value: tree }));
  }

  loads(type: string, data: Uint8Array | string): unknown {
    // A copy: whoever has the bytes may go on to change them.
    if (type === "bytes") return typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
    if (type !== "json") throw new InvalidInputError(`"${type}" is no type of stored values; "json" and "bytes" are.`);
    const text = types.isUint8Array(data) ? new TextDecoder().decode(data) : data;
    return reading("A stored value", () => this.valueIn(text));
  }

  private valueIn(text: string): unknown {
    if (!text.startsWith(`{"${MARK}"`)) return parseJsonPlus(text);
    const marked: unknown = JSON.parse(text);
    const format = isRecord(marked) ? marked[MARK] : undefined;
    if (typeof format === "number" && format > FORMAT) throw newerFormat(format);
    if (format !== FORMAT) return parseJsonPlus(text);
    return valueOf((marked as { value: Tree }).value, this.classes);
  }
}

/** Whether a tree is read the same as plain JSON, as JsonPlus, and as ours. */
function isPlain(root: Tree): boolean {
  if (isRecord(root) && Object.hasOwn(root, MARK)) return false;
  const pending: Tree[] = [root];
  for (let tree = pending.pop(); tree !== undefined; tree = pending.pop()) {
    if (typeof tree !== "object" || tree === null) continue;
    if (Array.isArray(tree)) {
      for (const element of tree) pending.push(element);
      continue;
    }
    for (const key of Object.keys(tree)) {
      if (key === "lc" || key === "__proto__" || key.startsWith(TAG)) return false;
      pending.push(tree[key] as Tree);
    }
  }
  return true;
}

function newerFormat(format: number): SchemaVersionError {
  return new SchemaVersionError(
    `A value was written by a newer version of langgraph-waypoint (form ${format}; this version reads ${FORMAT}). ` +
      `Nothing was changed. Update the package.`,
    { details: { format } },
  );
}
