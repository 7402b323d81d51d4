import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ArtifactCorruptError,
  ArtifactDeniedError,
  DecryptionError,
  SlimSaver,
  aes256gcm,
  artifactRef,
  fileObjects,
} from "../../../src/checkpointer/index.js";
import type { ArtifactRef, ArtifactRequest, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { InvalidInputError } from "../../../src/shared/errors.js";
import { proveFor, reasonOfOpening } from "../encryption/support.js";
import { begin, codeOf, databaseOf, errorOf, openSaver, rowsOf, sha256, temporaryFolder, textOf } from "./support.js";

const SECRET = "the secret content of an artifact, said once more: the secret content";
const NAME = "a name that tells all";

describe("who may read an artifact", () => {
  it("is told the same whether it does not exist, another thread holds it, or the hook refused", async () => {
    const saver = openSaver(":memory:", { authorize: () => false });
    const ref = await saver.putArtifact(SECRET, { threadId: "owner" });
    const nowhere = artifactRef(`artifact://sha256/${sha256("nowhere")}`);
    await begin(saver, "other");
    const errors = [
      await errorOf(saver.getArtifact(ref, { threadId: "owner" })), // the hook
      await errorOf(saver.getArtifact(ref, { threadId: "other" })),
      await errorOf(saver.getArtifact(ref, { threadId: "nobody" })),
      await errorOf(saver.getArtifact(nowhere, { threadId: "owner" })),
      await errorOf(saver.getArtifact(nowhere, { threadId: "nobody" })),
    ];
    const told = errors.map(({ name, code, message, details, cause }) =>
      JSON.stringify({ name, code, message, details, cause })
        .replaceAll(/artifact:\/\/sha256\/[0-9a-f]{64}/g, "REF")
        .replaceAll(/"?\b(owner|other|nobody)\b\\?"?/g, "THREAD"),
    );
    expect(errors.every((error) => error instanceof ArtifactDeniedError)).toBe(true);
    expect(new Set(told).size).toBe(1);
  });

  it("is asked of the hook only when the thread holds it, with all that is known of it", async () => {
    const asked: ArtifactRequest[] = [];
    const saver = openSaver(":memory:", {
      tenant: "acme",
      authorize: (request) => asked.push(request) > 0,
    });
    const ref = await saver.putArtifact(SECRET, { threadId: "t", name: NAME });
    const nowhere = artifactRef(`artifact://sha256/${sha256("nowhere")}`);
    for (const [wanted, threadId] of [
      [nowhere, "t"],
      [ref, "u"],
    ] as const) {
      expect(await codeOf(saver.getArtifact(wanted, { threadId }))).toBe("ARTIFACT_DENIED");
    }
    expect(asked).toEqual([]);
    await saver.getArtifact(ref, { threadId: "t", context: { user: "ann" } });
    expect(asked).toEqual([
      {
        ref,
        threadId: "t",
        tenant: "acme",
        name: NAME,
        mediaType: "text/plain; charset=utf-8",
        bytes: SECRET.length,
        createdAt: expect.any(String) as string,
        context: { user: "ann" },
      },
    ]);
  });

  it.each([
    ["yes, at once", () => true, true],
    ["yes, later", () => Promise.resolve(true), true],
    ["no, at once", () => false, false],
    ["no, later", () => Promise.resolve(false), false],
    ["nothing", () => undefined, false],
    ["something true, which is not true", () => "yes", false],
    ["an object", () => ({ allowed: true }), false],
    [
      "an error, at once",
      () => {
        throw new Error("the directory is down");
      },
      false,
    ],
    ["an error, later", () => Promise.reject(new Error("the directory is down")), false],
    ["an error that is none", () => Promise.reject(new Error()), false],
  ])("when the hook answers with %s", async (_what, authorize, allowed) => {
    const saver = openSaver(":memory:", { authorize: authorize as SlimSaverOptions["authorize"] & object });
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    const reading = saver.getArtifact(ref, { threadId: "t" });
    if (allowed) expect((await reading).text()).toBe(SECRET);
    else expect(await codeOf(reading)).toBe("ARTIFACT_DENIED");
  });

  it("hears the reason of a hook that fails, as the cause", async () => {
    const reason = new Error("the directory is down");
    const saver = openSaver(":memory:", { authorize: () => Promise.reject(reason) });
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    const error = await errorOf(saver.getArtifact(ref, { threadId: "t" }));
    expect(error.cause).toBe(reason);
    expect(error.message).not.toMatch("directory");
  });

  it("reads nothing of what was let go of while the hook was thinking", async () => {
    const decide: ((answer: boolean) => void)[] = [];
    const saver = openSaver(":memory:", { authorize: () => new Promise<boolean>((resolve) => decide.push(resolve)) });
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    await begin(saver, "t");
    const reading = codeOf(saver.getArtifact(ref, { threadId: "t" }));
    await saver.deleteThread("t");
    decide[0]?.(true);
    expect(await reading).toBe("ARTIFACT_DENIED");
  });
});

describe("tenants", () => {
  it.each([
    ["in the clear", {}],
    ["sealed", { encryption: aes256gcm(randomBytes(32)) }],
  ])("share one file and not one artifact: %s", async (_what, options) => {
    const file = join(temporaryFolder(), "agent.db");
    const [acme, umbrella] = ["acme", "umbrella"].map((tenant) => openSaver(file, { ...options, tenant }));
    const ref = await acme!.putArtifact(SECRET, { threadId: "t", name: "acme's" });
    expect(await codeOf(umbrella!.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_DENIED");
    expect(await umbrella!.stats()).toMatchObject({ artifacts: 0, artifactBytes: 0 });
    expect((await umbrella!.verify()).artifacts).toEqual({ whole: 0, broken: [], unchecked: 0 });

    await umbrella!.putArtifact(SECRET, { threadId: "t", name: "umbrella's" });
    expect(rowsOf(acme!)).toEqual([2, 2, 0]); // not one content for both
    await begin(umbrella!, "t");
    await umbrella!.deleteThread("t");
    expect((await acme!.getArtifact(ref, { threadId: "t" })).name).toBe("acme's");
  });

  it("have nothing in common in an object store that they share, nor is a tenant's name to be seen in it", async () => {
    const folder = temporaryFolder();
    const [file, dir] = [join(folder, "agent.db"), join(folder, "objects")];
    const content = randomBytes(200_000);
    for (const tenant of ["acme", "umbrella"]) {
      const saver = openSaver(file, { tenant, objects: fileObjects(dir) });
      await saver.putArtifact(content, { threadId: "order-7" });
    }
    expect(readdirSync(dir)).toHaveLength(2);
    const names = readdirSync(dir, { recursive: true }).map(String).join(" ");
    expect(names).not.toMatch(/acme|umbrella|order|[^0-9a-f/ ]/);
    expect(names).not.toContain(sha256(content).slice(2));
    expect(names).not.toContain(sha256("acme").slice(0, 32));
  });
});

/** Whoever can write to the database file. */
interface Tampering {
  readonly what: string;
  readonly sql: string;
  readonly parameters?: unknown[];
}

const TAMPERED_CONTENT: Tampering[] = [
  { what: "overwritten", sql: "UPDATE waypoint_artifact_contents SET data = randomblob(length(data))" },
  { what: "cut short", sql: "UPDATE waypoint_artifact_contents SET data = substr(data, 1, length(data) - 1)" },
  { what: "emptied", sql: "UPDATE waypoint_artifact_contents SET data = zeroblob(0)" },
  { what: "made a text", sql: "UPDATE waypoint_artifact_contents SET data = 'a text'" },
  { what: "made a number", sql: "UPDATE waypoint_artifact_contents SET data = 7" },
  { what: "said to be plain", sql: "UPDATE waypoint_artifact_contents SET deflated = 0" },
  { what: "lengthened", sql: "UPDATE waypoint_artifact_contents SET data = data || x'00'" },
];

const TAMPERED_LABEL: Tampering[] = [
  { what: "overwritten", sql: "UPDATE waypoint_artifacts SET label = CAST(hex(randomblob(40)) AS TEXT)" },
  { what: "emptied", sql: "UPDATE waypoint_artifacts SET label = ''" },
  { what: "of no shape", sql: `UPDATE waypoint_artifacts SET label = '{"hash":5}'` },
  { what: "null", sql: "UPDATE waypoint_artifacts SET label = 'null'" },
  { what: "without an age", sql: "UPDATE waypoint_artifacts SET created_at = 'yesterday'" },
  { what: "of an impossible age", sql: "UPDATE waypoint_artifacts SET created_at = 9e18" },
  {
    what: "that names another content",
    sql: "UPDATE waypoint_artifacts SET label = replace(label, substr(label, 10, 64), ?)",
    parameters: [sha256("another")],
  },
  {
    what: "of a length that is none",
    sql: `UPDATE waypoint_artifacts SET label = replace(label, '"bytes":', '"bytes":-')`,
  },
];

describe("a database that somebody has written to", () => {
  it.each(TAMPERED_CONTENT)(
    "hands no content out that was $what, names it, and is mended by a put",
    async ({ sql }) => {
      const saver = openSaver();
      const ref = await saver.putArtifact(SECRET.repeat(9), { threadId: "t" });
      databaseOf(saver).run(sql);
      const error = await errorOf(saver.getArtifact(ref, { threadId: "t" }));
      expect(error).toBeInstanceOf(ArtifactCorruptError);
      expect(error.message).toContain(ref);
      expect(error.details).toEqual({ ref, threadId: "t", what: "corrupt" });
      expect(await saver.verify()).toMatchObject({
        ok: false,
        artifacts: { whole: 0, broken: [{ ref, threadId: "t", what: "corrupt" }] },
      });
      await saver.putArtifact(SECRET.repeat(9), { threadId: "another" });
      expect(await textOf(saver, ref, "t")).toBe(SECRET.repeat(9));
      expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 2 } });
    },
  );

  it("says that a content is missing, and a put brings it back", async () => {
    const saver = openSaver();
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    databaseOf(saver).run("DELETE FROM waypoint_artifact_contents");
    const error = await errorOf(saver.getArtifact(ref, { threadId: "t" }));
    expect(error.details).toEqual({ ref, threadId: "t", what: "missing" });
    expect((await saver.verify()).artifacts.broken).toEqual([{ ref, threadId: "t", what: "missing" }]);
    await saver.putArtifact(SECRET, { threadId: "t" });
    expect(await textOf(saver, ref, "t")).toBe(SECRET);
  });

  it.each(TAMPERED_LABEL)("believes no label that is $what", async ({ sql, parameters = [] }) => {
    const saver = openSaver();
    await begin(saver, "t");
    const ref = await saver.putArtifact(SECRET, { threadId: "t", name: NAME });
    databaseOf(saver).run(sql, ...parameters);
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_CORRUPT");
    expect(await codeOf(saver.position("t"))).toBe("ARTIFACT_CORRUPT");
    expect((await saver.verify()).artifacts.broken).toEqual([{ ref: undefined, threadId: "t", what: "corrupt" }]);
  });

  it("mends a damaged label when the artifact is put again", async () => {
    const saver = openSaver();
    const ref = await saver.putArtifact(SECRET, { threadId: "t", name: NAME });
    databaseOf(saver).run("UPDATE waypoint_artifacts SET label = 'x'");
    await saver.putArtifact(SECRET, { threadId: "t", name: "again" });
    expect((await saver.getArtifact(ref, { threadId: "t" })).name).toBe("again");
  });

  it("does not let a few bytes swell to gigabytes", async () => {
    const saver = openSaver();
    const ref = await saver.putArtifact(SECRET.repeat(9), { threadId: "t" });
    const bomb = deflateRawSync(new Uint8Array(300_000_000));
    databaseOf(saver).run("UPDATE waypoint_artifact_contents SET data = ?", bomb);
    const before = process.memoryUsage().rss;
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_CORRUPT");
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });
});

