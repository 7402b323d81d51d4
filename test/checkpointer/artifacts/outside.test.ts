import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ArtifactCorruptError,
  ObjectsUnavailableError,
  aes256gcm,
  artifactRef,
} from "../../../src/checkpointer/index.js";
import { fileObjects, unstorageObjects } from "../../../src/checkpointer/index.js";
import type { ObjectStore, SlimSaver, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { Child, runChild } from "../../child.js";
import { folderStorage, memoryStorage } from "../../store/objects/storages.js";
import { contentOf } from "../fixtures/artifact-content.js";
import {
  HOUR,
  begin,
  clockAt,
  codeOf,
  databaseOf,
  errorOf,
  openSaver,
  rowsOf,
  sha256,
  temporaryFolder,
} from "./support.js";

const PUTTER = new URL("../fixtures/artifact-putter.ts", import.meta.url);
const COLLECTOR = new URL("../fixtures/artifact-collector.ts", import.meta.url);
const VICTIM = new URL("../fixtures/artifact-victim.ts", import.meta.url);

const LARGE = contentOf(0);

interface Place {
  readonly saver: SlimSaver;
  readonly file: string;
  readonly dir: string;
}

function open(options: SlimSaverOptions = {}): Place {
  const folder = temporaryFolder();
  const [file, dir] = [join(folder, "agent.db"), join(folder, "objects")];
  return { saver: openSaver(file, { objects: fileObjects(dir), ...options }), file, dir };
}

/** The files in a folder of objects. */
function filesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe.each([
  ["a folder", () => fileObjects(temporaryFolder())],
  ["unstorage in memory", () => unstorageObjects(memoryStorage())],
  ["unstorage in a folder", () => unstorageObjects(folderStorage(temporaryFolder()))],
])("large contents in %s", (_name, objects) => {
  it.each([
    ["in the clear", {}],
    ["sealed", { encryption: aes256gcm(randomBytes(32)) }],
  ])("come back, are shared, copied and deleted like small ones: %s", async (_what, options) => {
    const saver = openSaver(join(temporaryFolder(), "agent.db"), { ...options, objects: objects() });
    for (const name of ["a", "b"]) await begin(saver, name);
    const ref = await saver.putArtifact(LARGE, { threadId: "a", name: "large" });
    expect(ref).toBe(`artifact://sha256/${sha256(LARGE)}`);
    await saver.putArtifact(LARGE, { threadId: "b" });
    await saver.copyThread("a", "c");
    expect(rowsOf(saver)).toEqual([3, 1, 0]);
    expect(databaseOf(saver).get("SELECT length(data) AS n FROM waypoint_artifact_contents")).toEqual({ n: null });
    expect((await saver.stats()).artifactBytes).toBeGreaterThanOrEqual(LARGE.length);
    await saver.deleteThread("a");
    for (const threadId of ["b", "c"]) {
      expect(LARGE.equals((await saver.getArtifact(ref, { threadId })).data)).toBe(true);
    }
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 2, broken: [], unchecked: 0 } });
    for (const name of ["b", "c"]) await saver.deleteThread(name);
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 0 });
  });
});

