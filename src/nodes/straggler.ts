import type { Store } from "../store/home.js";
import type { Ran } from "./attempt.js";
import type { EffectRow } from "./effect-row.js";
import { EffectTable } from "./effect-table.js";
import { leaseOn } from "./lease.js";
import { success, textOf } from "./lookup.js";
import { stragglers } from "./owner.js";

/** Keeps what comes from a run that outlived its timeout. */
export function watchStraggler(store: Store, row: EffectRow, late: Promise<Ran>): void {
  stragglers.add(row.token);
  // Others must see that this process lives: until the run has ended, it may still do something.
  const release = leaseOn(store).hold();
  const keep = (ran: Ran): void => {
    release();
    stragglers.delete(row.token);
    const value = ran.ended === "returned" ? success(ran.value, row).result : undefined;
    const came =
      ran.ended === "returned" ? `returned ${value ?? "what cannot be stored"}` : `threw ${textOf(ran.error)}`;
    new EffectTable(store).late(row, `${new Date(store.clock.now()).toISOString()} ${came}`);
  };
  // A store that is closed or busy by then loses a remark, not a state.
  late.then(keep).catch(() => undefined);
}
