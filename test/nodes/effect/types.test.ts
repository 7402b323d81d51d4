import type { RunnableConfig } from "@langchain/core/runnables";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { absent, autoKey, effect, failed, succeeded, unknown } from "../../../src/nodes/index.js";

it("arguments come from the schema, or from what key and run take; the result comes from run", () => {
  const bySchema = effect({
    name: "types-by-schema",
    schema: z.object({ orderId: z.string(), amount: z.number() }),
    key: ({ orderId }) => orderId,
    run: async ({ amount }, { key, signal }) => ({ amount, key, aborted: signal.aborted }),
    lookup: async ({ orderId }) => (orderId === "" ? absent() : succeeded({ amount: 1, key: "k", aborted: false })),
    undo: async (_args, receipt) => {
      expectTypeOf(receipt.amount).toBeNumber();
    },
    retry: { maxAttempts: 4 },
    keyTtl: "24h",
  });
  expectTypeOf(bySchema).parameter(0).toEqualTypeOf<{ orderId: string; amount: number }>();
  expectTypeOf(bySchema).parameter(1).toExtend<RunnableConfig | undefined>();
  expectTypeOf(bySchema).returns.resolves.toEqualTypeOf<{ amount: number; key: string; aborted: boolean }>();

  const byRun = effect({
    name: "types-by-run",
    key: () => autoKey,
    run: async ({ text }: { text: string }) => text.length,
    lookup: async () => (Math.random() > 1 ? failed("no") : unknown()),
  });
  expectTypeOf(byRun).parameter(0).toEqualTypeOf<{ text: string }>();
  expectTypeOf(byRun).returns.resolves.toBeNumber();
});
