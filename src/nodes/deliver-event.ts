import { stringify } from "../checkpointer/codec.js";
import { InvalidInputError } from "../shared/errors.js";
import { Ledger } from "./ledger.js";
import { resume, type ResumableGraph } from "./resume.js";
import { WaitTable, type Delivery } from "./wait-table.js";

/** Something that happened outside, for a thread. */
export interface EventInput {
  readonly threadId: string;
  /** What `waitForEvent` waits for. */
  readonly name: string;
  /** The sender's own id of it: the same event delivered again is counted once. */
  readonly id: string;
  /** Anything that a graph's state may hold; undefined for an event that says nothing but its name. */
  readonly payload?: unknown;
  /** The wait that is meant, by its id; without it, the oldest open one of that name. */
  readonly waitId?: string;
}

export interface DeliverResult {
  /** True when this call recorded the event. */
  readonly applied: boolean;
  /** True when the graph ran on; false when somebody still has to call `resume()`. */
  readonly woken: boolean;
  /** The wait that has the event; undefined while it is kept for one to come. */
  readonly waitId?: string;
  /** `duplicate`: it was delivered before. `late`: the wait that it names is over, or is none of this thread and name. */
  readonly reason?: "duplicate" | "late";
  /** Why it was not applied, or why nothing was woken, as a sentence. */
  readonly message?: string;
}

/**
 * Delivers an event to a thread, from any process that has the ledger, such as a webhook.
 *
 * - One transaction, synced to disk before it returns, so that the sender may be told that it arrived.
 * - It goes to the oldest wait of that name that is open, or to the one that is named. Where none is open it is kept, and found
 *   by the next one. A wait whose deadline is past is not open: it takes nothing from the next.
 * - The same id under the same name is counted once per thread; a duplicate, and one that is late for the wait it names, change
 *   nothing and say why.
 * - The payload is validated by the schema of the code that waits, when that runs; one that does not pass is refused there, and
 *   the wait goes on.
 * - Without `app` the thread sleeps on (`woken: false`) until the next `resume(app, config)`. With `app` it is woken here, also by
 *   a duplicate, where the first delivery was recorded and nothing ran on it yet.
 *
 * @param ledger where the waits are kept: `ledgerOf(checkpointer)`
 * @param event `threadId`, `name`, `id`, `payload`
 * @param options `app`: the graph to wake
 * @throws InvalidInputError for a part that is missing, UnstorableValueError for a payload that cannot be stored, and nothing
 *   is written; with `app` whatever its run throws
 * @example
 * await deliverEvent(ledgerOf(saver), { threadId, name: "paid", id: webhook.id, payload: webhook.data }, { app });
 */
export async function deliverEvent(
  ledger: Ledger,
  event: EventInput,
  options: { app?: ResumableGraph } = {},
): Promise<DeliverResult> {
  if (!Ledger.is(ledger))
    throw new InvalidInputError("deliverEvent needs a ledger: ledgerOf(checkpointer) or memoryLedger().");
  const { threadId, name, id, payload, waitId } = event;
  for (const [part, text] of Object.entries({ threadId, name, id, ...(waitId === undefined ? {} : { waitId }) })) {
    if (typeof text !== "string" || text === "")
      throw new InvalidInputError(`The ${part} of an event must be a non-empty text. Nothing was delivered.`);
  }
  const text = stringify(payload, `The payload of event "${name}"`);
  const table = new WaitTable(ledger.store);
  const result = resultOf(table.deliver({ threadId, name, id, payload: text }, waitId), event);
  const isOpen = result.waitId !== undefined && table.find(result.waitId)?.state === "arrived";
  if (options.app === undefined || !isOpen) return result;
  const { woken } = await resume(options.app, { configurable: { thread_id: threadId } }, {}, { ledger });
  if (woken.includes(result.waitId)) return { ...result, woken: true };
  return { ...result, message: "It is recorded, but nothing ran: the thread does not ask for it at this moment." };
}

function resultOf(delivery: Delivery, { name, id, threadId }: EventInput): DeliverResult {
  switch (delivery.outcome) {
    case "given":
      return { applied: true, woken: false, waitId: delivery.wait.id };
    case "kept":
      return {
        applied: true,
        woken: false,
        message: `Nothing on thread "${threadId}" waits for "${name}" now; the event is kept for what will.`,
      };
    case "late":
      return {
        applied: false,
        woken: false,
        reason: "late",
        message: `The wait that is named is over, or is none for "${name}" on thread "${threadId}".`,
      };
    case "duplicate": {
      const { waitId } = delivery.event;
      const message = `The event "${id}" was delivered before; it counts once.`;
      return { applied: false, woken: false, reason: "duplicate", message, ...(waitId === null ? {} : { waitId }) };
    }
  }
}
