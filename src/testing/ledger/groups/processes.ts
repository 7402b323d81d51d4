import { fakeDownstream } from "../../downstream/fake-downstream.js";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { paying } from "../paying.js";
import type { LedgerTrial } from "../trial.js";

/** Another process makes the call and is killed there; what is left is looked at from here. */
async function killed(trial: LedgerTrial, dieAt: "before call" | "after call", lookup = true) {
  const [effect, bank] = [trial.name("pay"), trial.books()];
  const work = await trial.child();
  same(await work({ effect, keys: ["1"], bank, lookup, dieAt }), undefined, "The process was not killed as planned.");
  const books = fakeDownstream({ seed: 1, file: bank });
  return { books, pay: paying(effect, trial.ledger, books, { blind: !lookup }) };
}

/** For ledgers that another process can open. */
export const processes: Group<LedgerTrial> = {
  title: "other processes",
  patient: true,
  checks: {
    "killed before the call, it is carried out once": async (trial) => {
      const { books, pay } = await killed(trial, "before call");
      same((await pay({ id: "1" })).number, 1, "What was intended and not sent was not carried out.");
      same(books.calls.length, 1, "It was not carried out once.");
    },

    "killed between the call and its record, it is found and not repeated": async (trial) => {
      const { books, pay } = await killed(trial, "after call");
      same((await pay({ id: "1" })).number, 1, "What was sent and not recorded was not found.");
      same(books.calls.length, 1, "What a killed process had sent was sent again.");
    },

    "killed without a lookup, it is unknown and not repeated": async (trial) => {
      const { books, pay } = await killed(trial, "after call", false);
      await refused(pay({ id: "1" }), "UNKNOWN_OUTCOME", "Nobody can know what became of it, and it is not unknown.");
      same(books.calls.length, 1, "What a killed process had sent was sent again.");
    },

    "racing for many keys, each is carried out once, and all get its receipt": async (trial) => {
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      const job = { effect: trial.name("pay"), keys, bank: trial.books(), lookup: true };
      const works = await Promise.all([trial.child(), trial.child(), trial.child()]);
      const [first, ...others] = await Promise.all(works.map((work) => work(job)));
      same(first?.event, "done", "A process could not carry its effects out.");
      for (const other of others)
        same(other, first, "Not every process got the receipt of the one that made the call.");
      same(
        fakeDownstream({ seed: 1, file: job.bank }).calls.length,
        20,
        "Processes carried an effect out more than once.",
      );
    },
  },
};
