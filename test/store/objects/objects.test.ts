import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { prefixStorage } from "unstorage";
import { describe, expect, it, onTestFinished } from "vitest";
import { InvalidInputError } from "../../../src/shared/errors.js";
import { ObjectsUnavailableError } from "../../../src/store/errors.js";
import { fileObjects } from "../../../src/store/objects/file-objects.js";
import { unstorageObjects } from "../../../src/store/objects/unstorage-objects.js";
import { temporaryFolder } from "../../checkpointer/harness.js";
import { Child, runChild } from "../../child.js";
import { PREFIX, keysOf, objectStoreContract, someKey } from "./contract.js";
import { folderStorage, memoryStorage } from "./storages.js";

const WRITER = new URL("../fixtures/object-writer.ts", import.meta.url);

objectStoreContract({ name: "a folder", create: () => fileObjects(temporaryFolder()) });
objectStoreContract({
  name: "a folder that is not there yet",
  create: () => fileObjects(join(temporaryFolder(), "a/b")),
});
objectStoreContract({
  name: "unstorage in memory",
  create: () => unstorageObjects(memoryStorage()),
});
objectStoreContract({
  name: "unstorage in a folder",
  create: () => unstorageObjects(folderStorage(temporaryFolder())),
});
objectStoreContract({
  name: "unstorage below a prefix of its own",
  create: () => unstorageObjects(prefixStorage(memoryStorage(), "luggage")),
});

/** Where a folder keeps the object of a key. */
function fileOf(dir: string, key: string): string {
  const [prefix = "", hash = ""] = key.split("/");
  return join(dir, prefix, hash.slice(0, 2), hash.slice(2));
}

