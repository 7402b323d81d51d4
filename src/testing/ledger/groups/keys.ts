import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

const TEXTS = [
  "a'b\"c",
  "'); DELETE FROM x; --",
  "ключ 💸",
  "a\u0000b",
  " a ",
  "A",
  "a",
  "__proto__",
  "x".repeat(1000),
];

/** A key has one outcome, and says which arguments it is for. */
export const keys: Group<LedgerTrial> = {
  title: "keys",
  checks: {
    "the same key with other arguments is refused, and nothing is done": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank);
      await pay({ id: "1", cents: 5 });
      await refused(pay({ id: "1", cents: 6 }), "IDEMPOTENCY_CONFLICT", "A key was taken for two different actions.");
      same(bank.calls.length, 1, "A call with other arguments under a known key reached the outside.");
    },

    "the order of fields makes no other action": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank);
      await pay({ id: "1", cents: 5 });
      await pay({ cents: 5, id: "1" });
      same(bank.calls.length, 1, "The same arguments in another order were taken for another action.");
    },

    "effects of different names have keys of their own": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream();
      for (const which of ["one", "other"]) await paying(name(which), ledger, bank)({ id: "1" });
      same(bank.calls.length, 2, "An effect took the outcome of another one that has the same key.");
    },

    "any text is a key, and each is another one": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank);
      for (const round of [1, 2]) {
        for (const id of TEXTS) same((await pay({ id })).key, id, `In round ${round}, a key came back as another.`);
      }
      same(
        bank.calls.map(({ key }) => key),
        TEXTS,
        "Keys that are different texts were taken for the same.",
      );
    },

    "no key, and one that is too long, is refused before anything is done": async ({
      ledger,
      name,
      bank: downstream,
    }) => {
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank);
      for (const id of ["", "x".repeat(1001)]) {
        await refused(pay({ id }), "EFFECT_DEFINITION", `A key of ${id.length} characters was taken.`);
      }
      same(bank.calls.length, 0, "A call whose key was refused reached the outside.");
    },
  },
};
