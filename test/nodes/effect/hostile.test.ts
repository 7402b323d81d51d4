import { afterEach, describe, expect, it, vi } from "vitest";
import { effect } from "../../../src/nodes/effect.js";
import { memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { absent, judge, type Outcome } from "../../../src/nodes/outcome.js";
import { self } from "../../../src/nodes/owner.js";
import { reconcile } from "../../../src/nodes/reconcile.js";
import { resume } from "../../../src/nodes/resume.js";
import {
  asked,
  attemptsOf,
  chain,
  force,
  fresh,
  HandClock,
  on,
  Outside,
  reset,
  rowOf,
  saver,
  StillClock,
} from "./support.js";

/** Throws what old libraries and plain JavaScript throw: anything. */
function throwIt(what: unknown): never {
  throw what as Error;
}

const rejected = (what: unknown): Promise<never> => Promise.resolve().then(() => throwIt(what));

afterEach(() => {
  setLedger(undefined);
  vi.useRealTimers();
});

const unreadable = new Proxy(
  {},
  {
    get() {
      throw new Error("trap");
    },
  },
);

describe("an error that says nothing is not taken for a refusal", () => {
  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a number", 0],
    ["an empty text", ""],
    ["an empty object", {}],
    ["a function", () => 1],
    ["an error that cannot be read", unreadable],
  ])("%s", (_, thrown) => {
    expect(judge(thrown).verdict).toBe("ambiguous");
  });

  it("and is asked about, with the call made once", async () => {
    const checkpointer = saver();
    let calls = 0;
    const pay = effect<object, unknown>({
      name: fresh("mute"),
      key: () => "k",
      run: () => {
        calls += 1;
        return rejected(undefined);
      },
    });
    const app = chain(checkpointer, { pay: async () => ({ log: [await pay({})] }) });
    expect(asked(await app.invoke({}, on("t")))?.type).toBe("waypoint.unknown_effect");
    await resume(app, on("t"));
    expect(calls).toBe(1);
  });

  it("a refusal that was thrown as a text reaches the node as an error", async () => {
    setLedger(memoryLedger());
    const pay = effect<object, unknown>({
      name: fresh("text"),
      key: () => "k",
      run: () => rejected("no seats left"),
    });
    const thrown = await pay({}).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ message: "no seats left" });
  });
});

describe("a classify that gives no verdict never makes a call go out twice", () => {
  it.each<[string, unknown]>([
    ["true", () => true],
    ["a promise", () => Promise.resolve("refused")],
    ["a misspelt verdict", () => "not_sent"],
    [
      "a throw",
      () => {
        throw new Error("bug");
      },
    ],
  ])("%s", async (_, classify) => {
    const ledger = memoryLedger({ clock: new StillClock() });
    let calls = 0;
    const name = fresh("classify");
    const pay = effect<object, unknown>({
      name,
      ledger,
      key: () => "k",
      run: () => {
        calls += 1;
        return Promise.reject(new Error("maybe"));
      },
      classify: classify as () => "refused",
      retry: { maxAttempts: 3 },
    });
    await expect(pay({})).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    await expect(pay({})).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    expect(calls).toBe(1);
  });
});

describe("a lookup that says nothing usable leaves it unknown", () => {
  const cases: [string, () => unknown][] = [
    ["absent, and authoritative is a text", () => ({ outcome: "absent", authoritative: "no" })],
    ["an outcome that cannot be read", () => unreadable],
    [
      "a thrown number",
      () => {
        throwIt(1);
      },
    ],
  ];
  it.each(cases)("%s", async (_, lookup) => {
    const outside = new Outside();
    const pay = effect<object, unknown>({
      name: fresh("lookup"),
      ledger: memoryLedger({ clock: new StillClock() }),
      key: () => "k",
      run: (args, context) => {
        outside.call(args, context);
        return Promise.reject(reset());
      },
      lookup: lookup as () => Promise<Outcome<unknown>>,
      retry: { maxAttempts: 3 },
    });
    await expect(pay({})).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    expect(outside.calls).toHaveLength(1);
  });

  it("one that hangs, without a timeout of the effect", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const ledger = memoryLedger();
    const name = fresh("hangs");
    const pay = effect<object, unknown>({
      name,
      ledger,
      key: () => "k",
      run: () => Promise.reject(reset()),
      lookup: () => new Promise(() => undefined),
    });
    const call = pay({}).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toMatchObject({ code: "UNKNOWN_OUTCOME" });
    expect(rowOf(ledger, name, "k").evidence).toContain("lookup failed");
  });
});

it("an attempt that timed out and still runs in another process is not repeated, whatever the lookup sees", async () => {
  const clock = new HandClock();
  const ledger = memoryLedger({ clock });
  const name = fresh("straggler");
  let open = (): void => undefined;
  const pay = effect<object, unknown>({
    name,
    ledger,
    key: () => "k",
    timeout: 1000,
    run: () => new Promise<void>((resolve) => (open = resolve)),
    lookup: async () => absent(),
  });
  const call = pay({}).catch((error: unknown) => error);
  while (attemptsOfOrNone(ledger, name) === 0) await turn();
  await turn();
  clock.advance(1000);
  await call;
  // As another process sees it: the owner is somebody else, who lives.
  force(ledger, name, "k", { state: "UNKNOWN", owner: "other" });
  ledger.store.database.run("UPDATE waypoint_effects SET token = 'other'");
  ledger.store.database.run(
    "INSERT INTO waypoint_owners (instance, host, pid, pid_namespace, lease_until) VALUES ('other', ?, ?, ?, ?)",
    self.host,
    process.ppid,
    self.pidNamespace,
    clock.now() + 60_000,
  );
  expect((await reconcile(ledger)).effects).toMatchObject([
    { now: "unknown", why: expect.stringContaining("still running") as string },
  ]);
  open();
  await turn();
  await turn();
  expect(attemptsOf(ledger, name, "k")).toMatchObject([{ late: expect.stringContaining("returned") as string }]);
  expect((await reconcile(ledger)).effects).toMatchObject([{ now: "retryable" }]);
});

it("a person is told each piece of evidence once", async () => {
  const checkpointer = saver();
  const pay = effect<object, unknown>({ name: fresh("told"), key: () => "k", run: () => Promise.reject(reset()) });
  const app = chain(checkpointer, { pay: async () => ({ log: [await pay({})] }) });
  const evidence = asked(await app.invoke({}, on("t")))!.effects[0]!.evidence;
  expect(evidence).toHaveLength(1);
  expect(evidence[0]!.split("socket hang up")).toHaveLength(2);
  expect(evidence[0]).toContain("no lookup");
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function attemptsOfOrNone(ledger: Parameters<typeof attemptsOf>[0], name: string): number {
  try {
    return attemptsOf(ledger, name, "k").length;
  } catch {
    return 0;
  }
}
