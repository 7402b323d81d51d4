/** What a drill came to, and what it breaches. */
import type { Downstream } from "../../src/testing/index.js";
import type { Ended } from "./outing.js";
import { paymentsOf } from "./shapes.js";

export interface Verdict {
  readonly runs: number;
  readonly crashed: number;
  readonly crashes: number;
  readonly completed: number;
  readonly waiting: number;
  readonly payments: number;
  readonly calls: number;
  readonly lookups: number;
  readonly unanswered: number;
  /** Of the crashed runs whose lookups were answered in the end, the share that recovered by itself. */
  readonly recovered: number;
  readonly byPoint: Readonly<Record<string, number>>;
  readonly breaches: readonly string[];
}

/** The share of the crashed runs that must recover by themselves, those not counted whose lookup nobody answered. */
const RECOVERED = 0.96;

/** @param first how the runs ended by themselves; `last` how they did when a person had settled what was open */
export function verdictOf(first: readonly Ended[], last: readonly Ended[], before: Books, after: Downstream): Verdict {
  const crashed = first.filter(({ crashes }) => crashes.length > 0);
  const others = crashed.filter(({ as }) => as !== "waiting");
  const recovered = others.length === 0 ? 1 : others.filter(({ as }) => as === "completed").length / others.length;
  const breaches = [
    ...first.flatMap(ended),
    ...last.flatMap((one) => (one.as === "completed" ? [] : [`${nameOf(one)}: ${one.why ?? one.as}`])),
    ...unknownExactly(first, before),
    ...paidOnce(last, after),
    ...(recovered < RECOVERED ? [`Only ${percent(recovered)} of the crashed runs recovered by themselves.`] : []),
  ];
  return {
    runs: first.length,
    crashed: crashed.length,
    crashes: crashed.reduce((sum, { crashes }) => sum + crashes.length, 0),
    completed: first.filter(({ as }) => as === "completed").length,
    waiting: first.filter(({ as }) => as === "waiting").length,
    payments: first.length * 3,
    calls: after.calls.length,
    lookups: before.lookups.length,
    unanswered: before.lookups.filter(({ answered }) => !answered).length,
    recovered,
    byPoint: countsOf(first.flatMap(({ crashes }) => crashes)),
    breaches,
  };
}

/** A copy of the books, before a person looked into them. */
export type Books = Pick<Downstream, "calls" | "lookups">;

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function ended(one: Ended): string[] {
  return one.as === "broken" ? [`${nameOf(one)}: ${one.why ?? "it did not end"}`] : [];
}

/** An outcome is unknown where the last lookup went unanswered, and nowhere else. */
function unknownExactly(first: readonly Ended[], { lookups }: Books): string[] {
  const last = new Map(lookups.map(({ key, answered }) => [key, answered]));
  const open = new Set([...last].filter(([, answered]) => !answered).map(([key]) => key));
  const unknown = new Set(first.flatMap((one) => one.unknown));
  const without = [...unknown].filter((key) => !open.has(key));
  const forgotten = [...open].filter((key) => !unknown.has(key));
  return [
    ...without.map((key) => `${key} is unknown, though its lookup was answered.`),
    ...forgotten.map((key) => `${key} is not unknown, though its last lookup went unanswered.`),
  ];
}

function paidOnce(runs: readonly Ended[], { calls }: Books): string[] {
  const paid = countsOf(
    calls.filter(({ outcome }) => outcome === "done").map(({ value }) => (value as { order: string }).order),
  );
  return runs.flatMap((one) =>
    paymentsOf(one.outing.run).flatMap((payment) => {
      const times = paid[payment] ?? 0;
      return times === 1 ? [] : [`${nameOf(one)}: ${payment} was paid ${times} times.`];
    }),
  );
}

function nameOf({ outing: { run, shape, key, durability }, crashes }: Ended): string {
  return `${run} (${shape}, ${durability}, ${key} key; crashed ${crashes.join(", ") || "never"})`;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
