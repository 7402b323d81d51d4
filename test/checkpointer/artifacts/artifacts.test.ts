import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { artifactRef } from "../../../src/checkpointer/index.js";
import type { ArtifactRef } from "../../../src/checkpointer/index.js";
import { InvalidInputError } from "../../../src/shared/errors.js";
import {
  begin,
  clockAt,
  codeOf,
  databaseOf,
  errorOf,
  openSaver,
  rowsOf,
  sha256,
  temporaryFolder,
  textOf,
  thread,
} from "./support.js";

const wellFormed = fc.string({ unit: "binary", maxLength: 200 });

describe("what was put comes back as it went in", () => {
  it("bytes", async () => {
    const saver = openSaver();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const ref = await saver.putArtifact(bytes, { threadId: "t" });
        expect(ref).toBe(`artifact://sha256/${sha256(bytes)}`);
        const artifact = await saver.getArtifact(ref, { threadId: "t" });
        expect(artifact.data).toEqual(bytes);
        expect([artifact.bytes, artifact.mediaType]).toEqual([bytes.length, "application/octet-stream"]);
      }),
    );
  });

  it("texts, whatever they hold, as UTF-8", async () => {
    const saver = openSaver();
    await fc.assert(
      fc.asyncProperty(wellFormed, async (text) => {
        const ref = await saver.putArtifact(text, { threadId: "t" });
        expect(ref).toBe(`artifact://sha256/${sha256(text)}`);
        expect(await textOf(saver, ref, "t")).toBe(text);
      }),
    );
    for (const text of ["", "\uFEFFwith a mark", "a\0b", "\u{10ffff}", "x".repeat(300_000)]) {
      const ref = await saver.putArtifact(text, { threadId: "u" });
      const artifact = await saver.getArtifact(ref, { threadId: "u" });
      expect(artifact.text()).toBe(text);
      expect(artifact.mediaType).toBe("text/plain; charset=utf-8");
    }
  });

  it("data, with its keys in the order they had", async () => {
    const saver = openSaver();
    const jsonObject = fc.oneof(
      fc.dictionary(wellFormed, fc.jsonValue({ depthSize: "small" })),
      fc.array(fc.jsonValue({ depthSize: "small" })),
    );
    await fc.assert(
      fc.asyncProperty(jsonObject, async (data) => {
        const text = JSON.stringify(data);
        fc.pre(!text.includes("-0") && JSON.stringify(JSON.parse(text)) === text && !/\\ud[89a-f]/i.test(text));
        fc.pre(!hasMinusZero(data));
        const artifact = await saver.getArtifact(await saver.putArtifact(data, { threadId: "t" }), { threadId: "t" });
        expect(JSON.stringify(artifact.json())).toBe(text);
        expect(artifact.mediaType).toBe("application/json");
      }),
    );
    const data = JSON.parse('{"z":1,"a":[true,null,"x"],"__proto__":{"isAdmin":true}}') as object;
    const artifact = await saver.getArtifact(await saver.putArtifact(data, { threadId: "t" }), { threadId: "t" });
    expect(artifact.text()).toBe('{"z":1,"a":[true,null,"x"],"__proto__":{"isAdmin":true}}');
    expect((artifact.json() as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it("20 MB of it, and of what deflates to nearly nothing", async () => {
    const saver = openSaver(join(temporaryFolder(), "agent.db"));
    const bytes = new Uint8Array(20_000_000).map((_, index) => (index * 2_654_435_761) >>> 13);
    const zeros = new Uint8Array(20_000_000);
    for (const content of [bytes, zeros]) {
      const ref = await saver.putArtifact(content, { threadId: "t" });
      const { data } = await saver.getArtifact(ref, { threadId: "t" });
      expect(Buffer.from(data).equals(content)).toBe(true);
    }
    expect((await saver.stats()).artifactBytes).toBeLessThan(20_100_000);
    expect((await saver.verify()).artifacts).toEqual({ whole: 2, broken: [], unchecked: 0 });
  });

  it("bytes of another realm, and a view of a larger buffer", async () => {
    const saver = openSaver();
    const foreign = runInNewContext("new Uint8Array([1, 2, 3])") as Uint8Array;
    const ref = await saver.putArtifact(foreign, { threadId: "t" });
    expect((await saver.getArtifact(ref, { threadId: "t" })).data).toEqual(new Uint8Array([1, 2, 3]));
    const view = await saver.putArtifact(Buffer.from("not this, but this").subarray(14), { threadId: "t" });
    expect(await textOf(saver, view, "t")).toBe("this");
  });

  it("as it was when it was put: what the caller does with it afterwards changes nothing", async () => {
    const saver = openSaver();
    const [bytes, data] = [Buffer.from("as it was"), { list: ["as it was"] }];
    const putting = [saver.putArtifact(bytes, { threadId: "t" }), saver.putArtifact(data, { threadId: "t" })] as const;
    bytes.fill(0);
    data.list[0] = "changed";
    const [one, two] = await Promise.all(putting);
    expect(await textOf(saver, one, "t")).toBe("as it was");
    expect(await textOf(saver, two, "t")).toBe('{"list":["as it was"]}');
  });

  it("in bytes that nobody else has", async () => {
    const saver = openSaver();
    const ref = await saver.putArtifact("mine", { threadId: "t" });
    const first = await saver.getArtifact(ref, { threadId: "t" });
    first.data.fill(0);
    expect(await textOf(saver, ref, "t")).toBe("mine");
    expect(first.data.buffer.byteLength).toBe(4); // no window into other people's memory
    expect(Object.getPrototypeOf(first.data)).toBe(Uint8Array.prototype);
  });
});

function hasMinusZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasMinusZero);
  return Object.is(value, -0);
}

