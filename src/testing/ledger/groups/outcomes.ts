import { absent } from "../../../nodes/outcome.js";
import { refusalOf, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

const notConnected = (): Error =>
  Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
const hungUp = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

/** What becomes of a call that did not simply succeed. */
export const outcomes: Group<LedgerTrial> = {
  title: "outcomes",
  checks: {
    "a refusal is thrown, and a new business attempt asks again under the same key": async ({
      ledger,
      name,
      bank: downstream,
    }) => {
      const bank = downstream({ refused: 1 });
      const rounds: number[] = [];
      const pay = paying(name("pay"), ledger, bank, {
        run: (args, { key, round }) => {
          rounds.push(round);
          return bank.call(key, args);
        },
      });
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        same(
          (await refusalOf(pay({ id: "1" })))?.message,
          '"1" was refused',
          "A refusal of the outside does not arrive.",
        );
      }
      same(rounds, [1, 2], "A new business attempt is not counted as one.");
    },

    "what was certainly not sent is tried again, as often as is allowed": async ({
      ledger,
      name,
      bank: downstream,
    }) => {
      let tries = 0;
      const bank = downstream();
      const pay = paying(name("pay"), ledger, bank, {
        retry: { maxAttempts: 3 },
        run: (args, { key }) => {
          tries += 1;
          return tries < 3 ? Promise.reject(notConnected()) : bank.call(key, args);
        },
      });
      same((await pay({ id: "1" })).number, 1, "It was not tried again until it got through.");
      same(tries, 3, "Attempts are not counted as they are made.");
    },

    "a lost answer is found by the lookup, and the call is not repeated": async ({
      ledger,
      name,
      bank: downstream,
    }) => {
      const bank = downstream({ lost: 1 });
      const receipt = await paying(name("pay"), ledger, bank)({ id: "1" });
      same([receipt.number, bank.calls.length], [1, 1], "A call whose answer was lost was not settled by its lookup.");
    },

    "what the lookup says is absent is carried out, under the same key": async ({ ledger, name, bank: downstream }) => {
      let tries = 0;
      const bank = downstream();
      const sent: string[] = [];
      const pay = paying(name("pay"), ledger, bank, {
        retry: { maxAttempts: 2 },
        run: (args, { key }) => {
          tries += 1;
          sent.push(key);
          return tries === 1 ? Promise.reject(hungUp()) : bank.call(key, args);
        },
      });
      await pay({ id: "1" });
      same(
        [sent, bank.calls.length],
        [["1", "1"], 1],
        "What did not happen was not carried out once under its own key.",
      );
    },

    "an absence that is not final, or of a key that is too old, leaves it unknown": async (trial) => {
      const { ledger, name, clock } = trial;
      const authoritative = [false, true];
      for (const isFinal of authoritative) {
        const bank = trial.bank();
        const pay = paying(name(`pay-${String(isFinal)}`), ledger, bank, {
          keyTtl: "1h",
          run: async () => {
            if (isFinal) await clock.advance("2h");
            throw hungUp();
          },
          lookup: () => Promise.resolve(absent({ authoritative: isFinal })),
        });
        const claim = isFinal
          ? "A key that the other side may have forgotten was used again."
          : "An absence that is not final was taken for final.";
        await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", claim);
      }
    },

    "a lookup that throws says nothing": async ({ ledger, name, bank: downstream }) => {
      const bank = downstream({ lost: 1 });
      const pay = paying(name("pay"), ledger, bank, { lookup: () => Promise.reject(new Error("down")) });
      await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", "A lookup that failed was taken for an answer.");
      same(bank.calls.length, 1, "A call was repeated though nobody knows what became of it.");
    },

    "a run that outlives its timeout is unknown, and what it brings later changes nothing": async ({
      ledger,
      name,
      bank: downstream,
    }) => {
      const bank = downstream();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const pay = paying(name("pay"), ledger, bank, {
        blind: true,
        timeout: 10,
        run: async (args, { key }) => {
          await held;
          return bank.call(key, args);
        },
      });
      await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", "A call that timed out is not unknown.");
      release();
      await new Promise((resolve) => setImmediate(resolve));
      await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", "What came after the timeout settled the effect by itself.");
      same(bank.calls.length, 1, "A call that timed out was repeated.");
    },
  },
};
