import { MemorySaver, interrupt, task } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { memo, now, uuid } from "../../../src/nodes/memo.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { chain, fresh, on, saver } from "../effect/support.js";
import { codeOf, counter, retried } from "./support.js";

describe("a memo refuses", () => {
  it("arguments that are not plain JSON, and names that are none, and calls nothing", async () => {
    const { take, seen } = counter();
    const wrong = [
      () => memo("n", { at: new Date() }, take),
      () => memo("n", { n: Number.NaN }, take),
      () => memo("", null, take),
      () => memo("x".repeat(201), null, take),
      () => memo("n", null, "no function" as never),
      () => uuid(""),
      () => now(7 as never),
    ];
    for (const call of wrong) {
      const app = chain(saver(), { node: async () => ({ log: [await call()] }) });
      await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    expect(seen).toEqual([]);
  });

  it("to run under durability exit, where a crash would not find the record, and without a ledger", async () => {
    const { take, seen } = counter();
    const node = async () => ({ log: [await memo("n", null, take)] });
    await expect(chain(saver(), { node }).invoke({}, { ...on("t"), durability: "exit" })).rejects.toMatchObject({
      code: "NOT_DURABLE",
    });
    await expect(chain(new MemorySaver(), { node }).invoke({}, on("t"))).rejects.toMatchObject({ code: "NO_LEDGER" });
    expect(seen).toEqual([]);
  });

  const pay = effect({ name: fresh("pay-in-memo"), key: () => "k", run: async () => "paid" });
  const step = task("step-in-memo", async () => 1);
  it.each<[string, () => unknown, RegExp]>([
    ["interrupt()", () => interrupt("inside?"), /called interrupt\(\)/],
    ["a LangGraph task", async () => step(), /LangGraph task, or a graph .* called inside/],
    ["an effect", async () => pay({}), /Effect ".*" was called inside the function of memo "m"/],
    [
      "an approval",
      async () => requestApproval({ action: "pay", args: {} }),
      /was called inside the function of memo "m"/,
    ],
    ["itself", async () => memo("m", null, () => 1), /calls the same memo again/],
  ])("what it would skip later: %s", async (_, inside, message) => {
    const checkpointer = saver();
    const app = chain(checkpointer, { node: async () => ({ log: [await memo("m", null, inside)] }) });
    const failed = app.invoke({}, on("t"));
    await expect(failed).rejects.toMatchObject({ code: "MEMO_USE" });
    await expect(failed).rejects.toThrow(message);
    expect(ledgerOf(checkpointer).store.database.all("SELECT * FROM waypoint_memos")).toEqual([]);
  });

  it("the same where the node's config was handed on", async () => {
    const app = chain(saver(), {
      node: async (_, config) => ({ log: [await memo("m", null, async () => pay({}, config), config)] }),
    });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "MEMO_USE" });
  });

  it("what is left of an attempt that was given up", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const late: Promise<unknown>[] = [];
    const { take, seen } = counter();
    const app = chain(
      saver(),
      {
        node: async (_, config) => {
          if (late.length > 0) return { log: [await memo("n", null, take, config)] };
          late.push(gate.then(() => memo("late", null, take, config)).catch(codeOf));
          await memo("first", null, take, config);
          throw new Error("flaky");
        },
      },
      retried,
    );
    await app.invoke({}, on("t"));
    go();
    expect(await late[0]).toBe("STALE_FENCE");
    expect(seen).toHaveLength(2);
  });
});
