import type { BaseMessage } from "@langchain/core/messages";
import { LATE_FIELDS, fieldOf, makeMessage, visitFields } from "./messages.js";
import type { LateField } from "./messages.js";
import { copyOf, internedKeys, isSame, snapshotOf } from "./snapshot.js";
import type { Decode, Snapshot } from "./snapshot.js";
import { KIND, setOwn, typedOf, unescapeKey } from "./tree.js";
import type { Tree } from "./tree.js";

type Fields = Readonly<Record<LateField, Snapshot>>;

const USUAL: ReadonlySet<string> = new Set<LateField>(LATE_FIELDS);

type Kwargs = Record<string, unknown>;

/** A field of such a message stands elsewhere than usual: it is compared field by field. */
const MANY_PLACES = "many places";
export type KwargsKeys = readonly string[] | typeof MANY_PLACES;

/** Where the fields stand among the values of a body: the same for all bodies with the same keys. */
interface Layout {
  readonly at: Readonly<Record<LateField, number>>;
  /** What `lc_kwargs` holds beside the usual fields, in the order of the keys. */
  readonly unusual: readonly number[];
}

const layouts = new WeakMap<readonly string[], Layout>();

/** Behind the last one for a key that is not there: a negative place would make the look-up slow. */
function placeOf(keys: readonly string[], key: string): number {
  const at = keys.indexOf(key);
  return at < 0 ? keys.length : at;
}

function layoutOf(keys: readonly string[]): Layout {
  const known = layouts.get(keys);
  if (known !== undefined) return known;
  const at = Object.fromEntries([...USUAL].map((key) => [key, placeOf(keys, key)])) as Record<LateField, number>;
  const unusual = [...keys.keys()].filter((index) => !USUAL.has(keys[index] as string) && keys[index] !== "id");
  const layout = { at, unusual };
  layouts.set(keys, layout);
  return layout;
}

/** A stored message without its id, ready to make instances from and to compare instances with. */
export class MessageBody {
  private readonly fields: Fields;
  private readonly unusual: readonly number[];

  private constructor(
    private readonly className: string,
    private readonly keys: readonly string[],
    private readonly values: readonly Snapshot[],
  ) {
    const { at, unusual } = layoutOf(keys);
    this.unusual = unusual;
    this.fields = {
      content: values[at.content],
      name: values[at.name],
      additional_kwargs: values[at.additional_kwargs],
      response_metadata: values[at.response_metadata],
      tool_calls: values[at.tool_calls],
      invalid_tool_calls: values[at.invalid_tool_calls],
      tool_call_chunks: values[at.tool_call_chunks],
      usage_metadata: values[at.usage_metadata],
      tool_call_id: values[at.tool_call_id],
      status: values[at.status],
      artifact: values[at.artifact],
      metadata: values[at.metadata],
      role: values[at.role],
    };
  }

  /** The body that a tree stands for; undefined when it is no plain message (or one with shared parts). */
  static of(tree: Tree, load: (objectId: number) => Tree): MessageBody | undefined {
    const typed = typedOf(tree);
    if (typed?.[0] !== KIND.message || typedOf(typed[2] as Tree) !== undefined) return undefined;
    const fields = typed[2] as Record<string, Tree>;
    const keys = Object.keys(fields);
    const values = keys.map((key) => snapshotOf(fields[key] as Tree, load));
    return new MessageBody(typed[1] as string, internedKeys(keys.map(unescapeKey)), values);
  }

  make(id: string | undefined, decode: Decode): BaseMessage {
    return makeMessage(this.className, () => this.copy(decode), id);
  }

  private copy(decode: Decode): Record<string, unknown> {
    const { keys, values } = this;
    const copy: Record<string, unknown> = {};
    for (let index = 0; index < keys.length; index += 1) {
      setOwn(copy, keys[index] as string, copyOf(values[index], decode));
    }
    return copy;
  }

  /**
   * The keys of `lc_kwargs` of an instance with this body. As long as they stay, `matches` tells all that encoding would;
   * `MANY_PLACES` for an instance of which that is not so.
   */
  keysOf(message: BaseMessage): KwargsKeys {
    const keys: string[] = [];
    for (const key in kwargsOf(message)) {
      if (key !== "id" && !this.keys.includes(key)) return MANY_PLACES;
      if (USUAL.has(key) && !(key in message)) return MANY_PLACES;
      keys.push(key);
    }
    return internedKeys(keys);
  }

  /** Whether encoding an instance would still give this body. `given`: what `keysOf` said of it. */
  matches(message: BaseMessage, given: KwargsKeys): boolean {
    if (given === MANY_PLACES) return this.isBodyOf(message);
    const held = message as BaseMessage & Partial<Record<LateField, unknown>>;
    const { fields } = this;
    return (
      isSame(held.content, fields.content) &&
      isSame(held.additional_kwargs, fields.additional_kwargs) &&
      isSame(held.response_metadata, fields.response_metadata) &&
      isSame(held.tool_calls, fields.tool_calls) &&
      isSame(held.invalid_tool_calls, fields.invalid_tool_calls) &&
      held.name === fields.name &&
      held.tool_call_id === fields.tool_call_id &&
      held.status === fields.status &&
      isSame(held.usage_metadata, fields.usage_metadata) &&
      isSame(held.artifact, fields.artifact) &&
      isSame(held.metadata, fields.metadata) &&
      isSame(held.tool_call_chunks, fields.tool_call_chunks) &&
      isSame(held.role, fields.role) &&
      haveKeys(kwargsOf(message), given) &&
      (this.unusual.length === 0 || this.unusualMatch(message))
    );
  }

  private unusualMatch(message: BaseMessage): boolean {
    const kwargs = kwargsOf(message);
    return this.unusual.every((index) => {
      const key = this.keys[index] as string;
      return isSame(fieldOf(message as unknown as Kwargs, kwargs, key), this.values[index]);
    });
  }

  /** The same for an instance that was not compared before: field by field, in order. */
  isBodyOf(message: BaseMessage): boolean {
    let at = 0;
    const same = visitFields(message, (key, value) => {
      if (this.keys[at] !== key || !isSame(value, this.values[at])) return false;
      at += 1;
      return true;
    });
    return same && at === this.keys.length;
  }
}

function kwargsOf(message: BaseMessage): Kwargs {
  return message.lc_kwargs;
}

function haveKeys(kwargs: Kwargs, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in kwargs) {
    if (key !== keys[at]) return false;
    at += 1;
  }
  return at === keys.length;
}