describe("what goes outside", () => {
  it("is what is large as it is stored: not what is small, and not what deflates to little", async () => {
    const { saver, dir } = open();
    await saver.putArtifact("small", { threadId: "t" });
    await saver.putArtifact("0".repeat(1_000_000), { threadId: "t" });
    expect(filesIn(dir)).toEqual([]);
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(filesIn(dir)).toHaveLength(1);
  });

  it("is there before anything refers to it, and stays until nothing does", async () => {
    const { saver: probe, file, dir } = open();
    const folder = fileObjects(dir);
    const seen: string[] = [];
    const watch = (what: string): void => {
      const [holdings, contents, uploads] = rowsOf(probe);
      seen.push(`${what}: ${filesIn(dir).length} file, ${contents} content, ${holdings} holding, ${uploads} upload`);
    };
    const objects: ObjectStore = {
      ...folder,
      get: (key) => folder.get(key),
      list: (prefix) => folder.list(prefix),
      put: async (key, bytes) => {
        watch("before the put");
        await folder.put(key, bytes);
        watch("after the put");
      },
      delete: async (key) => {
        watch("before the delete");
        await folder.delete(key);
        watch("after the delete");
      },
    };
    const saver = openSaver(file, { objects });
    await saver.putArtifact(LARGE, { threadId: "t" });
    watch("in between");
    await saver.deleteThread("t");
    expect(seen).toEqual([
      "before the put: 0 file, 0 content, 0 holding, 1 upload",
      "after the put: 1 file, 0 content, 0 holding, 1 upload",
      "in between: 1 file, 1 content, 1 holding, 0 upload",
      "before the delete: 1 file, 0 content, 0 holding, 1 upload",
      "after the delete: 0 file, 0 content, 0 holding, 1 upload",
    ]);
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });

  it("has a key of its own each time: what is deleted late is never what was put since", async () => {
    const { saver, dir } = open();
    await begin(saver, "t");
    await saver.putArtifact(LARGE, { threadId: "t" });
    const [first] = filesIn(dir);
    await saver.deleteThread("t");
    await begin(saver, "t");
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(filesIn(dir)).toHaveLength(1);
    expect(filesIn(dir)[0]).not.toBe(first);
  });
});

describe("an object store that fails", () => {
  const failing = (what: keyof ObjectStore, dir: string): ObjectStore => {
    const folder = fileObjects(dir);
    const broken = (): never => {
      throw new Error("the bucket is on fire");
    };
    return {
      put: (key, bytes) => (what === "put" ? broken() : folder.put(key, bytes)),
      get: (key) => (what === "get" ? broken() : folder.get(key)),
      delete: (key) => (what === "delete" ? broken() : folder.delete(key)),
      list: (prefix) => (what === "list" ? broken() : folder.list(prefix)),
    };
  };

  it("when something is put leaves nothing that refers to it, and the leftover goes after the grace", async () => {
    const clock = clockAt(Date.UTC(2026, 10, 30));
    const { saver, file, dir } = open({ clock });
    const broken = openSaver(file, { objects: failing("put", dir), clock });
    const error = await errorOf(broken.putArtifact(LARGE, { threadId: "t" }));
    expect(error).toBeInstanceOf(ObjectsUnavailableError);
    expect(error.message).toContain("the bucket is on fire");
    expect(rowsOf(saver)).toEqual([0, 0, 1]);
    clock.forward(HOUR - 1);
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 0 });
    clock.forward(2);
    expect(await saver.prune({ keep: "latest", dryRun: true })).toMatchObject({ leftovers: 1 });
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });

  it("when something is read is called that, and not damage", async () => {
    const { saver, file, dir } = open();
    const ref = await saver.putArtifact(LARGE, { threadId: "t" });
    const broken = openSaver(file, { objects: failing("get", dir) });
    expect(await codeOf(broken.getArtifact(ref, { threadId: "t" }))).toBe("OBJECTS_UNAVAILABLE");
    await expect(broken.verify()).rejects.toThrow(ObjectsUnavailableError);
    expect(await saver.verify()).toMatchObject({ ok: true });
  });

  it("when a thread is deleted has the thread deleted all the same, says what is left, and is tried again", async () => {
    const { saver, file, dir } = open();
    const broken = openSaver(file, { objects: failing("delete", dir) });
    await begin(saver, "t");
    const ref = await saver.putArtifact(LARGE, { threadId: "t" });
    const error = await errorOf(broken.deleteThread("t"));
    expect([error.code, error.details.left]).toEqual(["OBJECTS_UNAVAILABLE", 1]);
    expect(await saver.getTuple({ configurable: { thread_id: "t" } })).toBeUndefined();
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_DENIED");
    expect(filesIn(dir)).toHaveLength(1);
    await saver.deleteThread("t");
    expect([filesIn(dir), rowsOf(saver)]).toEqual([[], [0, 0, 0]]);
  });

  it("when its keys are listed fails the prune with that, after all else was done", async () => {
    const { saver, file, dir } = open();
    const broken = openSaver(file, { objects: failing("list", dir) });
    for (let count = 0; count < 3; count += 1) await begin(saver, "t");
    expect(await codeOf(broken.prune({ keep: "latest" }))).toBe("OBJECTS_UNAVAILABLE");
    expect((await saver.stats()).checkpoints).toBe(1);
  });

  it("or is of nobody's making, and returns nonsense, is an error of the package", async () => {
    const nonsense = {
      put: () => "done",
      get: () => Promise.resolve("a text"),
      delete: () => undefined,
      list: () => ["../../etc/passwd", 5, null],
    } as unknown as ObjectStore;
    const saver = openSaver(":memory:", { objects: nonsense });
    const ref = await saver.putArtifact(LARGE, { threadId: "t" });
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("OBJECTS_UNAVAILABLE");
    expect(await codeOf(saver.prune({ keep: "latest" }))).toBe("OBJECTS_UNAVAILABLE");
    const strange = openSaver(":memory:", {
      objects: {
        ...nonsense,
        async *list() {
          yield* ["../../etc/passwd", "", `${"f".repeat(32)}/${"a".repeat(64)}`];
        },
      },
    });
    expect(await strange.prune({ keep: "latest" })).toMatchObject({ leftovers: 0 });
    expect(rowsOf(strange)).toEqual([0, 0, 0]);
  });

  it("that was not given is named, and nothing is called damaged for it", async () => {
    const { saver, file, dir } = open();
    await begin(saver, "t");
    const ref = await saver.putArtifact(LARGE, { threadId: "t", name: "large" });
    const without = openSaver(file);
    const error = await errorOf(without.getArtifact(ref, { threadId: "t" }));
    expect([error.code, error.message]).toEqual([
      "OBJECTS_UNAVAILABLE",
      expect.stringContaining("without the option objects"),
    ]);
    expect(await without.verify()).toMatchObject({ ok: true, artifacts: { whole: 0, broken: [], unchecked: 1 } });
    expect((await without.position("t"))?.references.at(-1)).toMatchObject({ kind: "artifact", name: "large" });
    await without.deleteThread("t");
    expect(filesIn(dir)).toHaveLength(1);
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    expect(filesIn(dir)).toEqual([]);
  });
});