describe("an artifact", () => {
  it("says its name, its type, its length and since when the thread holds it", async () => {
    const saver = openSaver(":memory:", { clock: clockAt(Date.UTC(2026, 10, 30)) });
    const ref = await saver.putArtifact("a,b\n1,2\n", {
      threadId: "t",
      name: "übersicht ✓.csv",
      mediaType: "text/csv",
    });
    expect(await saver.getArtifact(ref, { threadId: "t" })).toMatchObject({
      ref,
      name: "übersicht ✓.csv",
      mediaType: "text/csv",
      bytes: 8,
      createdAt: "2026-11-30T00:00:00.000Z",
    });
  });

  it("is called what it was called last; what is not said again stays, and so does its age", async () => {
    const clock = clockAt(1000);
    const saver = openSaver(":memory:", { clock });
    const ref = await saver.putArtifact("x", { threadId: "t", name: "first", mediaType: "text/markdown" });
    clock.forward(5000);
    await saver.putArtifact(Buffer.from("x"), { threadId: "t" });
    expect(await saver.getArtifact(ref, { threadId: "t" })).toMatchObject({
      name: "first",
      mediaType: "text/markdown",
      createdAt: "1970-01-01T00:00:01.000Z",
    });
    await saver.putArtifact("x", { threadId: "t", name: "second" });
    expect(await saver.getArtifact(ref, { threadId: "t" })).toMatchObject({
      name: "second",
      mediaType: "text/markdown",
    });
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
  });

  it("is kept once, and called by each thread as that called it", async () => {
    const saver = openSaver();
    const content = "the same large text ".repeat(5000);
    const refs = new Set<string>();
    for (const threadId of ["a", "b", "c"]) refs.add(await saver.putArtifact(content, { threadId, name: threadId }));
    expect([refs.size, rowsOf(saver)]).toEqual([1, [3, 1, 0]]);
    for (const ref of refs) {
      expect((await saver.getArtifact(artifactRef(ref), { threadId: "b" })).name).toBe("b");
    }
  });

  it("is the same whether its bytes came as a text, as bytes or as data", async () => {
    const saver = openSaver();
    const one = await saver.putArtifact('{"a":1}', { threadId: "t" });
    const two = await saver.putArtifact(Buffer.from('{"a":1}'), { threadId: "t" });
    const three = await saver.putArtifact({ a: 1 }, { threadId: "t" });
    expect([two, three]).toEqual([one, one]);
  });

  it("says that it is no text, or no JSON, rather than hand out something else", async () => {
    const saver = openSaver();
    const artifact = await saver.getArtifact(await saver.putArtifact(Buffer.from([0xff, 0x41]), { threadId: "t" }), {
      threadId: "t",
    });
    expect(() => artifact.text()).toThrow(/no UTF-8 text/);
    expect(() => artifact.json()).toThrow(InvalidInputError);
    const text = await saver.getArtifact(await saver.putArtifact("{", { threadId: "t" }), { threadId: "t" });
    expect(() => text.json()).toThrow(/is no JSON/);
  });
});

