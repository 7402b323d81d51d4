/** Random nodes that ask in every way there is, and the code that runs them. */
import { interrupt } from "@langchain/langgraph";
import fc from "fast-check";
import { effect } from "../../../src/nodes/effect.js";
import { memo } from "../../../src/nodes/memo.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { retryLater } from "../../../src/nodes/retry-later.js";
import { sleepUntil } from "../../../src/nodes/sleep-until.js";
import { waitForEvent } from "../../../src/nodes/wait-for-event.js";
import { fresh, reset, type NodeOf } from "../effect/support.js";

export type Kind = "question" | "approval" | "effect" | "memo" | "sleep" | "event" | "retry" | "crash";

/** One thing that a node does; its id is in what it asks and in what it has to get. */
export interface Act {
  readonly kind: Kind;
  readonly id: string;
  /** Of a sleep: hours from the start. Of a retry or a crash: how often it fails. */
  readonly n: number;
}

/** Acts one after the other; those of an inner list at the same time. */
export type Node = readonly (Act | readonly Act[])[];
export type Program = readonly Node[];

export const HOUR = 3_600_000;
export const START_OF_TIME = Date.parse("2026-01-01T00:00:00.000Z");

type Draft = Pick<Act, "kind" | "n">;

const draft = (kinds: readonly Kind[]): fc.Arbitrary<Draft> =>
  fc.record({ kind: fc.constantFrom(...kinds), n: fc.integer({ min: 0, max: 2 }) });
const alone = draft(["question", "question", "approval", "effect", "memo", "sleep", "event", "retry", "crash"]);
// LangGraph itself mixes up interrupts that one node calls at the same time.
const together = fc.array(draft(["approval", "effect", "memo", "sleep", "event", "retry"]), {
  minLength: 2,
  maxLength: 3,
});
const node = fc.array(fc.oneof({ weight: 4, arbitrary: alone }, { weight: 1, arbitrary: together }), {
  minLength: 1,
  maxLength: 5,
});

export const program: fc.Arbitrary<Program> = fc.array(node, { minLength: 1, maxLength: 2 }).map((nodes) => {
  let count = 0;
  const named = (act: Draft): Act => ({ ...act, id: `${act.kind}-${(count += 1)}` });
  return nodes.map((acts) => acts.map((act) => (Array.isArray(act) ? act.map(named) : named(act))));
});

/** What each act has to get, in order. */
export function expected(nodes: Program): unknown[] {
  return nodes.flatMap((acts) => acts.map((act) => (Array.isArray(act) ? act.map(due) : due(act as Act))));
}

function due({ kind, id }: Act): unknown {
  return kind === "memo" ? "the same on every pass" : `${id} got its own`;
}

/** The outside: it lives longer than any process. */
export class Outside {
  readonly lossy = fresh("lossy");
  readonly calls = new Map<string, number>();
  readonly values = new Map<string, unknown>();
  private turns = 0;

  /** How often this was called before. */
  count(id: string): number {
    const before = this.calls.get(id) ?? 0;
    this.calls.set(id, before + 1);
    return before;
  }

  /** Another order each time, as the outside gives to concurrent code. */
  shuffled<T>(items: readonly T[]): T[] {
    this.turns += 1;
    return this.turns % 2 === 0 ? [...items] : [...items].reverse();
  }
}

export function nodesOf(nodes: Program, outside: Outside): Record<string, NodeOf> {
  const lossy = effect<{ id: string }, unknown>({
    name: outside.lossy,
    key: ({ id }) => id,
    run: async ({ id }) => {
      outside.count(`call ${id}`);
      throw reset();
    },
  });

  const carryOut = async ({ kind, id, n }: Act): Promise<unknown> => {
    switch (kind) {
      case "question":
        return interrupt({ question: id });
      case "approval": {
        const decision = await requestApproval({ action: id, args: {} });
        return decision.type === "reject" ? decision.reason : decision.type;
      }
      case "effect":
        return lossy({ id });
      case "memo": {
        const value = await memo(id, null, () => outside.count(id));
        const first = outside.values.get(id) ?? value;
        outside.values.set(id, first);
        return first === value && value === 0 ? "the same on every pass" : [first, value];
      }
      case "sleep":
        await sleepUntil(new Date(START_OF_TIME + n * HOUR));
        return `${id} got its own`;
      case "event": {
        const event = await waitForEvent(id);
        return event.type === "event" ? event.payload : event.type;
      }
      case "retry":
        if (outside.count(id) < n) return retryLater({ after: "1h", reason: "not yet", name: id });
        return `${id} got its own`;
      case "crash":
        if (outside.count(id) < n) throw new Error("the process dies");
        return `${id} got its own`;
    }
  };

  const atOnce = async (acts: readonly Act[]): Promise<unknown[]> => {
    const results = new Map<Act, Promise<unknown>>();
    for (const act of outside.shuffled(acts)) results.set(act, carryOut(act));
    const pairs = await Promise.all([...results].map(async ([act, result]) => [act, await result] as const));
    return acts.map((act) => new Map(pairs).get(act));
  };

  return Object.fromEntries(
    nodes.map((acts, index) => [
      `node${index}`,
      async () => {
        const log: unknown[] = [];
        for (const act of acts) log.push(Array.isArray(act) ? await atOnce(act) : await carryOut(act as Act));
        return { log };
      },
    ]),
  );
}
