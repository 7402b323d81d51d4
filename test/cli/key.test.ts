import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { SlimSaver, aes256gcm, fileObjects } from "../../src/checkpointer/index.js";
import { keyFrom } from "../../src/cli/key.js";
import { LOOP, checkpointOf, thread } from "../checkpointer/checkpoints.js";
import { largeText } from "../checkpointer/outside/large-text.js";
import { tellEverything } from "../checkpointer/encryption/everything.js";
import { waypoint as runWaypoint } from "./run.js";
import type { Printed } from "./run.js";

const folder = mkdtempSync(join(tmpdir(), "waypoint-cli-key-"));
const db = join(folder, "agent.db");
const key = randomBytes(32);

beforeAll(async () => {
  const saver = SlimSaver.fromConnString(db, { encryption: aes256gcm(key) });
  await tellEverything(saver);
  await saver.close();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

async function waypoint(...args: string[]): Promise<Printed> {
  return waypointOn(db, ...args);
}

async function waypointOn(file: string, ...args: string[]): Promise<Printed> {
  return runWaypoint([...args, "--db", file]);
}

function fileOf(content: string | Buffer): string {
  const file = join(folder, "key");
  writeFileSync(file, content);
  return file;
}

const COMMANDS = [
  ["show", "t"],
  ["threads"],
  ["actions", "u"],
  ["stats"],
  ["verify"],
  ["prune", "--keep", "latest"],
  ["compact"],
];

it.each(COMMANDS)("%s opens a sealed database with its key, and says what is missing without it", async (...args) => {
  vi.stubEnv("WAYPOINT_KEY", "");
  const without = await waypoint(...args);
  expect([without.code, without.stdout]).toEqual([1, ""]);
  expect(without.stderr).toMatch(/is sealed\. Give its key with --key-file <path> or in WAYPOINT_KEY\.\n$/);
  const wrong = await waypoint(...args, "--key-file", fileOf(randomBytes(32)));
  expect(wrong.stderr).toMatch(/sealed with another key/);
  expect((await waypoint(...args, "--key-file", fileOf(key))).code).toBe(0);
  vi.stubEnv("WAYPOINT_KEY", key.toString("base64"));
  expect((await waypoint(...args)).code).toBe(0);
});

it.each([
  ["raw", key],
  ["hex", key.toString("hex")],
  ["hex with an end of line", `${key.toString("hex").toUpperCase()}\n`],
  ["base64", key.toString("base64")],
  ["base64 for addresses", key.toString("base64url")],
])("a key file holds the key: %s", (_how, content) => {
  expect(keyFrom(fileOf(content), {})?.equals(key)).toBe(true);
  if (typeof content === "string") expect(keyFrom(undefined, { WAYPOINT_KEY: content })?.equals(key)).toBe(true);
});

it.each([
  ["nothing", ""],
  ["a passphrase", "correct horse battery"],
  ["too much", "0".repeat(66)],
])("what is no key is refused and not repeated: %s", (_what, content) => {
  const file = fileOf(content);
  expect(() => keyFrom(file, {})).toThrow(`There is no key in the file "${file}"`);
  if (content === "") return;
  expect(() => keyFrom(undefined, { WAYPOINT_KEY: content })).toThrow(/^There is no key in WAYPOINT_KEY: a key is 32/);
});

it("a passphrase of 32 characters in the environment is no key", () => {
  expect(() => keyFrom(undefined, { WAYPOINT_KEY: "p".repeat(32) })).toThrow(/no key in WAYPOINT_KEY/);
});

it("large pieces in a folder are read with --objects, which has to be there", async () => {
  const file = join(folder, "roomy.db");
  const dir = join(folder, "objects");
  const saver = SlimSaver.fromConnString(file, { objects: fileObjects(dir) });
  const checkpoint = checkpointOf({ page: largeText(1) });
  await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  await saver.close();
  for (const command of [["show", "t"], ["export"]])
    expect((await waypointOn(file, ...command)).stderr).toMatch(/lies outside the database/);
  expect((await waypointOn(file, "verify")).stdout).toMatch(/1 kept elsewhere, and not checked/);
  expect((await waypointOn(file, "show", "t", "--objects", dir)).code).toBe(0);
  expect((await waypointOn(file, "export", "--no-redact", "--objects", dir)).stdout).toContain(largeText(1));
  expect((await waypointOn(file, "verify", "--objects", dir)).stdout).not.toMatch(/elsewhere/);
  expect((await waypointOn(file, "threads", "--objects", `${dir}s`)).stderr).toMatch(/There is no folder/);
});

it("a key for a database that is not sealed is refused", async () => {
  const plain = join(folder, "plain.db");
  const saver = SlimSaver.fromConnString(plain);
  await tellEverything(saver);
  await saver.close();
  const { stderr } = await waypointOn(plain, "threads", "--key-file", fileOf(key));
  expect(stderr).toMatch(/is not sealed\. Leave the key away/);
});