describe("what cannot be an artifact is refused, and nothing is stored", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const throwing = {
    get trap(): string {
      throw new Error("boo");
    },
  };
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["a function", () => "x"],
    ["a text with half a character", "a\ud800b"],
    ["data with undefined in it", { a: undefined }],
    ["data with a BigInt in it", { a: 1n }],
    ["data with NaN in it", [Number.NaN]],
    ["data with -0 in it", [-0]],
    ["data with a Date in it", { at: new Date(0) }],
    ["data with half a character in it", { a: "\udfff" }],
    ["a Map", new Map([[1, 2]])],
    ["other numbers than bytes", new Float64Array(3)],
    ["a DataView", new DataView(new ArrayBuffer(3))],
    ["an ArrayBuffer", new ArrayBuffer(3)],
    ["a cycle", cycle],
    ["data that throws when it is read", throwing],
    ["data with a hole in it", Array(2)],
    ["a promise", Promise.resolve("x")],
  ])("%s", async (_what, data) => {
    const saver = openSaver();
    expect(await codeOf(saver.putArtifact(data as object, { threadId: "t" }))).toBe("INVALID_INPUT");
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });

  it("more than 256 MiB, by its length and without copying it", async () => {
    const saver = openSaver();
    const error = await errorOf(saver.putArtifact(new Uint8Array(268_435_457), { threadId: "t" }));
    expect(error.message).toMatch(/at most 268435456 bytes \(256 MiB\); this one has 268435457/);
  });

  it.each([
    ["no options", undefined],
    ["options that are a text", "t"],
    ["no thread", {}],
    ["an empty thread", { threadId: "" }],
    ["a number for a thread", { threadId: 5 }],
    ["half a character in the thread", { threadId: "\ud800" }],
    ["an empty name", { threadId: "t", name: "" }],
    ["a name that is none", { threadId: "t", name: 5 }],
    ["a name of 1025 characters", { threadId: "t", name: "x".repeat(1025) }],
    ["a name with half a character", { threadId: "t", name: "a\ud800" }],
    ["a media type that is none", { threadId: "t", mediaType: "pdf" }],
    ["a media type with a line in it", { threadId: "t", mediaType: "text/html\r\nX-Evil: 1" }],
    ["a media type with a line in its parameters", { threadId: "t", mediaType: "text/html; a=b\r\nX-Evil: 1" }],
    ["a media type of 300 characters", { threadId: "t", mediaType: `text/${"x".repeat(300)}` }],
    ["an empty media type", { threadId: "t", mediaType: "" }],
  ])("%s", async (_what, options) => {
    const saver = openSaver();
    expect(await codeOf(saver.putArtifact("x", options as never))).toMatch(/^(INVALID_INPUT|THREAD_ID)$/);
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });
});

