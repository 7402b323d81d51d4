/** What others do in the very moment between two steps of a put or a get, one moment at a time. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactRef, fileObjects } from "../../../src/checkpointer/index.js";
import type { ObjectStore, SlimSaver } from "../../../src/checkpointer/index.js";
import { contentOf } from "../fixtures/artifact-content.js";
import { HOUR, begin, clockAt, codeOf, databaseOf, openSaver, rowsOf, sha256, temporaryFolder } from "./support.js";

const LARGE = contentOf(0);
const REF = artifactRef(`artifact://sha256/${sha256(LARGE)}`);

type Moment = "before the put" | "after the put" | "before the get" | "after the get";

/** Two savers of one database; the first does something in a moment of the second, once or always. */
function meeting(
  moment: Moment,
  meanwhile: (other: Others) => Promise<unknown>,
  always = false,
): Others & { saver: SlimSaver } {
  const folder = temporaryFolder();
  const [file, dir] = [join(folder, "agent.db"), join(folder, "objects")];
  const objects = fileObjects(dir);
  const clock = clockAt(Date.now());
  const other = { saver: openSaver(file, { objects, clock }), clock, dir, keys: [] as string[] };
  const state = { armed: true };
  const at = async (now: Moment): Promise<void> => {
    if (now !== moment || !state.armed) return;
    state.armed = always;
    await meanwhile({ ...other, other: other.saver });
  };
  const watched: ObjectStore = {
    put: async (key, bytes) => {
      other.keys.push(key);
      await at("before the put");
      await objects.put(key, bytes);
      await at("after the put");
    },
    get: async (key) => {
      await at("before the get");
      const bytes = await objects.get(key);
      await at("after the get");
      return bytes;
    },
    delete: (key) => objects.delete(key),
    list: (prefix) => objects.list(prefix),
  };
  return { other: other.saver, clock, dir, keys: other.keys, saver: openSaver(file, { objects: watched }) };
}