/** Does something without the rights of a superuser, for whom no folder is read-only. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("a folder of objects", () => {
  it("names its files by hashes alone, and lets nobody else read them", async () => {
    const dir = temporaryFolder();
    const key = someKey();
    await fileObjects(join(dir, "made")).put(key, Buffer.from("x"));
    const file = fileOf(join(dir, "made"), key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dir, "made"), { recursive: true }).every((name) => /^[0-9a-f/]+$/.test(String(name)))).toBe(
      true,
    );
  });

  it("two processes that put one object at once are both fine, and it is whole at every moment", async () => {
    const dir = temporaryFolder();
    const key = someKey();
    const writers = [1, 2].map((fill) => runChild(WRITER, { dir, key, fill, megabytes: 4, times: 25 }));
    const ended = Promise.all(writers);
    const writing = { on: true };
    void ended.finally(() => (writing.on = false));
    const reader = fileObjects(dir);
    let seen = 0;
    while (writing.on) {
      const bytes = await reader.get(key);
      if (bytes === undefined) continue;
      seen += 1;
      expect(bytes.length).toBe(4_000_000);
      expect(new Set([bytes[0], bytes[1_999_999], bytes[3_999_999]]).size).toBe(1);
    }
    expect((await ended).map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: "" },
      { code: 0, stderr: "" },
    ]);
    expect(seen).toBeGreaterThan(0);
    expect(readdirSync(dirname(fileOf(dir, key)))).toHaveLength(1);
  });

  it("has nothing under the name of an object whose writer was killed in the middle", async () => {
    const dir = temporaryFolder();
    const key = someKey();
    const shard = dirname(fileOf(dir, key));
    const child = Child.start(WRITER, { dir, key, fill: 7, megabytes: 400, times: 1 });
    await child.message();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        const found = existsSync(shard) ? readdirSync(shard) : [];
        if (found.some((name) => name.endsWith(".tmp") && statSync(join(shard, name)).size > 0)) resolve();
        else setImmediate(look);
      };
      look();
    });
    child.process.kill("SIGKILL");
    expect((await child.ended()).signal).toBe("SIGKILL");

    const store = fileObjects(dir);
    const leftover = readdirSync(shard);
    expect(leftover).toHaveLength(1);
    expect(await store.get(key)).toBeUndefined();
    expect(await keysOf(store)).toEqual([]);
    expect(readdirSync(shard)).toEqual(leftover); // it may be slow and not dead

    const longAgo = Date.now() / 1000 - 2 * 86_400;
    utimesSync(join(shard, leftover[0]!), longAgo, longAgo);
    await store.put(key, Buffer.from("whole"));
    expect(await keysOf(store)).toEqual([key]);
    expect(readdirSync(shard)).toHaveLength(1);
  });

  it("follows no link: not in place of an object, not in place of a folder", async () => {
    const [dir, outside] = [temporaryFolder(), temporaryFolder()];
    const store = fileObjects(dir);
    const key = someKey();
    await store.put(key, Buffer.from("mine"));
    const secret = join(outside, "secret");
    writeFileSync(secret, "not yours");

    rmSync(fileOf(dir, key));
    symlinkSync(secret, fileOf(dir, key));
    expect(await store.get(key)).toBeUndefined();
    expect(await keysOf(store)).toEqual([]);
    await store.put(key, Buffer.from("mine again"));
    expect(readFileSync(secret, "utf8")).toBe("not yours");
    expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("mine again");

    for (const folder of [dirname(fileOf(dir, key)), join(dir, PREFIX)]) {
      rmSync(folder, { recursive: true });
      symlinkSync(outside, folder);
      writeFileSync(join(outside, key.slice(35)), "not yours");
      expect(await store.get(key)).toBeUndefined();
      expect(await keysOf(store)).toEqual([]);
      await store.delete(key);
      await expect(store.put(key, Buffer.from("mine"))).rejects.toThrow(ObjectsUnavailableError);
      expect(readFileSync(join(outside, key.slice(35)), "utf8")).toBe("not yours");
      rmSync(folder);
      mkdirSync(folder);
    }
  });

  it("takes a folder or a pipe in place of an object for nothing, and waits for neither", async () => {
    const dir = temporaryFolder();
    const store = fileObjects(dir);
    const key = someKey();
    mkdirSync(fileOf(dir, key), { recursive: true });
    expect(await store.get(key)).toBeUndefined();
    expect(await keysOf(store)).toEqual([]);
    await expect(store.put(key, Buffer.from("x"))).rejects.toThrow(ObjectsUnavailableError);
    expect(readdirSync(dirname(fileOf(dir, key)))).toHaveLength(1); // nothing temporary is left

    const pipe = someKey();
    await store.put(pipe, Buffer.from("x"));
    rmSync(fileOf(dir, pipe));
    execFileSync("mkfifo", [fileOf(dir, pipe)]);
    expect(await store.get(pipe)).toBeUndefined();
    expect(await keysOf(store)).toEqual([]);
  });

  it("gives out what lies there, cut short or overwritten: whoever asks checks the hash", async () => {
    const dir = temporaryFolder();
    const store = fileObjects(dir);
    const key = someKey();
    await store.put(key, Buffer.from("a content"));
    truncateSync(fileOf(dir, key), 3);
    expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("a c");
    rmSync(fileOf(dir, key));
    expect(await store.get(key)).toBeUndefined();
  });

  it("keeps out of files that are not its own", async () => {
    const dir = temporaryFolder();
    const store = fileObjects(dir);
    const key = someKey();
    await store.put(key, Buffer.from("x"));
    const shard = dirname(fileOf(dir, key));
    const strangers = ["README", "a.tmp", `${"0".repeat(62)}.bak`].map((name) => join(shard, name));
    for (const file of strangers) {
      writeFileSync(file, "x");
      utimesSync(file, 0, 0);
    }
    expect(await keysOf(store)).toEqual([key]);
    expect(strangers.every((file) => existsSync(file))).toBe(true);
  });

  it("says which folder may not be written, and stores nothing", async () => {
    const dir = temporaryFolder();
    chmodSync(dir, 0o555);
    onTestFinished(() => {
      chmodSync(dir, 0o755);
    });
    await asOrdinaryUser(async () => {
      const error: unknown = await fileObjects(dir)
        .put(someKey(), Buffer.from("x"))
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ObjectsUnavailableError);
      expect((error as Error).message).toContain(`"${dir}" cannot be written: EACCES`);
    });
    expect(readdirSync(dir)).toEqual([]);
  });

  it("says that the folder is a file, or lies in one", async () => {
    const file = join(temporaryFolder(), "a-file");
    writeFileSync(file, "precious");
    for (const dir of [file, join(file, "below")]) {
      const store = fileObjects(dir);
      await expect(store.put(someKey(), Buffer.from("x"))).rejects.toThrow(ObjectsUnavailableError);
      await expect(store.get(someKey())).rejects.toThrow(/Check that it is a folder/);
      await expect(store.delete(someKey())).rejects.toThrow(ObjectsUnavailableError);
      await expect(keysOf(store)).rejects.toThrow(ObjectsUnavailableError);
    }
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  it.each([undefined, "", "  ", 5, null, "a\0b"])("refuses %j for a folder", (dir) => {
    expect(() => fileObjects(dir as string)).toThrow(InvalidInputError);
  });
});

describe("unstorage", () => {
  it("is not believed when a driver is read-only and says nothing", async () => {
    const dir = temporaryFolder();
    const writable = unstorageObjects(folderStorage(dir));
    const readOnly = unstorageObjects(folderStorage(dir, { readOnly: true }));
    const key = someKey();
    await writable.put(key, Buffer.from("x"));
    await expect(readOnly.put(someKey(), Buffer.from("y"))).rejects.toThrow(/read-only/);
    await expect(readOnly.delete(key)).rejects.toThrow(/still has it/);
    expect(Buffer.from((await writable.get(key)) ?? []).toString()).toBe("x");
  });

  it("is not believed when a driver hands an error over in place of the bytes", async () => {
    const dir = temporaryFolder();
    const store = unstorageObjects(folderStorage(dir));
    const key = someKey();
    await store.put(key, Buffer.from("x"));
    chmodSync(join(dir, PREFIX), 0o000);
    onTestFinished(() => {
      chmodSync(join(dir, PREFIX), 0o755);
    });
    await asOrdinaryUser(async () => {
      await expect(store.get(key)).rejects.toThrow(ObjectsUnavailableError);
    });
  });

  it("is not believed when a driver keeps something else than the bytes", async () => {
    const storage = memoryStorage();
    const texts = unstorageObjects({
      getItemRaw: (key) => storage.getItem(key),
      setItemRaw: (key, value) => storage.setItem(key, Buffer.from(value).toString("utf8")),
      hasItem: (key) => storage.hasItem(key),
      removeItem: (key) => storage.removeItem(key),
      getKeys: (base) => storage.getKeys(base),
    });
    await expect(texts.put(someKey(), Buffer.from([0xff, 0xfe]))).rejects.toThrow(ObjectsUnavailableError);
  });

  it("takes an ArrayBuffer for the bytes that it holds, as drivers of services return it", async () => {
    const storage = memoryStorage();
    const store = unstorageObjects({
      getItemRaw: async (key) => {
        const kept = await storage.getItemRaw<Uint8Array>(key);
        return kept === null ? null : new Uint8Array(kept).buffer;
      },
      setItemRaw: (key, value) => storage.setItemRaw(key, value),
      hasItem: (key) => storage.hasItem(key),
      removeItem: (key) => storage.removeItem(key),
      getKeys: (base) => storage.getKeys(base),
    });
    const key = someKey();
    await store.put(key, Buffer.from("bytes"));
    expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe("bytes");
  });

  it("passes on what a driver throws, as an error of the package", async () => {
    const failing = (): Promise<never> => Promise.reject(new Error("the bucket is on fire"));
    const store = unstorageObjects({
      getItemRaw: failing,
      setItemRaw: failing,
      hasItem: failing,
      removeItem: failing,
      getKeys: failing,
    });
    for (const call of [
      () => store.put(someKey(), Buffer.from("x")),
      () => store.get(someKey()),
      () => store.delete(someKey()),
      () => keysOf(store),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ObjectsUnavailableError);
      expect((error as Error).message).toContain("the bucket is on fire");
    }
  });

  it.each([undefined, null, {}, { getItemRaw: () => undefined }, "storage"])("refuses %j for a storage", (storage) => {
    expect(() => unstorageObjects(storage as never)).toThrow(InvalidInputError);
  });
});
