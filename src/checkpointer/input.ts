import { InvalidInputError } from "../shared/errors.js";
import type { Concurrency } from "./head.js";
import { isText } from "./ids.js";
import type { SlimSaverOptions } from "./saver.js";

const CONCURRENCY: readonly Concurrency[] = ["enforce", "detect", "off"];

/** @throws InvalidInputError for options that are none. */
export function checkOptions(options: SlimSaverOptions): void {
  if (!isRecord(options)) throw wrong("The options of SlimSaver", "an object", options);
  const { concurrency, tenant, position, objects, objectsAbove, encryption, authorize, clock } = options;
  if (concurrency !== undefined && !CONCURRENCY.includes(concurrency as Concurrency)) {
    throw wrong("The option concurrency", `one of "${CONCURRENCY.join('", "')}"`, concurrency);
  }
  if (tenant !== undefined && !isText(tenant))
    throw wrong("The option tenant", "a text of at most 1024 characters", tenant);
  if (position !== undefined && !isRecordOf(position, "function")) {
    throw wrong("The option position", "an object of functions", position);
  }
  if (objects !== undefined && !hasMethods(objects, ["put", "get", "delete", "list"])) {
    throw wrong("The option objects", "an ObjectStore, such as fileObjects(dir)", objects);
  }
  if (objectsAbove !== undefined && !isSize(objectsAbove)) {
    throw wrong("The option objectsAbove", "a whole number of bytes of at least 0", objectsAbove);
  }
  if (encryption !== undefined && !hasMethods(encryption, ["seal", "open", "fingerprint"])) {
    throw wrong("The option encryption", "an Encryption, such as aes256gcm(key)", encryption);
  }
  if (authorize !== undefined && typeof authorize !== "function") {
    throw wrong("The option authorize", "a function", authorize);
  }
  if (
    clock !== undefined &&
    !(isRecord(clock) && typeof clock.now === "function" && typeof clock.sleep === "function")
  ) {
    throw wrong("The option clock", "a Clock with now() and sleep()", clock);
  }
}

function isSize(bytes: unknown): boolean {
  return typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0;
}

/** @throws InvalidInputError for a checkpoint that has not the parts of one. */
export function checkCheckpoint(checkpoint: unknown, newVersions: unknown): void {
  if (!isRecord(checkpoint)) throw wrong("The checkpoint", "an object", checkpoint);
  for (const part of ["channel_values", "channel_versions", "versions_seen"]) {
    if (!isRecord(checkpoint[part])) throw wrong(`checkpoint.${part}`, "an object", checkpoint[part]);
  }
  for (const [node, seen] of Object.entries(checkpoint.versions_seen as object)) {
    if (!isRecord(seen)) throw wrong(`checkpoint.versions_seen of node "${node}"`, "an object", seen);
  }
  if (typeof checkpoint.v !== "number") throw wrong("checkpoint.v", "a number", checkpoint.v);
  if (typeof checkpoint.ts !== "string") throw wrong("checkpoint.ts", "a text", checkpoint.ts);
  if (newVersions !== undefined && !isRecord(newVersions))
    throw wrong("newVersions", "an object or undefined", newVersions);
}

/** @throws InvalidInputError for writes that are not pairs of channel and value. */
export function checkWrites(writes: unknown, taskPath: unknown): void {
  if (typeof taskPath !== "string") throw wrong("taskPath", "a text", taskPath);
  if (!Array.isArray(writes)) throw wrong("writes", "a list of [channel, value]", writes);
  for (const write of writes as unknown[]) {
    if (!Array.isArray(write) || !isText(write[0])) throw wrong("Each write", "[channel, value]", write);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isRecord(value) && names.every((name) => typeof value[name] === "function");
}

function isRecordOf(value: unknown, type: "function"): boolean {
  return isRecord(value) && Object.values(value).every((item) => item === undefined || typeof item === type);
}

function wrong(name: string, wanted: string, found: unknown): InvalidInputError {
  const shown = typeof found === "string" ? `"${found.slice(0, 40)}"` : found === null ? "null" : `a ${typeof found}`;
  return new InvalidInputError(`${name} must be ${wanted}; got ${shown}. Nothing was stored.`);
}
