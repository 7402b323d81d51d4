import { InvalidInputError } from "../shared/errors.js";

declare const REFERENCE: unique symbol;

/**
 * Names an artifact by its content: `artifact://sha256/` and the SHA-256 of its bytes, 64 hexadecimal digits. A text, so
 * that it fits into any state, message or prompt.
 */
export type ArtifactRef = `artifact://sha256/${string}` & { readonly [REFERENCE]: true };

const SCHEME = "artifact://sha256/";
const FORM = /^artifact:\/\/sha256\/([0-9a-f]{64})$/;

/**
 * A text as the reference that it is: from a state, or from what a model wrote.
 *
 * @throws InvalidInputError for every other text. Whether there is such an artifact is another question.
 * @example await checkpointer.getArtifact(artifactRef(state.report), { threadId });
 */
export function artifactRef(text: string): ArtifactRef {
  hashIn(text);
  return text as ArtifactRef;
}

/** The hash in a reference. @throws InvalidInputError */
export function hashIn(ref: unknown): string {
  const [, hash] = FORM.exec(typeof ref === "string" ? ref : "") ?? [];
  if (hash !== undefined) return hash;
  const found = typeof ref === "string" ? JSON.stringify(ref.slice(0, 100)) : ref === null ? "null" : `a ${typeof ref}`;
  throw new InvalidInputError(
    `A reference to an artifact is "${SCHEME}" and 64 lowercase hexadecimal digits, as putArtifact returned it; ` +
      `got ${found}. Nothing was read.`,
  );
}

export function refOf(hash: string): ArtifactRef {
  return `${SCHEME}${hash}` as ArtifactRef;
}

/** What is known of an artifact without its content. */
export interface ArtifactInfo {
  readonly ref: ArtifactRef;
  /** As it was given with `putArtifact`: any text. Whoever shows it, or makes a file of that name, escapes it first. */
  readonly name: string | undefined;
  readonly mediaType: string;
  /** Length of the content. */
  readonly bytes: number;
  /** When the thread first held it; ISO 8601. */
  readonly createdAt: string;
}

/** An artifact with its content, checked against its reference. */
export interface Artifact extends ArtifactInfo {
  /** The content. It is yours: nobody else has these bytes. */
  readonly data: Uint8Array;
  /** The content as text. @throws InvalidInputError when it is not UTF-8 */
  text(): string;
  /** The content as data. @throws InvalidInputError when it is not JSON */
  json(): unknown;
}

/** What `authorize` is asked. Only a thread that holds the artifact gets that far. */
export interface ArtifactRequest extends ArtifactInfo {
  readonly threadId: string;
  readonly tenant: string;
  /** What the caller of `getArtifact` gave along: who asks, for example. */
  readonly context: unknown;
}

/** May this be read? Anything but `true` is no, and an error is no. */
export type Authorize = (request: ArtifactRequest) => boolean | Promise<boolean>;

export interface PutArtifactOptions {
  readonly threadId: string;
  /** At most 1024 characters. */
  readonly name?: string;
  /** Default: `text/plain; charset=utf-8`, `application/json` or `application/octet-stream`, by what is put. */
  readonly mediaType?: string;
}

export interface GetArtifactOptions {
  readonly threadId: string;
  /** Handed to `authorize`. */
  readonly context?: unknown;
}

export function artifactOf(info: ArtifactInfo, data: Uint8Array): Artifact {
  const text = (): string => textOf(info.ref, data);
  return { ...info, data, text, json: () => jsonOf(info.ref, text()) };
}

function textOf(ref: ArtifactRef, data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch (cause) {
    throw new InvalidInputError(`The content of ${ref} is no UTF-8 text. Read its bytes from \`data\`.`, {
      cause,
      details: { ref },
    });
  }
}

function jsonOf(ref: ArtifactRef, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new InvalidInputError(`The content of ${ref} is no JSON. Read it with text().`, { cause, details: { ref } });
  }
}
