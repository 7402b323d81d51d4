import { AIMessage } from "@langchain/core/messages";
import { effect } from "../../../nodes/effect.js";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

const RESULTS: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  numbers: [0, -0, NaN, Infinity, 12345678901234567890n],
  "a date in a map": new Map([["at", new Date(0)]]),
  "a set of bytes": new Set([new Uint8Array([1, 2, 255])]),
  "keys that look like markers": { lc: 1, ["__proto__x"]: { type: "constructor" }, "": "empty" },
  "any text": "ünï\u0000cödé 💸 '); DROP TABLE x; --",
  "a message": new AIMessage({ content: "paid", id: "m1" }),
};

/** An effect is carried out once, and its result is what every later call gets. */
export const once: Group<LedgerTrial> = {
  title: "an effect happens once",
  checks: {
    "its intent is stored before the call goes out": async ({ ledger, name }) => {
      const which = name("pay");
      let inside: unknown;
      const pay = effect<null, string>({
        name: which,
        ledger,
        key: () => "k",
        run: async () => {
          inside = await pay(null).then(
            () => "went on",
            (error: unknown) => (error as { code?: unknown }).code,
          );
          return "paid";
        },
      });
      await pay(null);
      same(inside, "EFFECT_IN_PROGRESS", "While a call is under way, a second one does not find its intent.");
    },

    "a later call gets the recorded result, and reaches nobody": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank);
      const first = await pay({ id: "1" });
      same(await pay({ id: "1" }), first, "A later call with the same key got another result.");
      same(bank.calls.length, 1, "A later call with the same key reached the outside.");
    },

    "calls at once make one, and all get its receipt": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream({ delay: 5 });
      const pay = paying(name("pay"), ledger, bank, { whenBusy: "wait" });
      const receipts = await Promise.all(Array.from({ length: 10 }, () => pay({ id: "1" })));
      same(bank.calls.length, 1, "Ten calls with one key at once reached the outside more than once.");
      same(
        receipts,
        new Array(10).fill(receipts[0]),
        "Ten calls at once did not all get the receipt of the one that was made.",
      );
    },

    ...Object.fromEntries(
      Object.entries(RESULTS).map(([kind, result]) => [
        `gives back a result as it was: ${kind}`,
        async ({ ledger, name }: LedgerTrial) => {
          const act = effect<null, unknown>({
            name: name("act"),
            ledger,
            key: () => "k",
            run: () => Promise.resolve(result),
          });
          await act(null);
          same(await act(null), result, `A recorded result does not come back as it was: ${kind}.`);
        },
      ]),
    ),

    "a result that cannot be stored is no reason to repeat it": async ({ ledger, name }) => {
      let calls = 0;
      const run = (): Promise<unknown> => {
        calls += 1;
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return Promise.resolve(circle);
      };
      const act = effect<null, unknown>({ name: name("act"), ledger, key: () => "k", run });
      for (const pass of ["first", "second"]) {
        await refused(act(null), "RESULT_NOT_STORABLE", `The ${pass} call hides that the result could not be stored.`);
      }
      same(calls, 1, "What happened was repeated since its result could not be stored.");
    },
  },
};
