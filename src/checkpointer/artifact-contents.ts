import { createHash } from "node:crypto";
import { promisify, types } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { reasonOf } from "../store/encryption.js";
import type { Store } from "../store/home.js";
import type { ObjectStore } from "../store/objects/object-store.js";
import { ObjectsUnavailableError } from "../store/errors.js";
import type { ArtifactTable, ContentRow, NewContent } from "../store/sqlite/artifacts.js";
import { INSIDE_UP_TO } from "../store/sqlite/outside.js";
import type { UploadTable } from "../store/sqlite/uploads.js";
import { MOST_BYTES } from "./artifact-input.js";
import { identityOf } from "./artifact-labels.js";
import type { Seal } from "./artifact-labels.js";

const DEFLATE_FROM = 96;
const DEFLATE_LEVEL = 6;
/** How often a content is stored again that others remove meanwhile. */
const MOST_TRIES = 5;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** What a content is known by. */
export interface ContentName {
  /** SHA-256, as hex. */
  readonly hash: string;
  readonly bytes: number;
}

/**
 * What there is of a content: its bytes, checked; or why not. `elsewhere`: in an object store that was not given.
 * `sealed`: no key was given. `unmarked`: in the clear, and encryption is on.
 */
export type FoundContent = { readonly data: Uint8Array } | Lacking;
export type Lacking = "missing" | "corrupt" | "elsewhere" | "sealed" | "unmarked";

interface Seen {
  readonly id: number | undefined;
  readonly found: FoundContent;
}

/** The contents of artifacts: each once within a tenant, deflated where it pays, in the database or outside it. */
export class ArtifactContents {
  constructor(
    private readonly store: Store,
    private readonly table: ArtifactTable,
    private readonly uploads: UploadTable,
    private readonly seal: Seal,
    private readonly objects: ObjectStore | undefined,
  ) {}

  /** Reads a content and checks it against its hash. @throws ObjectsUnavailableError */
  async read(name: ContentName): Promise<FoundContent> {
    return (await this.look(name, identityOf(name.hash, this.seal))).found;
  }

  /**
   * Stores a content, unless it is there and whole, and runs `hold` in the transaction that makes sure of it. A content
   * goes outside before anything refers to it.
   *
   * @throws what `hold` throws; ObjectsUnavailableError
   */
  async keep(name: ContentName, bytes: Uint8Array, hold: (identity: Buffer) => void): Promise<void> {
    const identity = identityOf(name.hash, this.seal);
    let fresh: NewContent | undefined;
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      const seen = await this.look(name, identity);
      if (typeof seen.found !== "string") {
        if (this.reuse(identity, seen, hold)) return;
        continue;
      }
      fresh ??= await this.encode(identity, bytes);
      if (await this.place(identity, seen, fresh, hold)) return;
    }
    throw new ObjectsUnavailableError(
      `An artifact could not be stored: ${MOST_TRIES} times others took its upload for one that broke off, as they do after ` +
        `an hour. Nothing refers to it. Try again, and see that the clocks of the machine's processes agree.`,
    );
  }

  /** @returns false when the content that was seen is there no longer */
  private reuse(identity: Buffer, seen: Seen, hold: (identity: Buffer) => void): boolean {
    return this.store.database.transaction(() => {
      if (this.table.contentId(identity) !== seen.id) return false;
      hold(identity);
      return true;
    });
  }

  private async place(
    identity: Buffer,
    seen: Seen,
    fresh: NewContent,
    hold: (identity: Buffer) => void,
  ): Promise<boolean> {
    if (this.objects === undefined || fresh.data.length <= (this.store.objectsAbove ?? INSIDE_UP_TO)) {
      return this.store.database.transaction(() => this.replace(identity, seen, fresh, hold));
    }
    const key = this.uploads.newKey();
    this.store.database.transaction(() => {
      this.uploads.begin(key, this.store.clock.now());
    });
    // Where this fails, or the process dies, the key is known as an upload and its object is removed in time.
    await this.objects.put(key, fresh.data);
    return this.store.database.transaction(() => {
      if (this.uploads.end(key)) return this.replace(identity, seen, { ...fresh, object: key }, hold);
      this.uploads.abandon(key, this.store.clock.now());
      return false;
    });
  }

  /** In place of what was seen; where somebody else has stored it meanwhile, theirs stays. */
  private replace(identity: Buffer, seen: Seen, fresh: NewContent, hold: (identity: Buffer) => void): true {
    const now = this.store.clock.now();
    const current = this.table.contentId(identity);
    if (current === undefined || current === seen.id) {
      if (current !== undefined) this.table.deleteContent(current, now);
      this.table.insertContent(identity, fresh);
    } else if (fresh.object !== undefined) {
      this.uploads.abandon(fresh.object, now);
    }
    hold(identity);
    return true;
  }

  private async encode(identity: Buffer, bytes: Uint8Array): Promise<NewContent> {
    const small = bytes.length < DEFLATE_FROM ? bytes : await deflate(bytes, { level: DEFLATE_LEVEL });
    const deflated = small.length < bytes.length;
    const plain = deflated ? small : bytes;
    const { encryption } = this.seal;
    const data = encryption?.seal(plain, this.contextOf(identity, deflated)) ?? plain;
    return { deflated, sealed: encryption !== undefined, data, object: undefined };
  }

  private async look(name: ContentName, identity: Buffer): Promise<Seen> {
    for (;;) {
      const row = this.table.content(identity);
      if (row === undefined) return { id: undefined, found: "missing" };
      const found = await this.contentOf(row, name, identity);
      // Stored anew while its object was asked for, or let go of.
      if (found === "missing" && this.table.contentId(identity) !== row.id) continue;
      return { id: row.id, found };
    }
  }

  private async contentOf(row: ContentRow, name: ContentName, identity: Buffer): Promise<FoundContent> {
    if (this.seal.encryption !== undefined && row.sealed !== 1) return "unmarked";
    if (this.seal.encryption === undefined && row.sealed === 1) return "sealed";
    if (row.object !== null && this.objects === undefined) return "elsewhere";
    const stored = row.object === null ? row.data : await this.objects?.get(row.object);
    if (stored === undefined) return "missing";
    if (!types.isUint8Array(stored)) return "corrupt";
    const plain = this.opened(stored, this.contextOf(identity, row.deflated === 1));
    if (typeof plain === "string") return plain;
    const data = await inflated(plain, row.deflated === 1, name.bytes);
    return data?.length === name.bytes && hashOf(data) === name.hash ? { data } : "corrupt";
  }

  /** @throws DecryptionError for another key */
  private opened(stored: Uint8Array, context: string): Uint8Array | "corrupt" | "unmarked" {
    if (this.seal.encryption === undefined) return stored;
    try {
      return this.seal.encryption.open(stored, context);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === "changed") return "corrupt";
      if (reason === "unmarked") return "unmarked";
      throw error;
    }
  }

  private contextOf(identity: Buffer, deflated: boolean): string {
    const form = deflated ? "deflated" : "plain";
    return JSON.stringify(["artifact-content", this.seal.tenant, identity.toString("hex"), form]);
  }
}

/** SHA-256, as hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** At most as long as it says it is: a few bytes that swell to gigabytes are damage. */
async function inflated(bytes: Uint8Array, deflated: boolean, length: number): Promise<Uint8Array | undefined> {
  if (!deflated) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: Math.max(1, Math.min(length, MOST_BYTES)) });
  } catch {
    return undefined;
  }
}