describe("a folder of objects that somebody has changed", () => {
  const changes: [string, (file: string) => void, "missing" | "corrupt"][] = [
    ["removed", (file) => rmSync(file), "missing"],
    ["cut short", (file) => truncateSync(file, 1000), "corrupt"],
    ["emptied", (file) => truncateSync(file, 0), "corrupt"],
    ["overwritten", (file) => writeFileSync(file, contentOf(9)), "corrupt"],
    [
      "replaced by a link",
      (file) => {
        rmSync(file);
        symlinkSync("/etc/hostname", file);
      },
      "missing",
    ],
  ];
  it.each(changes)("hands nothing out that was %s, and is mended by a put", async (_what, change, what) => {
    const { saver, dir } = open();
    const ref = await saver.putArtifact(LARGE, { threadId: "t" });
    change(filesIn(dir)[0]!);
    const error = await errorOf(saver.getArtifact(ref, { threadId: "t" }));
    expect(error).toBeInstanceOf(ArtifactCorruptError);
    expect(error.details).toEqual({ ref, threadId: "t", what });
    expect((await saver.verify()).artifacts.broken).toEqual([{ ref, threadId: "t", what }]);
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(LARGE.equals((await saver.getArtifact(ref, { threadId: "t" })).data)).toBe(true);
    await saver.prune({ keep: "latest" });
    expect(filesIn(dir)).toHaveLength(1);
  });

  it("keeps objects that it does not know for an hour, in case a backup does, and removes them then", async () => {
    const clock = clockAt(Date.UTC(2026, 10, 30));
    const { saver, dir } = open({ clock });
    await saver.putArtifact(LARGE, { threadId: "t" });
    const [prefix = ""] = readdirSync(dir);
    const stray = `${prefix}/${"ab".repeat(32)}`;
    await fileObjects(dir).put(stray, Buffer.from("of an upload whose row a power cut took"));
    await fileObjects(dir).put(`${"f".repeat(32)}/${"ab".repeat(32)}`, Buffer.from("of another database"));
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 0 });
    clock.forward(HOUR + 1);
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    expect(filesIn(dir)).toHaveLength(2);
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 1 } });
  });
});

