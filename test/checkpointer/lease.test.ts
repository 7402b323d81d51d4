import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StaleFenceError, importThreads } from "../../src/checkpointer/index.js";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { LEASE_KEY, Leases } from "../../src/checkpointer/lease.js";
import type { Lease } from "../../src/checkpointer/lease.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { storeOf } from "../../src/store/home.js";
import { StillClock } from "../nodes/effect/support.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const TTL = 1000;

function leasesOf(saver: SlimSaver): Leases {
  return new Leases(storeOf(saver)!);
}

function leased(conn?: string, tenant?: string) {
  const clock = new StillClock();
  const saver = openSaver(conn, tenant === undefined ? { clock } : { clock, tenant });
  const leases = leasesOf(saver);
  const acquire = (owner = "ann", threadId = "t"): Lease => leases.acquire(threadId, { ttl: TTL, owner })!;
  return { clock, saver, leases, acquire };
}

function under(lease: unknown, threadId = "t", checkpointId?: string): RunnableConfig {
  const { configurable } = thread(threadId, checkpointId);
  return { configurable: { ...configurable, [LEASE_KEY]: lease } };
}

async function put(saver: SlimSaver, config: RunnableConfig): Promise<string> {
  const checkpoint = checkpointOf({ a: 1 });
  await saver.put(config, checkpoint, LOOP, checkpoint.channel_versions);
  return checkpoint.id;
}

const write = (saver: SlimSaver, lease: unknown) =>
  saver.putWrites(under(lease, "t", "some-checkpoint"), [["a", 1]], "task");

/** Both ways to write; refused means that nothing is there afterwards. */
async function expectRefused(saver: SlimSaver, lease: unknown): Promise<void> {
  const before = await saver.stats();
  await expect(put(saver, under(lease))).rejects.toThrow(StaleFenceError);
  await expect(write(saver, lease)).rejects.toMatchObject({ code: "STALE_FENCE", details: { threadId: "t" } });
  expect(await saver.stats()).toEqual(before);
}

async function expectTaken(saver: SlimSaver, lease: unknown): Promise<void> {
  const head = (await saver.getTuple(thread("t")))?.checkpoint.id;
  const id = await put(saver, under(lease, "t", head));
  await saver.putWrites(under(lease, "t", id), [["a", 1]], "task");
  expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual([["task", "a", 1]]);
}

describe("a lease", () => {
  it("goes to one owner at a time; the fence rises with each, also after it was given back", () => {
    const { clock, leases, acquire } = leased();
    const first = acquire("ann");
    expect(first).toMatchObject({ threadId: "t", fence: 1 });
    expect(leases.acquire("t", { ttl: TTL, owner: "bob" })).toBeUndefined();
    expect(leases.acquire("t", { ttl: TTL, owner: "ann" })).toBeUndefined();
    expect(leases.release(first)).toBe(true);
    expect(leases.read("t")).toBeUndefined();
    const second = acquire("bob");
    expect(second.fence).toBe(2);
    clock.time += TTL;
    const third = acquire("ann");
    expect(third.fence).toBe(3);
    expect(new Set([first, second, third].map(({ token }) => token)).size).toBe(3);
    expect(leases.read("t")).toEqual({ fence: 3, owner: "ann", leaseUntil: clock.time + TTL, live: true });
  });

  it("lives as long as its owner renews it, and can be renewed until somebody else has taken over", () => {
    const { clock, leases, acquire } = leased();
    const lease = acquire();
    clock.time += TTL - 1;
    expect(leases.renew(lease, { ttl: TTL })).toBe(true);
    clock.time += TTL - 1;
    expect(leases.acquire("t", { ttl: TTL, owner: "bob" })).toBeUndefined();
    clock.time += 1;
    expect(leases.read("t")).toMatchObject({ live: false, owner: "ann" });
    expect(leases.renew(lease, { ttl: "1s" })).toBe(true);
    clock.time += TTL;
    acquire("bob");
    expect(leases.renew(lease, { ttl: TTL })).toBe(false);
    expect(leases.release(lease)).toBe(false);
    expect(leases.read("t")).toMatchObject({ owner: "bob", live: true });
  });

  it("is of one tenant: another has threads and leases of its own", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const [acme, other] = [leased(file, "acme"), leased(file, "other")];
    const lease = acme.acquire();
    expect(other.acquire().fence).toBe(1);
    await expectTaken(acme.saver, lease);
    await expectRefused(other.saver, lease);
  });

  it.each([
    ["no thread", (leases: Leases) => leases.acquire("", { ttl: TTL, owner: "ann" })],
    ["no owner", (leases: Leases) => leases.acquire("t", { ttl: TTL } as never)],
    ["no time to live", (leases: Leases) => leases.acquire("t", { ttl: 0, owner: "ann" })],
    ["a time to live of centuries", (leases: Leases) => leases.acquire("t", { ttl: "99999d", owner: "ann" })],
  ])("is refused with %s, and nobody has it", (_what, acquire) => {
    const { leases } = leased();
    expect(() => acquire(leases)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(INVALID_INPUT|THREAD_ID)$/) as string }) as Error,
    );
    expect(leases.read("t")).toBeUndefined();
  });
});

