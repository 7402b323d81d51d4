import { types } from "node:util";
import { checkJson } from "../shared/canonical.js";
import { InvalidInputError, WaypointError } from "../shared/errors.js";
import type { GetArtifactOptions, PutArtifactOptions } from "./artifact.js";
import { isText, threadIdOf } from "./ids.js";

/** 256 MiB: it is in memory several times while it is stored, and SQLite's rows end at a gigabyte. */
export const MOST_BYTES = 268_435_456;

const HALF_A_CHARACTER = /\p{Surrogate}/u;
const LONGEST_MEDIA_TYPE = 255;
/** `type/subtype`, then parameters; printable ASCII, so that it may stand in a header. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ ]*;[\x20-\x7e]*)?$/;

/** What is put, as bytes that nobody else can change. */
export interface ArtifactData {
  readonly bytes: Buffer;
  /** Where the caller says nothing. */
  readonly mediaType: string;
}

/** Who holds it, and what it is called; undefined: as it was called before. */
export interface ArtifactNames {
  readonly threadId: string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
}

/** @throws InvalidInputError, ThreadIdError */
export function namesOf(options: PutArtifactOptions): ArtifactNames {
  const { threadId, name, mediaType } = record(options, "putArtifact");
  const thread = threadIdOf(threadId, "put an artifact");
  if (name !== undefined && (!isText(name) || name === "")) {
    throw new InvalidInputError(
      "An artifact's name must be a text of 1 to 1024 characters, without half of a character in it.",
    );
  }
  if (mediaType !== undefined && !isMediaType(mediaType)) {
    throw new InvalidInputError(
      `An artifact's mediaType must be "type/subtype", with parameters or without, at most ${LONGEST_MEDIA_TYPE} ` +
        `characters: "application/pdf", "text/csv; charset=utf-8". Nothing was stored.`,
    );
  }
  return { threadId: thread, name, mediaType };
}

/** @throws InvalidInputError, ThreadIdError */
export function readerOf(options: GetArtifactOptions): { threadId: string; context: unknown } {
  const { threadId, context } = record(options, "getArtifact");
  return { threadId: threadIdOf(threadId, "get an artifact"), context };
}

function isMediaType(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_MEDIA_TYPE && MEDIA_TYPE.test(value);
}

/**
 * Bytes as they are, a text as UTF-8, everything else as JSON with its keys in the order they have.
 *
 * @throws InvalidInputError for what would not come back as it went in, and for what is too large
 */
export function dataOf(data: unknown): ArtifactData {
  if (types.isUint8Array(data)) {
    checkSize(data.length);
    return { bytes: Buffer.from(data), mediaType: "application/octet-stream" };
  }
  if (typeof data === "string") return { bytes: utf8(data), mediaType: "text/plain; charset=utf-8" };
  if (typeof data === "object" && data !== null && !ArrayBuffer.isView(data)) {
    return { bytes: utf8(jsonOf(data)), mediaType: "application/json" };
  }
  const found = data === null ? "null" : `a ${typeof data}`;
  throw new InvalidInputError(
    `An artifact is a Uint8Array, a text, or an object of plain data; got ${found}. Nothing was stored.`,
  );
}

function utf8(text: string): Buffer {
  if (HALF_A_CHARACTER.test(text)) {
    throw new InvalidInputError(
      `The text of an artifact holds half of a character (a lone surrogate) at index ${text.search(HALF_A_CHARACTER)}, ` +
        `which UTF-8 cannot keep. Nothing was stored. Use text.toWellFormed(), or put bytes.`,
    );
  }
  checkSize(Buffer.byteLength(text));
  return Buffer.from(text);
}

function jsonOf(data: object): string {
  try {
    checkJson(data, "data");
    return JSON.stringify(data);
  } catch (cause) {
    if (WaypointError.is(cause)) throw cause;
    throw new InvalidInputError("The data of an artifact cannot be read: a part of it throws. Nothing was stored.", {
      cause,
    });
  }
}

function checkSize(bytes: number): void {
  if (bytes <= MOST_BYTES) return;
  throw new InvalidInputError(
    `An artifact has at most ${MOST_BYTES} bytes (256 MiB); this one has ${bytes}. Nothing was stored. ` +
      `Put it in parts, or keep it elsewhere and put its address.`,
  );
}

function record<T>(options: T, method: string): T {
  if (typeof options === "object" && options !== null) return options;
  throw new InvalidInputError(`${method} needs options: { threadId: "…" }.`);
}
