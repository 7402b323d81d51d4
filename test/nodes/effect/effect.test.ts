import { interrupt, MemorySaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import {
  answer,
  attemptsOf,
  chain,
  fresh,
  Outside,
  on,
  refusedConnection,
  rowOf,
  saver,
  StillClock,
} from "./support.js";

afterEach(() => setLedger(undefined));

function refund(outside: Outside, extra: object = {}) {
  return effect<{ id: string; amount: number }, { receipt: number }>({
    name: fresh("refund"),
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
    ...extra,
  });
}

describe("outside a graph", () => {
  it("happens once, and every later call gets the recorded result", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    const pay = refund(outside);
    expect(await pay({ id: "o", amount: 1 })).toEqual({ receipt: 1 });
    expect(await pay({ amount: 1, id: "o" })).toEqual({ receipt: 1 });
    expect(outside.calls).toEqual([{ key: "o", args: { id: "o", amount: 1 } }]);
  });

  it("the same key with other arguments is an error, and never the old result", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    const pay = refund(outside);
    await pay({ id: "o", amount: 1 });
    await expect(pay({ id: "o", amount: 2 })).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    expect(outside.calls).toHaveLength(1);
  });

  it("one key of two effects is two effects", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    await refund(outside)({ id: "o", amount: 1 });
    await refund(outside)({ id: "o", amount: 1 });
    expect(outside.calls).toHaveLength(2);
  });

  it("without a ledger nothing is done, and the error says how to get one", async () => {
    const outside = new Outside();
    await expect(refund(outside)({ id: "o", amount: 1 })).rejects.toThrow(/setLedger/);
    expect(outside.calls).toHaveLength(0);
  });

  it("arguments that the schema refuses, or that are no plain data, reach nobody", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    const pay = refund(outside, { schema: z.object({ id: z.string(), amount: z.number().positive() }) });
    await expect(pay({ id: "o", amount: -1 })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(refund(outside)({ id: "o", amount: NaN })).rejects.toThrow("args.amount is NaN");
    expect(outside.calls).toHaveLength(0);
  });

  it("a result that cannot be stored is known as done, is not repeated, and says so from the first call on", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const outside = new Outside();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const pay = refund(outside, {
      name: "cyclic",
      run: async (args: unknown, context: { key: string }) => (outside.call(args, context), cycle),
    });
    for (let pass = 0; pass < 2; pass += 1) {
      await expect(pay({ id: "o", amount: 1 })).rejects.toMatchObject({ code: "RESULT_NOT_STORABLE" });
    }
    expect(outside.calls).toHaveLength(1);
    expect(rowOf(ledger, "cyclic", "o").state).toBe("SUCCEEDED");
  });

  it("calls at the same moment are one effect: the others are refused, or wait and get its result", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const run = async (args: unknown, context: { key: string }) => (await gate, outside.call(args, context));
    const impatient = refund(outside, { run });
    const first = impatient({ id: "o", amount: 1 });
    await expect(impatient({ id: "o", amount: 1 })).rejects.toMatchObject({ code: "EFFECT_IN_PROGRESS" });
    const patient = refund(outside, { run, whenBusy: "wait" });
    const all = Promise.all([1, 2, 3].map(() => patient({ id: "o", amount: 1 })));
    finish();
    expect(await all).toEqual([{ receipt: 2 }, { receipt: 2 }, { receipt: 2 }]);
    await first;
    expect(outside.calls).toHaveLength(2);
  });
});

describe("a failure that certainly did nothing", () => {
  it("is tried again within the call, with bounded backoff by the ledger's clock, under the same key", async () => {
    const clock = new StillClock();
    setLedger(memoryLedger({ clock }));
    const outside = new Outside();
    let failures = 4;
    const run = async (args: unknown, context: { key: string }) => {
      if (failures-- > 0) throw refusedConnection();
      return outside.call(args, context);
    };
    const pay = refund(outside, {
      run,
      retry: { maxAttempts: 5, initialInterval: "1s", maxInterval: "5s", jitter: 0 },
    });
    expect(await pay({ id: "o", amount: 1 })).toEqual({ receipt: 1 });
    expect(clock.slept).toEqual([1000, 2000, 4000, 5000]);
  });

  it("is counted in the row: once the attempts are used up, a further run makes one more and no round starts anew", async () => {
    const clock = new StillClock();
    const ledger = memoryLedger({ clock });
    setLedger(ledger);
    let attempts = 0;
    const pay = refund(new Outside(), {
      name: "counted",
      retry: { maxAttempts: 2 },
      run: async () => {
        attempts += 1;
        throw refusedConnection();
      },
    });
    await expect(pay({ id: "o", amount: 1 })).rejects.toThrow("ECONNREFUSED");
    expect(attempts).toBe(2);
    await expect(pay({ id: "o", amount: 1 })).rejects.toThrow("ECONNREFUSED");
    expect(attempts).toBe(3);
    expect(rowOf(ledger, "counted", "o")).toMatchObject({ state: "RETRYABLE", attempt: 3, tries: 3, round: 1 });
    expect(attemptsOf(ledger, "counted", "o").map(({ outcome }) => outcome)).toEqual([
      "not-sent",
      "not-sent",
      "not-sent",
    ]);
  });

  it("a Retry-After beyond the longest interval ends the call; before it is due nothing is sent", async () => {
    const clock = new StillClock();
    setLedger(memoryLedger({ clock }));
    let attempts = 0;
    const busy = Object.assign(new Error("busy"), { status: 429, headers: { "Retry-After": "3600" } });
    const pay = refund(new Outside(), {
      retry: { maxAttempts: 9 },
      run: async () => Promise.reject((attempts++, busy)),
    });
    await expect(pay({ id: "o", amount: 1 })).rejects.toMatchObject({ code: "EFFECT_NOT_DUE" });
    await expect(pay({ id: "o", amount: 1 })).rejects.toMatchObject({ code: "EFFECT_NOT_DUE" });
    expect(attempts).toBe(1);
    clock.time += 3_600_000;
    await expect(pay({ id: "o", amount: 1 })).rejects.toMatchObject({ code: "EFFECT_NOT_DUE" });
    expect(attempts).toBe(2);
  });
});