describe("put and putWrites", () => {
  it("take what comes under the thread's lease, and nothing else while it lives", async () => {
    const { saver, acquire } = leased();
    const lease = acquire();
    await expectRefused(saver, undefined);
    await expectTaken(saver, lease);
    await expectRefused(saver, null);
  });

  it("want fence and token both equal: a larger number wins nothing, and neither does a token alone", async () => {
    const { saver, acquire } = leased();
    const lease = acquire();
    for (const fence of [0, 2, 3, Number.MAX_SAFE_INTEGER]) await expectRefused(saver, { ...lease, fence });
    for (const token of ["", "guess", lease.token.toUpperCase()]) await expectRefused(saver, { ...lease, token });
    await expectTaken(saver, lease);
  });

  it("refuse a lease on a thread that was never leased", async () => {
    const { saver } = leased();
    await expectRefused(saver, { threadId: "t", fence: 1, token: "made up" });
    await expectTaken(saver, undefined);
  });

  it("refuse the owner of before, from the moment somebody else has acquired the thread", async () => {
    const { clock, saver, acquire } = leased();
    const late = acquire("ann");
    await expectTaken(saver, late);
    clock.time += TTL;
    const now = acquire("bob");
    await expectRefused(saver, late);
    await expectTaken(saver, now);
  });

  it("take from the owner of a lease whose time is over, and from a run without one, until somebody acquires it", async () => {
    const { clock, saver, acquire } = leased();
    const lease = acquire();
    clock.time += TTL;
    await expectTaken(saver, lease);
    await expectTaken(saver, undefined);
    acquire("bob");
    await expectRefused(saver, lease);
    await expectRefused(saver, undefined);
  });

  it("refuse a lease that was given back, and take a run without one", async () => {
    const { saver, leases, acquire } = leased();
    const lease = acquire();
    leases.release(lease);
    await expectRefused(saver, lease);
    await expectTaken(saver, undefined);
  });

  it.each([
    ["text"],
    [{ fence: 1, token: "x" }],
    [{ threadId: "t", fence: "1", token: "x" }],
    [{ threadId: "t", fence: 1 }],
  ])("refuse %j, which is no lease, as bad input", async (given) => {
    const { saver } = leased();
    await expect(put(saver, under(given))).rejects.toThrow(InvalidInputError);
    await expect(write(saver, given)).rejects.toThrow(InvalidInputError);
    expect(await saver.getTuple(thread("t"))).toBeUndefined();
  });

  it.each(["enforce", "detect", "off"] as const)(
    "hold to it whatever the policy for heads is: %s",
    async (concurrency) => {
      const saver = openSaver(":memory:", { concurrency });
      const lease = leasesOf(saver).acquire("t", { ttl: TTL, owner: "ann" });
      await expectRefused(saver, undefined);
      await expectTaken(saver, lease);
    },
  );

  it("at any moment of any story, take exactly what the newest owner brings, or anybody when there is no live one", async () => {
    const step = fc.constantFrom("acquire", "renew", "release", "wait", "delete");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (story) => {
        const { clock, saver, leases } = leased();
        const given: Lease[] = [];
        let owner: Lease | undefined;
        let until = 0;
        for (const what of story) {
          const last = given.at(-1);
          if (what === "acquire") {
            const lease = leases.acquire("t", { ttl: TTL, owner: "somebody" });
            expect(lease !== undefined).toBe(owner === undefined || until <= clock.time);
            if (lease !== undefined) [owner, until] = [lease, clock.time + TTL];
            if (lease !== undefined) given.push(lease);
          }
          if (what === "renew" && last && leases.renew(last, { ttl: TTL })) until = clock.time + TTL;
          if (what === "release" && last && leases.release(last)) owner = undefined;
          if (what === "wait") clock.time += TTL / 2;
          if (what === "delete") await saver.deleteThread("t");
          if (what === "delete") owner = undefined;
          for (const lease of given) await (lease === owner ? put(saver, under(lease)) : expectRefused(saver, lease));
          if (owner !== undefined && until > clock.time) await expectRefused(saver, undefined);
        }
        expect(given.map(({ fence }) => fence)).toEqual(given.map((_, index) => index + 1));
      }),
      { numRuns: 60 },
    );
  });
});

