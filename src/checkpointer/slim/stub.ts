import { unmarked, withoutKey } from "../../store/encryption.js";
import type { Encryption } from "../../store/encryption.js";
import { SchemaVersionError } from "../../store/errors.js";
import { isRecord } from "../input.js";

/** The one key that tells a stub from data; behind it stands the number of its format. */
const MARK = "waypoint:slim";
const FORMAT = 1;

/** Where a write stands among those of its checkpoint: the path of its task, and its index. */
export type WritePlace = readonly [path: string, index: number];

/**
 * What the inner saver keeps in the place of a value: plain data with nothing but texts and numbers in it, which every
 * serializer and every JSON column keeps.
 */
export interface Stub {
  readonly [MARK]: number;
  /** The stored form of the value's tree, as JSON. */
  readonly tree?: string;
  /** The same sealed, in base64. */
  readonly sealed?: string;
  readonly at?: WritePlace;
}

/** Where a value stands: a sealed one can be opened nowhere else. */
export interface ValuePlace {
  readonly threadId: string;
  readonly channel: string;
}

export function isStub(value: unknown): value is Stub {
  return isRecord(value) && Object.hasOwn(value, MARK);
}

/** Makes and opens stubs of one tenant. */
export class Stubs {
  constructor(
    private readonly tenant: string,
    private readonly encryption: Encryption | undefined,
  ) {}

  get areSealed(): boolean {
    return this.encryption !== undefined;
  }

  make(tree: string, place: ValuePlace, at?: WritePlace): Stub {
    const written = at === undefined ? {} : { at };
    if (this.encryption === undefined) return { [MARK]: FORMAT, tree, ...written };
    const sealed = Buffer.from(this.encryption.seal(Buffer.from(tree), this.contextOf(place)));
    return { [MARK]: FORMAT, sealed: sealed.toString("base64"), ...written };
  }

  /**
   * The text that a stub was made of.
   *
   * @throws DecryptionError; SchemaVersionError for a newer format; TypeError for what is no whole stub
   */
  open(stub: Stub, place: ValuePlace): string {
    if (typeof stub[MARK] === "number" && stub[MARK] > FORMAT) throw newerFormat(stub[MARK]);
    if (stub[MARK] !== FORMAT) throw new TypeError("What is stored in the place of a value is no stub.");
    if (this.encryption !== undefined) return this.unsealed(stub, place, this.encryption);
    if (stub.sealed !== undefined) throw withoutKey(this.contextOf(place));
    if (typeof stub.tree !== "string") throw new TypeError("A stub has no value.");
    return stub.tree;
  }

  private unsealed({ sealed }: Stub, place: ValuePlace, encryption: Encryption): string {
    if (typeof sealed !== "string") throw unmarked(this.contextOf(place));
    const text = encryption.open(Buffer.from(sealed, "base64"), this.contextOf(place));
    return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString();
  }

  /** @throws DecryptionError where there is encryption: what is not sealed may be anybody's */
  acceptPlain(place: ValuePlace): void {
    if (this.encryption !== undefined) throw unmarked(this.contextOf(place));
  }

  private contextOf({ threadId, channel }: ValuePlace): string {
    return JSON.stringify(["slim-value", this.tenant, threadId, channel]);
  }
}

/** The place of a write; undefined for one that was stored before the wrapper was there. */
export function placeOf(value: unknown): WritePlace | undefined {
  const at: unknown = isStub(value) ? value.at : undefined;
  if (!Array.isArray(at)) return undefined;
  const [path, index] = at as unknown[];
  return typeof path === "string" && typeof index === "number" ? [path, index] : undefined;
}

function newerFormat(format: number): SchemaVersionError {
  return new SchemaVersionError(
    `A value was stored by a newer version of langgraph-waypoint (format ${format}; this version reads ${FORMAT}). ` +
      `Nothing was changed. Update the package.`,
    { details: { format } },
  );
}
