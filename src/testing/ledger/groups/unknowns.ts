import type { Ledger } from "../../../nodes/ledger.js";
import { reconcile } from "../../../nodes/reconcile.js";
import { resolve } from "../../../nodes/resolve.js";
import { refusalOf, same, there } from "../../claims.js";
import type { Downstream } from "../../downstream/fake-downstream.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

const said = { by: "ada", evidence: "the bank's books" };

/** A payment that happened and of which nobody here knows. */
async function lost({ ledger, name, bank: downstream }: LedgerTrial, blind = true) {
  const bank: Downstream = downstream({ lost: 1, unanswered: blind ? 0 : 1 });
  const pay = paying(name("pay"), ledger, bank, { blind });
  const error = (await refusalOf(pay({ id: "1" }))) as { details?: { effectId?: string } } | undefined;
  const id = there(error?.details?.effectId, "An unknown outcome does not name its effect.");
  return { bank, pay, id };
}

async function unchanged(ledger: Ledger, id: string, claim: string): Promise<void> {
  const { effects } = await reconcile(ledger);
  same(
    effects.map(({ effectId, now }) => [effectId, now]),
    [[id, "unknown"]],
    claim,
  );
}

/** What is unknown stays unknown until somebody says, and says how they know. */
export const unknowns: Group<LedgerTrial> = {
  title: "unknown outcomes",
  checks: {
    "stay unknown, and nothing is repeated": async (trial) => {
      const { bank, pay } = await lost(trial);
      for (let call = 0; call < 3; call += 1) {
        await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", "An unknown outcome was forgotten.");
      }
      same(bank.calls.length, 1, "A call was repeated though nobody knows what became of it.");
    },

    "are settled as succeeded, with the result": async (trial) => {
      const { bank, pay, id } = await lost(trial);
      await resolve(trial.ledger, id, { as: "succeeded", result: { number: 7 }, ...said });
      same(await pay({ id: "1" }), { number: 7 }, "The result that a person gave does not come back.");
      same(bank.calls.length, 1, "What a person said had happened was repeated.");
    },

    "are settled as to be tried again, and are then carried out once": async (trial) => {
      const { bank, pay, id } = await lost(trial, false);
      await resolve(trial.ledger, id, { as: "retry", ...said });
      await refused(
        pay({ id: "1" }),
        "UNKNOWN_OUTCOME",
        "The second call's outcome is known though its answer was lost.",
      );
      same(bank.calls.length, 2, "What a person wanted to be tried again was not.");
    },

    "are settled once": async (trial) => {
      const { id } = await lost(trial);
      await resolve(trial.ledger, id, { as: "failed", ...said });
      await refused(
        resolve(trial.ledger, id, { as: "retry", ...said }),
        "EFFECT_CLOSED",
        "A matter was settled twice.",
      );
    },

    "are not settled by half an answer": async (trial) => {
      const { id } = await lost(trial);
      const half = [{ as: "succeeded" }, { as: "maybe", ...said }, { as: "failed", by: "ada" }, null];
      for (const answer of half) {
        await refused(
          resolve(trial.ledger, id, answer as never),
          "INVALID_INPUT",
          "An answer without who and why was taken.",
        );
      }
      await unchanged(trial.ledger, id, "An answer that was refused changed something.");
    },

    "that are not there cannot be settled": async ({ ledger }) => {
      await refused(
        resolve(ledger, "eff_none", { as: "failed", ...said }),
        "EFFECT_NOT_FOUND",
        "What is not there was settled.",
      );
    },

    "are settled by a lookup that can tell, without a call": async (trial) => {
      const { ledger, name } = trial;
      const bank = trial.bank({ lost: 1 });
      const which = name("pay");
      await refusalOf(paying(which, ledger, bank, { blind: true })({ id: "1" }));
      const pay = paying(which, ledger, bank);
      const report = await reconcile(ledger);
      same([report.settled, report.unknown], [1, 0], "A lookup that knows the outcome did not settle it.");
      same((await pay({ id: "1" })).number, 1, "What the lookup found is not the result.");
      same(bank.calls.length, 1, "Finding out what happened made it happen again.");
    },
  },
};