describe("in a graph", () => {
  it.each([
    ["SlimSaver, its own ledger", () => saver(), false],
    ["MemorySaver, the process's ledger", () => new MemorySaver(), true],
  ])("the ledger is found: %s", async (_, checkpointer, needsDefault) => {
    if (needsDefault) setLedger(memoryLedger());
    const outside = new Outside();
    const pay = refund(outside);
    const app = chain(checkpointer(), { pay: async () => ({ log: [await pay({ id: "o", amount: 1 })] }) });
    expect((await app.invoke({}, on("t"))).log).toEqual([{ receipt: 1 }]);
    expect((await app.invoke({}, on("t"))).log).toHaveLength(2);
    expect(outside.calls).toHaveLength(1);
  });

  it("works with the config alone where the asynchronous context is lost", async () => {
    const checkpointer = saver();
    const outside = new Outside();
    const pay = refund(outside, { name: "by-config" });
    const app = chain(checkpointer, {
      pay: async (_, config) => ({ log: [await pay({ id: "o", amount: 1 }, config)] }),
    });
    await app.invoke({}, on("t"));
    expect(rowOf(ledgerOf(checkpointer), "by-config", "o")).toMatchObject({ threadId: "t", state: "SUCCEEDED" });
  });

  it("retryPolicy around an effect repeats nothing", async () => {
    const outside = new Outside();
    const pay = refund(outside);
    let attempts = 0;
    const node = async () => {
      const receipt = await pay({ id: "o", amount: 1 });
      attempts += 1;
      if (attempts < 3) throw new Error("flaky");
      return { log: [receipt] };
    };
    const app = chain(
      saver(),
      { node },
      { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
    );
    expect((await app.invoke({}, on("t"))).log).toEqual([{ receipt: 1 }]);
    expect(attempts).toBe(3);
    expect(outside.calls).toHaveLength(1);
  });

  it("a refusal is thrown as it is, and on a re-run of the visit with the same name and text, without a call", async () => {
    const outside = new Outside();
    const seen: unknown[] = [];
    class CardDeclined extends Error {
      override name = "CardDeclined";
    }
    const declined = new CardDeclined("card declined");
    const pay = refund(outside, {
      run: async (args: unknown, context: { key: string }) => {
        outside.call(args, context);
        throw declined;
      },
    });
    const node = async () => {
      await pay({ id: "o", amount: 1 }).catch((error: unknown) => seen.push(error));
      if (seen.length < 2) throw new Error("flaky");
      return {};
    };
    const app = chain(
      saver(),
      { node },
      { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
    );
    await app.invoke({}, on("t"));
    expect(seen[0]).toBe(declined);
    expect(seen[1]).toMatchObject({ code: "EFFECT_FAILED", recorded: { class: "business-refusal" } });
    expect(String(seen[1])).toBe(String(declined));
    expect(outside.calls).toHaveLength(1);
  });

  it("a refusal stays that of its visit, whatever other visits try meanwhile", async () => {
    const outside = new Outside();
    const refuse = async (args: { id: string; amount: number }, context: { key: string }) => {
      outside.call(args, context);
      throw new Error(`refused ${outside.calls.length}`);
    };
    const pay = refund(outside, { run: refuse });
    const app = chain(saver(), {
      node: async () => {
        const said = await pay({ id: "o", amount: 1 }).catch(String);
        return { log: [said, interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("first"));
    await app.invoke({}, on("second"));
    expect((await app.invoke(answer("yes"), on("first"))).log[0]).toBe("Error: refused 1");
    expect((await app.invoke(answer("yes"), on("second"))).log[0]).toBe("Error: refused 2");
    expect(outside.calls).toHaveLength(2);
  });

  it("without a checkpointer it still happens once by its business key", async () => {
    setLedger(memoryLedger());
    const outside = new Outside();
    const pay = refund(outside);
    const app = chain(undefined, { pay: async () => ({ log: [await pay({ id: "o", amount: 1 })] }) });
    await app.invoke({}, {});
    await app.invoke({}, {});
    expect(outside.calls).toHaveLength(1);
  });

  it("an effect inside the run of another is refused before either does anything twice", async () => {
    const outside = new Outside();
    const inner = refund(outside);
    const outer = refund(outside, { run: async () => inner({ id: "i", amount: 1 }) });
    const app = chain(saver(), { node: async () => ({ log: [await outer({ id: "o", amount: 1 })] }) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "EFFECT_DEFINITION" });
    expect(outside.calls).toHaveLength(0);
  });
});