describe("what is done with a whole thread", () => {
  it("a copy has no lease, and nobody copies over a thread that somebody holds", async () => {
    const { saver, leases, acquire } = leased();
    const lease = acquire();
    const head = await put(saver, under(lease));
    await saver.copyThread("t", "copy");
    expect(leases.read("copy")).toBeUndefined();
    await put(saver, thread("copy", head));
    acquire("bob", "taken");
    await expect(saver.copyThread("t", "taken")).rejects.toThrow(StaleFenceError);
    expect(await saver.getTuple(thread("taken"))).toBeUndefined();
    expect(leases.read("t")).toMatchObject({ fence: lease.fence, live: true });
  });

  it("deleting one ends its lease: the owner is refused, and the next one has a greater fence", async () => {
    const { saver, leases, acquire } = leased();
    const lease = acquire();
    await put(saver, under(lease));
    await saver.deleteThread("t");
    expect(leases.read("t")).toBeUndefined();
    expect(leases.renew(lease, { ttl: TTL })).toBe(false);
    await expectRefused(saver, lease);
    expect(acquire("bob").fence).toBe(lease.fence + 1);
  });

  it("an import is refused for a thread that somebody holds", async () => {
    const { saver, acquire } = leased();
    acquire();
    const from = new MemorySaver();
    await from.put(thread("t"), checkpointOf({ a: 1 }), LOOP);
    await expect(importThreads(from, saver)).rejects.toThrow(StaleFenceError);
    expect(await saver.getTuple(thread("t"))).toBeUndefined();
  });
});

it("the token stands nowhere: in no error, no checkpoint, and not in the file", async () => {
  const file = join(temporaryFolder(), "agent.db");
  const { saver, leases, acquire } = leased(file);
  const lease = acquire();
  await expectTaken(saver, lease);
  const refusals = [undefined, { ...lease, fence: 9 }, { ...lease, token: "wrong" }].map((given) =>
    put(saver, under(given)).catch((error: unknown) => error as StaleFenceError),
  );
  for (const refusal of await Promise.all(refusals)) {
    const { message, stack, details } = refusal as StaleFenceError;
    expect(JSON.stringify([message, stack, details])).not.toMatch(new RegExp(`${lease.token}|wrong`));
    expect(details).toMatchObject({ holder: { owner: "ann", fence: 1 } });
  }
  const tuples: unknown[] = [];
  for await (const tuple of saver.list({})) tuples.push(tuple);
  expect(JSON.stringify([tuples, leases.read("t")])).not.toContain(lease.token);
  await saver.close();
  expect(readFileSync(file).includes(lease.token)).toBe(false);
});
