import type { RunnableConfig } from "@langchain/core/runnables";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { parse, stringify } from "../checkpointer/codec.js";
import { toMilliseconds, type Duration } from "../shared/clock.js";
import { InvalidInputError, WaypointError } from "../shared/errors.js";
import { iso, isDue, type Event, type TimedOut, type WaitRow } from "./wait.js";
import { questionAbout, type EventShare } from "./wait-question.js";
import type { EventRow } from "./wait-table.js";
import { beforeRow, inScope, momentAfter, waitScope, waitSlot, type WaitScope } from "./waiting.js";

export interface EventOptions<T> {
  /** How long to wait, from when it is first asked; without it, for ever. */
  readonly timeout?: Duration;
  /** Validates payloads. One that does not pass is refused, and the wait goes on. */
  readonly schema?: StandardSchemaV1<unknown, T>;
}

const MAX_LENGTH = 200;

/**
 * Waits for an event from outside, without holding a process. It is delivered by `deliverEvent`, or as the answer to the
 * interrupt: `resume(app, config, { [waitId]: { payload, id } })`.
 *
 * - The wait is a row, synced to disk, before the run stops with an interrupt of type `waypoint.wait` (see `WaitRequest`).
 * - An event goes to one wait: the oldest that is open on this thread under this name, or the one whose id is named. One that
 *   came before the wait is kept for it. The same event id is counted once.
 * - When the deadline is past, the answer is `TimedOut`, on every later pass too: what comes late does not change it. An
 *   event that was delivered in time counts, however late the run goes on.
 * - Nothing wakes by itself: `resume(app, config)` goes on when the event is there or the time is over.
 *
 * @param name 1 to 200 characters
 * @param options `timeout` as a duration; `schema` for the payload, whose output is what comes back
 * @param config the node's config; optional where async-local storage works
 * @throws GraphInterrupt until then (let it pass); InvalidInputError for a wrong name or timeout, outside a graph, and without
 *   a checkpointer; NoLedgerError, NotDurableError
 * @example
 * const paid = await waitForEvent("paid", { timeout: "24h", schema: z.object({ cents: z.number() }) });
 * if (paid.type === "timed-out") return { status: "cancelled" };
 */
export async function waitForEvent<T = unknown>(
  name: string,
  options: EventOptions<T> = {},
  config?: RunnableConfig,
): Promise<Event<T> | TimedOut> {
  if (typeof name !== "string" || name === "" || name.length > MAX_LENGTH) {
    throw new InvalidInputError(`waitForEvent needs the name of an event, 1 to ${MAX_LENGTH} characters.`);
  }
  const timeout = options.timeout === undefined ? undefined : toMilliseconds(options.timeout, "timeout");
  const scope = waitScope(`waitForEvent("${name}")`, config);
  const { desk, table, visit } = scope;
  const slot = waitSlot(scope, "event", name, "");
  const place = `wait:${visit.id}:${slot}`;
  return inScope(scope, place, async () => {
    await beforeRow(scope, config);
    const dueAt = timeout === undefined ? undefined : momentAfter(timeout, scope);
    const { threadId, checkpointNs } = visit;
    const draft = { threadId, checkpointNs, visit: visit.id, slot, kind: "event", name, asked: "", dueAt } as const;
    const { id } = table.enter(draft);
    const answers = await desk.spend(place, currently(table.find(id) as WaitRow, scope));
    takeAnswers(id, answers as (EventShare | undefined)[], scope);
    for (;;) {
      const ended = await outcome<T>(id, options.schema, scope);
      if (ended !== undefined) return ended;
      await desk.ask(questionAbout(table.find(id) as WaitRow, place));
    }
  });
}

/** What has changed since the question was asked. */
function currently(row: WaitRow, { ledger }: WaitScope): Record<string, unknown> {
  const due = isDue(row, ledger.store.clock.now()) ? { due: true } : {};
  return row.problem === null ? due : { ...due, problem: row.problem };
}

/** Takes what the answers bring. One that was taken on an earlier pass is an event that is there already. */
function takeAnswers(id: string, answers: readonly (EventShare | undefined)[], { table }: WaitScope): void {
  answers.forEach((share, index) => {
    const problem = share === undefined ? undefined : take(share, index, table.find(id) as WaitRow, table);
    if (problem !== undefined) table.note(id, problem);
  });
}

/** Delivers what an answer brings; a sentence when it brings nothing that can be used. */
function take(share: EventShare, index: number, row: WaitRow, table: WaitScope["table"]): string | undefined {
  if (row.state !== "waiting" || share.kind === "absent") return undefined;
  if (share.kind === "unreadable") return share.problem;
  const { id = `answer-${index}:${row.id}`, payload } = share.event;
  const { threadId, name } = row;
  try {
    const text = stringify(payload, `The payload of event "${name}"`);
    const delivery = table.deliver({ threadId, name, id, payload: text }, row.id);
    if (delivery.outcome !== "duplicate" || delivery.event.waitId === row.id) return undefined;
    return `The event "${id}" was delivered before; it counts once.`;
  } catch (error) {
    if (!WaypointError.is(error) || error.code !== "UNSTORABLE_VALUE") throw error;
    return error.message;
  }
}

/** How the wait ended, by its row; undefined while it has not. */
async function outcome<T>(
  id: string,
  schema: StandardSchemaV1<unknown, T> | undefined,
  scope: WaitScope,
): Promise<Event<T> | TimedOut | undefined> {
  const { table } = scope;
  for (;;) {
    table.end(id);
    const row = table.find(id) as WaitRow;
    if (row.state === "done") return parse(row.result ?? "") as Event<T>;
    if (row.state === "timed-out") return { type: "timed-out", name: row.name, until: iso(row.dueAt ?? 0) };
    if (row.state === "waiting") return undefined;
    await takeUp(row, schema, scope);
  }
}

/** Validates the event that has arrived: the wait is over with it, or goes on without it. */
async function takeUp(row: WaitRow, schema: StandardSchemaV1 | undefined, { table }: WaitScope): Promise<void> {
  const event = table.arrived(row);
  const accepted = event === undefined ? { problem: "It is not there any more." } : await accept(event, schema);
  if ("problem" in accepted) table.refuse(row, `The event "${row.eventId}" was refused: ${accepted.problem}`);
  else table.accept(row, accepted.result);
}

/** What is recorded of an event, or why it is refused. */
async function accept(
  { name, id, payload, deliveredAt }: EventRow,
  schema: StandardSchemaV1 | undefined,
): Promise<{ result: string } | { problem: string }> {
  const validated = await validate(schema, parse(payload));
  if ("problem" in validated) return validated;
  const event: Event = { type: "event", name, id, payload: validated.value, deliveredAt: iso(deliveredAt) };
  try {
    return { result: stringify(event, `The payload of event "${name}"`) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Never throws for what the payload says: LangGraph would hand out the same event again for ever. */
async function validate(
  schema: StandardSchemaV1 | undefined,
  payload: unknown,
): Promise<{ value: unknown } | { problem: string }> {
  if (schema === undefined) return { value: payload };
  try {
    const { issues, ...valid } = await schema["~standard"].validate(payload);
    if (issues === undefined) return { value: (valid as { value: unknown }).value };
    return { problem: `${issues.map(inWords).join("; ")}.` };
  } catch (error) {
    return { problem: `it could not be validated: ${(error as Error).message}` };
  }
}

function inWords({ message, path = [] }: StandardSchemaV1.Issue): string {
  const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === "" ? message : `${at}: ${message}`;
}
