import { decide, pendingApprovals } from "../../../nodes/decide.js";
import { reconcile } from "../../../nodes/reconcile.js";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

/** For ledgers whose storage can be opened more than once. */
export const secondInstance: Group<LedgerTrial> = {
  title: "a second instance over the same storage",
  checks: {
    "has what the first recorded, and the first what it records": async (trial) => {
      const bank = trial.bank();
      const name = trial.name("pay");
      const [first, second] = [trial.ledger, await trial.reopen()].map((ledger) => paying(name, ledger, bank));
      const receipt = await first?.({ id: "1" });
      same(await second?.({ id: "1" }), receipt, "The second instance does not know what the first recorded.");
      const other = await second?.({ id: "2" });
      same(await first?.({ id: "2" }), other, "The first instance does not know what the second recorded.");
      same(bank.calls.length, 2, "What one instance had done, the other did again.");
    },

    "knows of a call that is under way": async (trial) => {
      const bank = trial.bank();
      const name = trial.name("pay");
      const other = paying(name, await trial.reopen(), bank);
      const run = async (): Promise<never> => {
        await refused(
          other({ id: "1" }),
          "EFFECT_IN_PROGRESS",
          "A second instance does not see a call that is under way.",
        );
        throw Object.assign(new Error("no"), { status: 402 });
      };
      await paying(name, trial.ledger, bank, { run })({ id: "1" }).catch((error: unknown) => {
        if ((error as { status?: number }).status !== 402) throw error;
      });
    },

    "takes part in a race for many keys, in which each is carried out once": async (trial) => {
      const bank = trial.bank({ delay: 1 });
      const name = trial.name("pay");
      const both = [trial.ledger, await trial.reopen()].map((ledger) =>
        paying(name, ledger, bank, { whenBusy: "wait" }),
      );
      const ids = Array.from({ length: 20 }, (_, index) => `k${index}`);
      await Promise.all(both.flatMap((pay) => ids.map((id) => pay({ id }))));
      same(bank.duplicates, [], "Two instances carried one effect out twice.");
      same(bank.calls.length, 20, "Two instances did not carry each effect out once.");
    },

    "can settle what the first left open": async (trial) => {
      const bank = trial.bank({ lost: 1 });
      const name = trial.name("pay");
      await paying(name, trial.ledger, bank, { blind: true })({ id: "1" }).catch(() => undefined);
      paying(name, trial.ledger, bank);
      same((await reconcile(await trial.reopen())).settled, 1, "A second instance cannot settle what is open.");
      same((await paying(name, trial.ledger, bank)({ id: "1" })).number, 1, "The first instance does not see it.");
    },

    "sees no approvals of another storage": async (trial) => {
      const second = await trial.reopen();
      same(await pendingApprovals(second), [], "An empty ledger has approvals.");
      await refused(
        decide(second, "apr_none", { type: "approve" }, { by: "ann" }),
        "APPROVAL_NOT_FOUND",
        "It was decided.",
      );
    },
  },
};