describe("processes that die or meet", () => {
  it.each(["before the payload", "after the payload"])("one that is killed %s leaves no reference", async (die) => {
    const clock = clockAt(Date.now());
    const { saver, file, dir } = open({ clock });
    expect((await runChild(VICTIM, { file, dir, die })).signal).toBe("SIGKILL");
    const [holdings, contents, uploads] = rowsOf(saver);
    expect([holdings, contents, uploads]).toEqual([0, 0, 1]);
    const ref = artifactRef(`artifact://sha256/${sha256(contentOf(1))}`);
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_DENIED");
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 0, broken: [] } });
    clock.forward(2 * HOUR);
    expect(await saver.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    expect([filesIn(dir), rowsOf(saver)]).toEqual([[], [0, 0, 0]]);
  });

  it("one that is killed after its put has put it", async () => {
    const { saver, file, dir } = open();
    expect((await runChild(VICTIM, { file, dir, die: "never" })).signal).toBe("SIGKILL");
    const ref = artifactRef(`artifact://sha256/${sha256(contentOf(1))}`);
    expect(contentOf(1).equals((await saver.getArtifact(ref, { threadId: "t" })).data)).toBe(true);
  });

  it.each([
    ["on time", 0],
    ["two hours ahead, so that it takes every upload for a dead one", 2 * HOUR],
  ])(
    "two that put the same, and delete it, lose nothing while a third collects; its clock is %s",
    { timeout: 120_000 },
    async (_what, ahead) => {
      const { saver, file, dir } = open();
      const collector = Child.start(COLLECTOR, { file, dir, ahead });
      await collector.message();
      const putters = ["one", "two"].map((who) => runChild(PUTTER, { file, dir, who, rounds: 60, contents: 3 }));
      const ended = await Promise.all(putters);
      collector.send({ stop: true });
      expect(await collector.ended()).toMatchObject({ code: 0, stderr: "" });

      for (const { code, stderr, messages } of ended) {
        const [report] = messages as [{ put: number; lost: string[]; refused: string[] }];
        expect([code, stderr, report.lost]).toEqual([0, "", []]);
        expect(report.put + report.refused.length).toBe(60);
        expect(report.put).toBeGreaterThan(0);
      }
      const { artifacts, ok } = await saver.verify();
      expect([ok, artifacts.broken, artifacts.unchecked]).toEqual([true, [], 0]);
      expect(artifacts.whole).toBeGreaterThan(0);
      await saver.prune({ keep: "latest" });
      const [, contents] = rowsOf(saver);
      expect([contents, filesIn(dir).length]).toEqual([3, 3]);
    },
  );
});

it("a folder that cannot be written is an error that stores nothing", async () => {
  const { saver, dir } = open();
  writeFileSync(dir, "a file in place of the folder");
  expect(await codeOf(saver.putArtifact(LARGE, { threadId: "t" }))).toBe("OBJECTS_UNAVAILABLE");
  const [holdings, contents] = rowsOf(saver);
  expect([holdings, contents]).toEqual([0, 0]);
  chmodSync(dir, 0o600);
  const small = await saver.putArtifact("small ones need no folder", { threadId: "t" });
  expect((await saver.getArtifact(small, { threadId: "t" })).bytes).toBe(25);
});
