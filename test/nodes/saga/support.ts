import type { EffectDefinition } from "../../../src/nodes/definition.js";
import { effect } from "../../../src/nodes/effect.js";
import type { Ledger } from "../../../src/nodes/ledger.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { chain, fresh, on, rowOf, saver, StillClock } from "../effect/support.js";

interface Booking {
  readonly id: string;
}

/** An outside world in which things are booked and taken back; it counts raw calls and de-duplicates nothing. */
export class Agency {
  /** In the order in which the calls came: `book a`, `cancel a`. */
  readonly calls: string[] = [];
  readonly keys: string[] = [];
  readonly receipts: unknown[] = [];

  book(id: string): { ticket: string } {
    this.calls.push(`book ${id}`);
    return { ticket: `ticket of ${id}` };
  }

  cancel(id: string, receipt: unknown, key: string): void {
    this.calls.push(`cancel ${id}`);
    this.receipts.push(receipt);
    this.keys.push(key);
  }
}

export type Step = Partial<EffectDefinition<Booking, unknown>> & { readonly irreversible?: true };

/** A thread that books one thing after the other, each with an effect of its own. */
export async function booked(steps: Record<string, Step>, threadId = "trip") {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  const ledger = ledgerOf(checkpointer);
  const agency = new Agency();
  const names: Record<string, string> = {};
  const effects = Object.entries(steps).map(([id, { irreversible, ...step }]) => {
    const name = (names[id] = fresh(id));
    const made = effect<Booking, unknown>({
      name,
      key: (args) => args.id,
      run: async () => ((clock.time += 1000), agency.book(id)),
      ...(irreversible === true ? {} : { undo: async (_, receipt, { key }) => agency.cancel(id, receipt, key) }),
      ...step,
    });
    return [id, made] as const;
  });
  const nodes = effects.map(([id, book]) => [`book ${id}`, async () => ({ log: [await book({ id })] })] as const);
  const app = chain(checkpointer, Object.fromEntries(nodes));
  const run = () => app.invoke({}, on(threadId));
  await run();
  const state = (id: string) => rowOf(ledger, names[id]!, id).state;
  return { ledger, agency, clock, run, names, state };
}

/** What became of each, as `id: now`. */
export function became({ steps }: { steps: readonly { key: string; now: string }[] }): string[] {
  return steps.map(({ key, now }) => `${key}: ${now}`);
}

export function undoRow(ledger: Ledger, name: string, key: string) {
  return rowOf(ledger, `undo:${name}`, `undo:${key}`);
}
