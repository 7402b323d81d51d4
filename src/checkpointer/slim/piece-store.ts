import { hash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { reasonOf } from "../../store/encryption.js";
import type { Encryption } from "../../store/encryption.js";
import type { ObjectStore } from "../../store/objects/object-store.js";
import { BUILT_IN_DICTIONARY } from "../../store/sqlite/dictionary.js";

/** How the stored form of a tree is written. Part of what is hashed: another form is another object. */
const CODEC = "slim/1";
/** The first byte of what is stored, before it is sealed: how the text stands behind it. */
const FORM = { plain: 0, deflated: 1 } as const;
const DEFLATE_FROM = 64;
const DEFLATE_LEVEL = 6;
const MOST_BYTES = 2 ** 29;
const PREFIX_DIGITS = 32;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export type FoundPiece = { readonly text: string } | "missing" | "corrupt";

/**
 * Pieces of values in an object store, each under the hash of its content: the same piece is one object within a tenant,
 * whoever stores it.
 */
export class PieceStore {
  private readonly prefix: string;
  private readonly scope: string;

  constructor(
    private readonly objects: ObjectStore,
    private readonly tenant: string,
    private readonly encryption: Encryption | undefined,
  ) {
    this.scope = `${JSON.stringify([tenant, CODEC])}\n`;
    this.prefix = this.digest(JSON.stringify(["langgraph-waypoint slim", tenant]))
      .toString("hex")
      .slice(0, PREFIX_DIGITS);
  }

  /** The hash of a piece, in base64url: SHA-256, keyed where there is encryption. */
  hashOf(text: string): string {
    return this.digest(this.scope + text).toString("base64url");
  }

  keyOf(hash: string): string {
    return `${this.prefix}/${Buffer.from(hash, "base64url").toString("hex")}`;
  }

  /** @throws ObjectsUnavailableError */
  async put(hash: string, text: string): Promise<void> {
    const key = this.keyOf(hash);
    const bytes = await formed(Buffer.from(text));
    await this.objects.put(key, this.encryption?.seal(bytes, this.contextOf(key)) ?? bytes);
  }

  /** The text of a piece, checked against its hash. @throws ObjectsUnavailableError; DecryptionError for another key */
  async get(hash: string): Promise<FoundPiece> {
    const key = this.keyOf(hash);
    const stored = await this.objects.get(key);
    if (stored === undefined) return "missing";
    const bytes = this.opened(stored, key);
    const text = bytes && (await textIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
    return text !== undefined && this.hashOf(text) === hash ? { text } : "corrupt";
  }

  private opened(stored: Uint8Array, key: string): Uint8Array | undefined {
    if (this.encryption === undefined) return stored;
    try {
      return this.encryption.open(stored, this.contextOf(key));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === "changed" || reason === "unmarked") return undefined;
      throw error;
    }
  }

  private contextOf(key: string): string {
    return JSON.stringify(["slim-piece", this.tenant, key]);
  }

  private digest(text: string): Buffer {
    return this.encryption?.fingerprint(Buffer.from(text)) ?? hash("sha256", text, "buffer");
  }
}

async function formed(text: Buffer): Promise<Buffer> {
  if (text.length >= DEFLATE_FROM) {
    const deflated = await deflate(text, { level: DEFLATE_LEVEL, dictionary: BUILT_IN_DICTIONARY });
    if (deflated.length < text.length) return Buffer.concat([Buffer.of(FORM.deflated), deflated]);
  }
  return Buffer.concat([Buffer.of(FORM.plain), text]);
}

async function textIn(bytes: Buffer): Promise<string | undefined> {
  const [form] = bytes;
  const rest = bytes.subarray(1);
  if (form === FORM.plain) return rest.toString();
  if (form !== FORM.deflated) return undefined;
  try {
    const text = await inflate(rest, { dictionary: BUILT_IN_DICTIONARY, maxOutputLength: MOST_BYTES });
    return text.toString();
  } catch {
    return undefined;
  }
}
