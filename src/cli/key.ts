import { readFileSync } from "node:fs";
import { CommandFailure } from "./failure.js";

/** Holds the key where no file is named, in hex or base64. */
export const KEY_VARIABLE = "WAYPOINT_KEY";

const LENGTH = 32;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[0-9a-z+/_-]{43}=?$/i;

/**
 * The key of a sealed database: from the file that was named, else from the environment; undefined without either.
 *
 * @throws CommandFailure for what is no key; what it was is not repeated
 */
export function keyFrom(file: string | undefined, environment: NodeJS.ProcessEnv): Buffer | undefined {
  if (file !== undefined) return keyInFile(file);
  const text = environment[KEY_VARIABLE];
  return text === undefined || text === ""
    ? undefined
    : keyIn(text, `${KEY_VARIABLE}: a key is ${LENGTH} bytes, in hex or base64`);
}

function keyInFile(file: string): Buffer {
  const content = contentOf(file);
  if (content.length === LENGTH) return content;
  return keyIn(
    content.toString("latin1"),
    `the file "${file}": a key is ${LENGTH} bytes, as they are or in hex or base64`,
  );
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandFailure(`The key cannot be read: ${(error as Error).message}.`);
  }
}

function keyIn(text: string, where: string): Buffer {
  const trimmed = text.trim();
  if (HEX.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (BASE64.test(trimmed)) return Buffer.from(trimmed, "base64");
  throw new CommandFailure(`There is no key in ${where}.`);
}
