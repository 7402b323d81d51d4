import type { Encryption } from "../store/encryption.js";
import { reasonOf, unmarked, withoutKey } from "../store/encryption.js";
import type { HoldingRow } from "../store/sqlite/artifacts.js";
import { refOf } from "./artifact.js";
import type { ArtifactInfo, ArtifactRef } from "./artifact.js";
import { ArtifactCorruptError } from "./errors.js";

/** What a thread says of an artifact that it holds. */
export interface Label {
  /** SHA-256 of the content, as hex. */
  readonly hash: string;
  readonly bytes: number;
  readonly name?: string;
  readonly mediaType: string;
}

export interface Seal {
  readonly tenant: string;
  readonly encryption: Encryption | undefined;
}

/** The identity of a content within a tenant: its hash; with encryption a keyed one, so that no row tells the content. */
export function identityOf(hash: string, { tenant, encryption }: Seal): Buffer {
  if (encryption === undefined) return Buffer.from(hash, "hex");
  return Buffer.from(encryption.fingerprint(Buffer.from(JSON.stringify([tenant, hash]))));
}

/** A label as its row keeps it: a text, or sealed bytes that open only in this row. */
export function writeLabel(label: Label, thread: string, identity: Buffer, seal: Seal): string | Uint8Array {
  const text = JSON.stringify(label);
  return seal.encryption?.seal(Buffer.from(text), contextOf(thread, identity, seal)) ?? text;
}

/** @throws ArtifactCorruptError when it was changed, DecryptionError for a wrong key or one that is not sealed */
export function readLabel(row: HoldingRow, seal: Seal, ref?: ArtifactRef): Label {
  const identity = Buffer.isBuffer(row.hash) ? row.hash : Buffer.alloc(0);
  const text = opened(row, identity, seal, ref);
  const label = parsed(text);
  const isDated = typeof row.createdAt === "number" && !Number.isNaN(new Date(row.createdAt).getTime());
  if (label !== undefined && isDated && identityOf(label.hash, seal).equals(identity)) return label;
  throw corruptLabel(row.thread, ref);
}

export function infoOf(label: Label, { createdAt }: Pick<HoldingRow, "createdAt">): ArtifactInfo {
  return {
    ref: refOf(label.hash),
    name: label.name,
    mediaType: label.mediaType,
    bytes: label.bytes,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function opened({ label, thread }: HoldingRow, identity: Buffer, seal: Seal, ref: ArtifactRef | undefined): string {
  const context = contextOf(thread, identity, seal);
  if (seal.encryption === undefined) {
    if (typeof label === "string") return label;
    throw withoutKey(context);
  }
  if (!Buffer.isBuffer(label)) throw unmarked(context);
  try {
    return Buffer.from(seal.encryption.open(label, context)).toString();
  } catch (error) {
    throw reasonOf(error) === "changed" ? corruptLabel(thread, ref, error) : error;
  }
}

function contextOf(thread: string, identity: Buffer, { tenant }: Seal): string {
  return JSON.stringify(["artifact-label", tenant, thread, identity.toString("hex")]);
}

function parsed(text: string): Label | undefined {
  try {
    const { hash, bytes, name, mediaType } = JSON.parse(text) as Partial<Record<keyof Label, unknown>>;
    if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
    if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
    if (typeof mediaType !== "string") return undefined;
    if (name === undefined) return { hash, bytes, mediaType };
    return typeof name === "string" ? { hash, bytes, mediaType, name } : undefined;
  } catch {
    return undefined;
  }
}

function corruptLabel(threadId: string, ref: ArtifactRef | undefined, cause?: unknown): ArtifactCorruptError {
  return new ArtifactCorruptError(
    `What thread "${threadId}" says of ${ref ?? "an artifact that it holds"} is damaged. It is not handed out. ` +
      `Put the artifact again, or restore the database from a backup.`,
    { cause, details: { ref, threadId, what: "corrupt" } },
  );
}