describe("a reference", () => {
  const hex = "a".repeat(64);
  it.each([
    "artifact://sha256/../../x",
    `artifact://sha256/${hex.toUpperCase()}`,
    `artifact://sha256/${hex.slice(1)}`,
    `artifact://sha256/${hex}a`,
    `artifact://sha256/${hex}\n`,
    ` artifact://sha256/${hex}`,
    `artifact://sha256/${hex}/`,
    `artifact://sha256/%61${hex.slice(1)}`,
    `artifact://md5/${hex}`,
    `ARTIFACT://sha256/${hex}`,
    hex,
    "",
    5,
    null,
    undefined,
    {},
    [`artifact://sha256/${hex}`],
  ])("that is none is refused as that: %j", async (ref) => {
    const saver = openSaver();
    expect(await codeOf(saver.getArtifact(ref as ArtifactRef, { threadId: "t" }))).toBe("INVALID_INPUT");
    expect(() => artifactRef(ref as string)).toThrow(InvalidInputError);
  });

  it("is a text to everybody, and no other text is one without a check", () => {
    expectTypeOf<ArtifactRef>().toExtend<string>();
    expectTypeOf<`artifact://sha256/${string}`>().not.toExtend<ArtifactRef>();
    expect(artifactRef(`artifact://sha256/${hex}`)).toBe(`artifact://sha256/${hex}`);
  });

  it("goes through a graph's state, and a node that runs again puts the same", async () => {
    const saver = openSaver();
    const State = Annotation.Root({ report: Annotation<ArtifactRef> });
    let runs = 0;
    const app = new StateGraph(State)
      .addNode("write", async (_state, config) => {
        const threadId = String(config.configurable?.thread_id);
        const report = await saver.putArtifact("# Report", { threadId, name: "report.md" });
        runs += 1;
        if (runs === 1) throw new Error("the process dies here");
        return { report };
      })
      .addEdge(START, "write")
      .compile({ checkpointer: saver });
    await app.invoke({}, thread("t")).catch(() => undefined);
    const { report } = await app.invoke(null, thread("t"));
    expect([runs, await textOf(saver, report, "t")]).toEqual([2, "# Report"]);
    const position = await saver.position("t");
    expect(position?.references).toEqual([
      {
        kind: "artifact",
        ref: report,
        name: "report.md",
        mediaType: "text/plain; charset=utf-8",
        bytes: 8,
        createdAt: expect.stringMatching(/^\d{4}-/) as string,
      },
    ]);
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
  });
});