/** Every byte that is on disk, of the database and of the objects. */
function onDisk(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
}

describe("with encryption", () => {
  const key = randomBytes(32);
  const sealed = { encryption: aes256gcm(key) };

  it("what was put comes back, from the database and from outside it", async () => {
    const folder = temporaryFolder();
    const saver = openSaver(join(folder, "agent.db"), { ...sealed, objects: fileObjects(join(folder, "objects")) });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        const ref = await saver.putArtifact(bytes, { threadId: "t" });
        expect(ref).toBe(`artifact://sha256/${sha256(bytes)}`);
        expect((await saver.getArtifact(ref, { threadId: "t" })).data).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
    const large = randomBytes(300_000);
    const ref = await saver.putArtifact(large, { threadId: "t" });
    expect(Buffer.from((await saver.getArtifact(ref, { threadId: "t" })).data).equals(large)).toBe(true);
    expect((await saver.verify()).artifacts.broken).toEqual([]);
  });

  it("nothing of it is to be read on disk: content, name, media type, reference", async () => {
    const folder = temporaryFolder();
    const dir = join(folder, "objects");
    const options = { objects: fileObjects(dir) };
    const large = `${SECRET}${randomBytes(100_000).toString("base64")}`;
    const traces = (ref: ArtifactRef): string[] => [SECRET, NAME, "x-secret", ref.slice(-64), sha256(large)];
    const put = async (file: string, given: SlimSaverOptions): Promise<ArtifactRef> => {
      const saver = SlimSaver.fromConnString(join(folder, file), { ...options, ...given });
      const ref = await saver.putArtifact(SECRET, { threadId: "t", name: NAME, mediaType: "text/x-secret" });
      await saver.putArtifact(large, { threadId: "t" });
      await saver.close();
      return ref;
    };
    const ref = await put("sealed.db", sealed);
    const bytes = onDisk(folder);
    for (const trace of traces(ref)) expect(bytes.includes(trace), trace).toBe(false);
    expect(bytes.includes(Buffer.from(ref.slice(-64), "hex"))).toBe(false);
    await put("plain.db", {}); // what is looked for is found where it is
    const plain = onDisk(folder);
    for (const trace of [NAME, "x-secret", ref.slice(-64)]) expect(plain.includes(trace), trace).toBe(true);
  });

  it("one content is kept once all the same, and copies and deletions know it", async () => {
    const saver = openSaver(":memory:", sealed);
    for (const name of ["a", "b"]) await begin(saver, name);
    const ref = await saver.putArtifact(SECRET, { threadId: "a", name: NAME });
    await saver.putArtifact(SECRET, { threadId: "b" });
    await saver.copyThread("a", "c");
    expect(rowsOf(saver)).toEqual([3, 1, 0]);
    await saver.deleteThread("a");
    const copy = await saver.getArtifact(ref, { threadId: "c" });
    expect([copy.text(), copy.name]).toEqual([SECRET, NAME]);
  });

  it("another key, or none, is a clear error in every method, and changes nothing", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const saver = openSaver(file, sealed);
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    const before = rowsOf(saver);
    for (const encryption of [aes256gcm(randomBytes(32)), undefined]) {
      const options = encryption === undefined ? {} : { encryption };
      expect(reasonOfOpening(file, options)).toBe("key");
      proveFor(saver, encryption);
      const wrong = openSaver(file, options);
      const calls = [
        wrong.getArtifact(ref, { threadId: "t" }),
        wrong.putArtifact(SECRET, { threadId: "t" }),
        wrong.putArtifact("another", { threadId: "t" }),
      ];
      for (const call of calls) {
        const error = await errorOf(call);
        expect(error).toBeInstanceOf(DecryptionError);
        expect(error.details.reason).toBe("key");
      }
      expect(await wrong.stats()).toMatchObject({ artifacts: 1 });
      if (encryption === undefined) {
        expect(await wrong.verify()).toMatchObject({ ok: true, artifacts: { whole: 0, unchecked: 1 } });
      } else {
        await expect(wrong.verify()).rejects.toThrow(DecryptionError);
      }
    }
    expect(rowsOf(saver)).toEqual(before);
    expect(await textOf(saver, ref, "t")).toBe(SECRET);
  });

  it("rows in the clear are refused, also where they were stored before it was turned on (R53)", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const plain = openSaver(file);
    const ref = await plain.putArtifact(SECRET, { threadId: "t" });
    expect(reasonOfOpening(file, sealed)).toBe("unmarked");
    proveFor(plain, sealed.encryption);
    const saver = openSaver(file, sealed);
    for (const call of [saver.getArtifact(ref, { threadId: "t" }), saver.putArtifact("x", { threadId: "t" })]) {
      expect((await errorOf(call)).details.reason).toBe("unmarked");
    }
    expect((await saver.verify()).artifacts.broken).toEqual([{ ref: undefined, threadId: "t", what: "corrupt" }]);
    expect(await textOf(plain, ref, "t")).toBe(SECRET);
  });

  it("a content in the clear is refused where a sealed one stood, and a label too", async () => {
    const saver = openSaver(":memory:", sealed);
    const ref = await saver.putArtifact(SECRET, { threadId: "t" });
    const database = databaseOf(saver);
    database.run("UPDATE waypoint_artifact_contents SET sealed = 0, deflated = 0, data = ?", Buffer.from(SECRET));
    expect((await errorOf(saver.getArtifact(ref, { threadId: "t" }))).details.reason).toBe("unmarked");
    database.run("UPDATE waypoint_artifact_contents SET sealed = 1");
    expect((await errorOf(saver.getArtifact(ref, { threadId: "t" }))).details.reason).toBe("unmarked");
    const label = JSON.stringify({ hash: ref.slice(-64), bytes: SECRET.length, mediaType: "text/plain" });
    for (const forged of [label, Buffer.from(label)]) {
      database.run("UPDATE waypoint_artifacts SET label = ?", forged);
      expect((await errorOf(saver.getArtifact(ref, { threadId: "t" }))).details.reason).toBe("unmarked");
    }
  });

  it.each(TAMPERED_CONTENT)("hands no content out that was $what, and is mended by a put", async ({ sql }) => {
    const saver = openSaver(":memory:", sealed);
    const ref = await saver.putArtifact(SECRET.repeat(9), { threadId: "t" });
    databaseOf(saver).run(sql);
    // What does not even begin like a sealed value is called unmarked.
    expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toMatch(/^(ARTIFACT_CORRUPT|DECRYPTION_FAILED)$/);
    expect((await saver.verify()).artifacts.broken).toEqual([{ ref, threadId: "t", what: "corrupt" }]);
    await saver.putArtifact(SECRET.repeat(9), { threadId: "t" });
    expect(await textOf(saver, ref, "t")).toBe(SECRET.repeat(9));
  });

  it("a row that is moved gives nobody what it gave to another: not a thread, not a tenant, not a reference", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const saver = openSaver(file, { ...sealed, tenant: "acme" });
    const ref = await saver.putArtifact(SECRET, { threadId: "owner" });
    const umbrella = openSaver(file, { ...sealed, tenant: "umbrella" });
    const handle = new Database(file);
    const forge = (sql: string): void => void handle.prepare(sql).run();

    forge(`INSERT INTO waypoint_artifacts SELECT tenant, 'thief', hash, label, created_at FROM waypoint_artifacts`);
    expect(await codeOf(saver.getArtifact(ref, { threadId: "thief" }))).toBe("ARTIFACT_CORRUPT");

    forge(`INSERT INTO waypoint_artifacts SELECT 'umbrella', thread, hash, label, created_at FROM waypoint_artifacts
      WHERE thread = 'owner'`);
    expect(await codeOf(umbrella.getArtifact(ref, { threadId: "owner" }))).toBe("ARTIFACT_DENIED");

    const mine = await saver.putArtifact("mine, as long as a secret is", { threadId: "owner" });
    forge(`UPDATE waypoint_artifact_contents SET data = (SELECT max(data) FROM waypoint_artifact_contents)`);
    const codes = [ref, mine].map((wanted) =>
      saver.getArtifact(wanted, { threadId: "owner" }).then(
        () => "read",
        () => "refused",
      ),
    );
    expect((await Promise.all(codes)).sort()).toEqual(["read", "refused"]);
    handle.close();
  });
});

describe("options", () => {
  it.each([
    [{ objects: "a folder" }],
    [{ objects: {} }],
    [{ objects: { put: () => undefined } }],
    [{ objects: null }],
    [{ encryption: randomBytes(32) }],
    [{ encryption: { seal: () => undefined } }],
    [{ encryption: "key" }],
    [{ authorize: true }],
    [{ authorize: {} }],
  ])("that are none are refused before anything is opened: %j", (options) => {
    const file = join(temporaryFolder(), "agent.db");
    expect(() => SlimSaver.fromConnString(file, options as never)).toThrow(InvalidInputError);
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });
});
