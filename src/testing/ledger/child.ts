import type { Ledger } from "../../nodes/ledger.js";
import { InvalidInputError } from "../../shared/errors.js";
import { describe } from "../claims.js";
import { crashPoints } from "../crash/crash-points.js";
import { fakeDownstream } from "../downstream/fake-downstream.js";
import type { Job, Report } from "./jobs.js";
import { paying } from "./paying.js";

/**
 * The other side of `child` in a `LedgerInitializer`: carries effects out in this process, with a ledger on the storage of
 * the test, until it is killed or done.
 *
 * @param open gets what `parameters` of the initializer returned, and opens the storage
 * @throws InvalidInputError when this module was not started by the contract
 * @example
 * // my-ledger.child.ts
 * ledgerChild((parameters) => ledgerOf(SlimSaver.fromConnString((parameters as { file: string }).file)));
 */
export function ledgerChild(open: (parameters: unknown) => Ledger | Promise<Ledger>): void {
  const [, , parameters] = process.argv;
  if (parameters === undefined || process.send === undefined) {
    throw new InvalidInputError("ledgerChild runs in a process that ledgerContract starts, not by itself.");
  }
  const opened = Promise.resolve(JSON.parse(parameters) as unknown).then(open);
  process.once("message", (job: Job) => {
    void opened
      .then((ledger) => carryOut(ledger, job))
      .then((receipts) => report({ event: "done", receipts }))
      .catch((error: unknown) => report({ event: "failed", message: describe(error) }))
      .finally(() => process.exit());
  });
  // A storage that cannot be opened is reported when the job comes.
  void opened.catch(() => undefined).then(() => report({ event: "ready" }));
}

async function carryOut(ledger: Ledger, { effect, keys, bank: file, lookup, dieAt }: Job): Promise<unknown[]> {
  const crash = crashPoints.killing({ at: dieAt ?? "nowhere" });
  const bank = crash.watch(fakeDownstream({ seed: 1, file }));
  const pay = paying(effect, ledger, bank, { blind: !lookup, whenBusy: "wait" });
  const receipts: unknown[] = [];
  for (const id of keys) receipts.push(await pay({ id }));
  return receipts;
}

/** Resolves when the message is on its way, so that the process may end. */
async function report(message: Report): Promise<void> {
  await new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => {
      resolve();
    });
  });
}