describe("the life of a thread", () => {
  it("may begin with an artifact, before there is a checkpoint", async () => {
    const saver = openSaver();
    const ref = await saver.putArtifact("uploaded first", { threadId: "t" });
    expect(await saver.position("t")).toBeUndefined();
    await begin(saver, "t");
    expect(await textOf(saver, ref, "t")).toBe("uploaded first");
    expect((await saver.position("t"))?.references.map(({ kind }) => kind)).toEqual(["channel", "artifact"]);
  });

  it("ends with its artifacts: those that nobody else holds are gone, without a trace", async () => {
    const saver = openSaver(join(temporaryFolder(), "agent.db"));
    for (const name of ["a", "b"]) await begin(saver, name);
    const shared = await saver.putArtifact("shared by both", { threadId: "a" });
    await saver.putArtifact("shared by both", { threadId: "b" });
    const own = await saver.putArtifact("a secret of a alone", { threadId: "a", name: "secret name" });
    await saver.deleteThread("a");
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
    expect(await textOf(saver, shared, "b")).toBe("shared by both");
    expect(await codeOf(saver.getArtifact(shared, { threadId: "a" }))).toBe("ARTIFACT_DENIED");
    expect(await codeOf(saver.getArtifact(own, { threadId: "a" }))).toBe("ARTIFACT_DENIED");
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 1 } });
    await saver.deleteThread("b");
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });

  it("ends also when it has artifacts and no checkpoint", async () => {
    const saver = openSaver();
    await saver.putArtifact("uploaded and forgotten", { threadId: "t" });
    await saver.deleteThread("t");
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
  });

  it("is over for what a run of before the deletion still puts (R14), until it begins anew", async () => {
    const saver = openSaver();
    await begin(saver, "t");
    await saver.deleteThread("t");
    const error = await errorOf(saver.putArtifact("late", { threadId: "t" }));
    expect([error.code, error.details.threadId]).toEqual(["STALE_CHECKPOINT", "t"]);
    expect(rowsOf(saver)).toEqual([0, 0, 0]);
    await begin(saver, "t");
    const ref = await saver.putArtifact("anew", { threadId: "t" });
    expect(await textOf(saver, ref, "t")).toBe("anew");
  });

  it("is copied with what it holds at that moment, and the copies go their own ways", async () => {
    const clock = clockAt(1000);
    const saver = openSaver(":memory:", { clock });
    await begin(saver, "from");
    const before = await saver.putArtifact("before", { threadId: "from", name: "from's" });
    clock.forward(1000);
    await saver.copyThread("from", "to");
    const after = await saver.putArtifact("after", { threadId: "from" });
    const copy = await saver.getArtifact(before, { threadId: "to" });
    expect([copy.text(), copy.name, copy.createdAt]).toEqual(["before", "from's", "1970-01-01T00:00:01.000Z"]);
    expect(await codeOf(saver.getArtifact(after, { threadId: "to" }))).toBe("ARTIFACT_DENIED");
    await saver.deleteThread("from");
    expect(await textOf(saver, before, "to")).toBe("before");
    expect(rowsOf(saver)).toEqual([1, 1, 0]);
  });

  it("is not copied by halves: where it cannot be copied, its artifacts are not either", async () => {
    const saver = openSaver();
    for (const name of ["from", "to"]) await begin(saver, name);
    const ref = await saver.putArtifact("x", { threadId: "from" });
    expect(await codeOf(saver.copyThread("from", "to"))).toBe("INVALID_INPUT");
    expect(await codeOf(saver.getArtifact(ref, { threadId: "to" }))).toBe("ARTIFACT_DENIED");
  });

  it("is pruned without losing an artifact", async () => {
    const saver = openSaver();
    let parent: string | undefined;
    for (let count = 0; count < 5; count += 1) {
      parent = await begin(saver, "t");
      await saver.putArtifact(`number ${count}`, { threadId: "t" });
    }
    expect(parent).toBeDefined();
    const report = await saver.prune({ keep: "latest" });
    expect(report.checkpoints).toBeGreaterThan(0);
    expect(report.leftovers).toBeUndefined();
    expect(await saver.verify()).toMatchObject({ ok: true, artifacts: { whole: 5, broken: [], unchecked: 0 } });
  });

  it("is counted, one of them and all", async () => {
    const saver = openSaver();
    const random = "0123456789".repeat(50);
    await saver.putArtifact(random, { threadId: "a" });
    await saver.putArtifact(random, { threadId: "b" });
    await saver.putArtifact("short", { threadId: "b" });
    const [all, one, none] = [
      await saver.stats(),
      await saver.stats({ threadId: "a" }),
      await saver.stats({ threadId: "nobody" }),
    ];
    expect([all.artifacts, one.artifacts, none.artifacts, none.artifactBytes]).toEqual([3, 1, 0, 0]);
    expect(one.artifactBytes).toBeLessThan(random.length);
    expect(all.artifactBytes).toBe(one.artifactBytes + "short".length);
  });

  it("is never emptied of what it holds, however threads put, copy and delete", async () => {
    const act = fc.record({
      what: fc.constantFrom("put", "put", "put", "copy", "delete"),
      thread: fc.nat(3),
      other: fc.nat(3),
      content: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        const saver = openSaver();
        const held = new Map<string, Set<string>>();
        for (const { what, thread: from, other, content } of acts) {
          const [name, target] = [`t${from}`, `t${other}`];
          if (!held.has(name)) await begin(saver, name);
          const own = held.get(name) ?? new Set();
          held.set(name, own);
          if (what === "put") own.add(await saver.putArtifact(`content ${content}`, { threadId: name }));
          if (what === "copy" && !held.has(target)) {
            await saver.copyThread(name, target);
            held.set(target, new Set(own));
          }
          if (what === "delete") {
            await saver.deleteThread(name);
            held.delete(name);
          }
        }
        const contents = new Set<string>();
        for (const [name, refs] of held) {
          for (const ref of refs) contents.add(await textOf(saver, artifactRef(ref), name));
        }
        const holdings = [...held.values()].reduce((sum, { size }) => sum + size, 0);
        expect(rowsOf(saver)).toEqual([holdings, contents.size, 0]);
        await saver.close();
      }),
      { numRuns: 60 },
    );
  });
});

it("every method begins by itself, and says that the store is closed", async () => {
  const saver = openSaver();
  const ref = artifactRef(`artifact://sha256/${sha256("x")}`);
  expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("ARTIFACT_DENIED");
  await saver.close();
  expect(await codeOf(saver.putArtifact("x", { threadId: "t" }))).toBe("STORE_CLOSED");
  expect(await codeOf(saver.getArtifact(ref, { threadId: "t" }))).toBe("STORE_CLOSED");
  expect(databaseOf(saver).isOpen).toBe(false);
});