interface Others {
  readonly other: SlimSaver;
  readonly clock: ReturnType<typeof clockAt>;
  readonly dir: string;
  /** Under which objects were put, in order. */
  readonly keys: string[];
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function isWhole(saver: SlimSaver, threadId: string): Promise<boolean> {
  return LARGE.equals((await saver.getArtifact(REF, { threadId })).data);
}

/** What others wait for until it is opened. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const objectOf = (saver: SlimSaver): string | undefined =>
  databaseOf(saver).get<{ object: string }>("SELECT object FROM waypoint_artifact_contents")?.object;

describe("while a content is on its way out of the process", () => {
  it("a collector that takes the upload for a dead one has it put again", async () => {
    const { saver, other, dir, keys } = meeting("after the put", async ({ other: collector, clock }) => {
      clock.forward(2 * HOUR);
      expect(await collector.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    });
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(keys).toHaveLength(2);
    expect(await isWhole(other, "t")).toBe(true);
    await other.prune({ keep: "latest" });
    expect(filesIn(dir)).toHaveLength(1);
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
  });

  it("collectors that do so for ever make it an error, and nothing is held", async () => {
    const { saver, other, dir, keys } = meeting(
      "after the put",
      async ({ other: collector, clock }) => {
        clock.forward(2 * HOUR);
        await collector.prune({ keep: "latest" });
      },
      true,
    );
    expect(await codeOf(saver.putArtifact(LARGE, { threadId: "t" }))).toBe("OBJECTS_UNAVAILABLE");
    expect(new Set(keys).size).toBe(5);
    await other.prune({ keep: "latest" });
    expect([filesIn(dir), rowsOf(saver)]).toEqual([[], [0, 0, 0]]);
  });

  it("nothing refers to an object that others took for a dead upload and then for one that nobody knows", async () => {
    const { saver, other, dir, keys } = meeting("after the put", async ({ other: collector, clock }) => {
      clock.forward(2 * HOUR);
      databaseOf(collector).run("DELETE FROM waypoint_uploads"); // removed before the payload was there
      await collector.prune({ keep: "latest" }); // finds it now
    });
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(keys).toHaveLength(2);
    expect(objectOf(saver)).toBe(keys[1]);
    await other.prune({ keep: "latest" });
    expect(filesIn(dir)).toHaveLength(1);
    expect(await isWhole(other, "t")).toBe(true);
  });

  it("a collector that removes it before it has come does not forget that it may come", async () => {
    const folder = temporaryFolder();
    const [file, dir] = [join(folder, "agent.db"), join(folder, "objects")];
    const objects = fileObjects(dir);
    const rest = { get: (key: string) => objects.get(key), list: (prefix: string) => objects.list(prefix) };
    const begun = gate();
    const removed = gate();
    const late: ObjectStore = {
      ...rest,
      delete: (key) => objects.delete(key),
      put: async (key, bytes) => {
        begun.open();
        await removed.opened;
        await objects.put(key, bytes);
      },
    };
    const saver = openSaver(file, { objects: late });
    const putting = saver.putArtifact(LARGE, { threadId: "t" });
    await begun.opened;
    const slow: ObjectStore = {
      ...rest,
      put: (key, bytes) => objects.put(key, bytes),
      delete: async (key) => {
        await objects.delete(key);
        removed.open();
        await putting;
      },
    };
    await openSaver(file, { objects: slow, clock: clockAt(Date.now() + 2 * HOUR) }).prune({ keep: "latest" });
    expect(filesIn(dir)).toHaveLength(2);
    expect(await openSaver(file, { objects }).prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
    expect(filesIn(dir)).toHaveLength(1);
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
    expect(await isWhole(saver, "t")).toBe(true);
  });

  it.each(["before the put", "after the put"] as const)(
    "another one that puts the same, %s, is the one that counts, and both threads hold it",
    async (moment) => {
      const { saver, other, dir } = meeting(moment, ({ other: putter }) =>
        putter.putArtifact(LARGE, { threadId: "u" }),
      );
      await saver.putArtifact(LARGE, { threadId: "t" });
      expect(rowsOf(saver)).toEqual([2, 1, 1]);
      expect(await other.prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
      expect([await isWhole(saver, "t"), await isWhole(saver, "u")]).toEqual([true, true]);
      expect(filesIn(dir)).toHaveLength(1);
    },
  );

  it("its thread may be deleted: then it is refused, and what was put is removed", async () => {
    const { saver, other, dir, clock } = meeting("after the put", async ({ other: deleter }) => {
      await begin(deleter, "t");
      await deleter.deleteThread("t");
    });
    expect(await codeOf(saver.putArtifact(LARGE, { threadId: "t" }))).toBe("STALE_CHECKPOINT");
    expect(rowsOf(saver)).toEqual([0, 0, 1]);
    clock.forward(2 * HOUR);
    await other.prune({ keep: "latest" });
    expect([filesIn(dir), rowsOf(saver)]).toEqual([[], [0, 0, 0]]);
  });
});

describe("while a content that is there is looked at", () => {
  it("the last thread that held it may be deleted: then it is put anew", async () => {
    const { saver, other, keys } = meeting("after the get", ({ other: deleter }) => deleter.deleteThread("u"));
    await begin(other, "u");
    await other.putArtifact(LARGE, { threadId: "u" });
    await saver.putArtifact(LARGE, { threadId: "t" });
    expect(keys).toHaveLength(1);
    expect(await isWhole(other, "t")).toBe(true);
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
  });

  it("it may be mended under another key: then it is read there", async () => {
    const { saver, other } = meeting("before the get", async ({ other: mender, dir }) => {
      for (const file of filesIn(dir)) rmSync(file);
      await mender.putArtifact(LARGE, { threadId: "u" });
    });
    await other.putArtifact(LARGE, { threadId: "t" });
    expect(await isWhole(saver, "t")).toBe(true);
  });

  it.each(["before the get", "after the get"] as const)(
    "the thread that reads it may be deleted, %s: it is denied, and not called damaged",
    async (moment) => {
      const { saver, other } = meeting(moment, ({ other: deleter }) => deleter.deleteThread("t"));
      await begin(other, "t");
      await other.putArtifact(LARGE, { threadId: "t" });
      const reading = saver.getArtifact(REF, { threadId: "t" });
      if (moment === "before the get") expect(await codeOf(reading)).toBe("ARTIFACT_DENIED");
      else expect((await reading).bytes).toBe(LARGE.length); // it was allowed when it was read
    },
  );

  it("it may be deleted while it is verified: that is no damage", async () => {
    const { saver, other } = meeting("before the get", ({ other: deleter }) => deleter.deleteThread("t"));
    await begin(other, "t");
    await other.putArtifact(LARGE, { threadId: "t" });
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 0, broken: [], unchecked: 0 } });
  });
});
