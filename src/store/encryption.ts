import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { types } from "node:util";
import { InvalidInputError, WaypointError } from "../shared/errors.js";
import { DecryptionError } from "./errors.js";

/**
 * Encryption at rest: what a saver calls before it stores, and after it has read. Synchronous, and bound to one key.
 *
 * Promises that an implementation must keep:
 * - `open(seal(bytes, context), context)` equals `bytes`, for every content and every context.
 * - `open` throws a `DecryptionError` for everything else: another key, another context, a changed byte, and a value that
 *   `seal` has not made. It never returns something that was not put in.
 * - `fingerprint` is the same for the same bytes under the same key, and tells nothing to whoever has not the key.
 */
export interface Encryption {
  /** @param context what the value is and where it stands; authenticated, not stored */
  seal(bytes: Uint8Array, context: string): Uint8Array;
  /**
   * @throws DecryptionError, whose `details.reason` is `"key"` (another key), `"unmarked"` (not sealed), or `"changed"`.
   * Whatever else it throws is passed on.
   */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** A keyed hash of 32 bytes: the identity of a content, which nobody without the key can guess a content by. */
  fingerprint(bytes: Uint8Array): Buffer;
}

/** Begins every sealed value, and no UTF-8 text. Another layout gets another marker. */
const MARKER = 0xf8;
const BYTES = { key: 32, keyId: 4, nonce: 12, tag: 16 } as const;
const HEAD = 1 + BYTES.keyId;
const OVERHEAD = HEAD + BYTES.nonce + BYTES.tag;
const ALGORITHM = "aes-256-gcm";
const PURPOSE = "langgraph-waypoint/aes-256-gcm/1";

/**
 * AES-256-GCM with node:crypto. From the given key, HKDF-SHA-256 derives one key that seals and one that makes
 * fingerprints (HMAC-SHA-256), so that neither tells anything about the other.
 *
 * - A sealed value is 33 bytes longer: marker, key id, random nonce of 96 bits, authentication tag of 128 bits.
 * - The context, the marker and the key id are authenticated with it: a value that was moved to another place is refused.
 * - The key id tells a wrong key from a changed value; both are a `DecryptionError`.
 *
 * **Limits.** Nonces are random, so one key may seal at most 2^32 values (4.3 billion; NIST SP 800-38D, 8.3): beyond that,
 * two equal nonces, which would reveal both values, are likelier than 1 in 2^32. Use one key for each database, or each
 * tenant, rather than one for everything. A single value may have at most 2 GiB. Keys are not rotated.
 *
 * @param key 32 random bytes, from a key management service or `randomBytes(32)`; a passphrase is no key. It is copied.
 * @throws InvalidInputError for anything but 32 bytes
 * @example
 * const key = Buffer.from(process.env.WAYPOINT_KEY ?? "", "base64");
 * const checkpointer = SlimSaver.fromConnString("agent.db", { encryption: aes256gcm(key) });
 */
export function aes256gcm(key: Uint8Array): Encryption {
  const master = checkedKey(key);
  const sealing = derived(master, "seal", BYTES.key);
  const naming = derived(master, "fingerprint", BYTES.key);
  const head = Buffer.concat([Buffer.of(MARKER), derived(master, "key id", BYTES.keyId)]);
  return {
    seal(bytes, context) {
      const nonce = randomBytes(BYTES.nonce);
      const cipher = createCipheriv(ALGORITHM, sealing, nonce, { authTagLength: BYTES.tag });
      cipher.setAAD(authenticated(head, context));
      const text = cipher.update(bytes);
      cipher.final(); // a stream cipher holds nothing back
      return Buffer.concat([head, nonce, text, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const value = viewOf(sealed);
      refuseOthers(value, head, context);
      const nonce = value.subarray(HEAD, HEAD + BYTES.nonce);
      const decipher = createDecipheriv(ALGORITHM, sealing, nonce, { authTagLength: BYTES.tag });
      decipher.setAAD(authenticated(head, context));
      decipher.setAuthTag(value.subarray(value.length - BYTES.tag));
      const bytes = decipher.update(value.subarray(HEAD + BYTES.nonce, value.length - BYTES.tag));
      try {
        decipher.final();
      } catch (error) {
        throw changed(context, error);
      }
      return bytes;
    },
    fingerprint: (bytes) => createHmac("sha256", naming).update(bytes).digest(),
  };
}

/** Why a value could not be opened; undefined for an error that is about something else. Knows other copies' errors. */
export function reasonOf(error: unknown): "key" | "unmarked" | "changed" | undefined {
  if (!WaypointError.is(error) || error.code !== "DECRYPTION_FAILED") return undefined;
  const { reason } = error.details;
  return reason === "key" || reason === "unmarked" ? reason : "changed";
}

function checkedKey(key: unknown): Buffer {
  if (types.isUint8Array(key) && key.length === BYTES.key) return Buffer.from(key);
  const found = types.isUint8Array(key) ? `${key.length} bytes` : key === null ? "null" : `a ${typeof key}`;
  throw new InvalidInputError(
    `aes256gcm needs a key of exactly ${BYTES.key} bytes (a Uint8Array); got ${found}. ` +
      `Make one with crypto.randomBytes(${BYTES.key}), and keep it outside the database. A passphrase is no key.`,
  );
}

function derived(master: Buffer, part: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", master, "", `${PURPOSE} ${part}`, length));
}

/** UTF-16, so that no two contexts are one, whatever characters they hold. */
function authenticated(head: Buffer, context: string): Buffer {
  return Buffer.concat([head, Buffer.from(context, "utf16le")]);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refuseOthers(value: Buffer, head: Buffer, context: string): void {
  if (value[0] !== MARKER) throw unmarked(context);
  if (value.length < OVERHEAD) throw changed(context);
  if (head.compare(value, 0, HEAD) !== 0) {
    throw new DecryptionError(
      `A stored value was sealed with another key than the one given (${place(context)}). ` +
        `Open the store with the key it was written with. Nothing was changed.`,
      { details: { reason: "key", context } },
    );
  }
}

/** What stands in the clear where only sealed values may stand. */
export function unmarked(context: string): DecryptionError {
  return new DecryptionError(
    `A stored value is not sealed, and encryption is on (${place(context)}). It is refused: whoever can write to the ` +
      `store could have put it there. If it was stored before encryption was turned on, read it without the option ` +
      `encryption and store it in a new database with it.`,
    { details: { reason: "unmarked", context } },
  );
}

/** What stands sealed where no key was given. */
export function withoutKey(context: string): DecryptionError {
  return new DecryptionError(
    `A stored value is sealed, and this saver was opened without a key (${place(context)}). ` +
      `Give the option encryption, with the key it was written with. Nothing was changed.`,
    { details: { reason: "key", context } },
  );
}

function changed(context: string, cause?: unknown): DecryptionError {
  return new DecryptionError(
    `A sealed value was changed since it was stored, or stands in another place than it was stored in ` +
      `(${place(context)}). It is refused. Restore the store from a backup.`,
    { cause, details: { reason: "changed", context } },
  );
}

function place(context: string): string {
  return JSON.stringify(context);
}
