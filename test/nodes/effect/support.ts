import { Annotation, Command, START, StateGraph } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import type { AttemptRow, EffectRow, EffectState } from "../../../src/nodes/effect-row.js";
import { effectId } from "../../../src/nodes/effect-id.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import type { Ledger } from "../../../src/nodes/ledger.js";
import type { Clock } from "../../../src/shared/clock.js";

/** Stands still; sleeping moves it, at once and without a real wait. */
export class StillClock implements Clock {
  readonly slept: number[] = [];
  constructor(public time = Date.parse("2026-01-01T00:00:00.000Z")) {}
  now(): number {
    return this.time;
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.time += ms;
  }
}

/** Sleepers wait until the test advances the clock past them. */
export class HandClock implements Clock {
  time = Date.parse("2026-01-01T00:00:00.000Z");
  private readonly sleepers = new Set<{ until: number; wake: () => void }>();
  now(): number {
    return this.time;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { until: this.time + ms, wake: resolve };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.sleepers.delete(sleeper);
        reject(signal.reason as Error);
      });
    });
  }
  advance(ms: number): void {
    this.time += ms;
    for (const sleeper of this.sleepers) {
      if (sleeper.until > this.time) continue;
      this.sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** The outside world. It counts raw calls and de-duplicates nothing. */
export class Outside {
  readonly calls: { key: string; args: unknown }[] = [];
  call(args: unknown, { key }: { key: string }): { receipt: number } {
    this.calls.push({ key, args });
    return { receipt: this.calls.length };
  }
  /** How often each key came. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { key } of this.calls) counts[key] = (counts[key] ?? 0) + 1;
    return counts;
  }
}

/** An error of the network after something may have gone out. */
export function reset(message = "socket hang up"): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}

/** An error of the network before anything went out. */
export function refusedConnection(): Error {
  return Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED", syscall: "connect" });
}

export const State = Annotation.Root({
  log: Annotation<unknown[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});
export type StateOf = typeof State.State;
export type NodeOf = (state: StateOf, config: LangGraphRunnableConfig) => Promise<Partial<StateOf> | object>;

export interface Interrupted {
  readonly __interrupt__?: readonly { readonly id: string; readonly value: Asked }[];
  readonly log: unknown[];
}

export interface Asked {
  readonly type: string;
  readonly effects: readonly {
    effectId: string;
    name: string;
    key: string;
    args: unknown;
    attempts: number;
    evidence: string[];
    problem?: string;
    settled?: string;
  }[];
  readonly matters: readonly { matter: string; code: string; message: string; effectId?: string; problem?: string }[];
}

/** A SlimSaver in memory; with `clock`, its ledger's time is the test's. */
export function saver(clock?: Clock): SlimSaver {
  return SlimSaver.fromConnString(":memory:", clock === undefined ? {} : { clock });
}

type AddNodeOptions = Parameters<StateGraph<typeof State.spec>["addNode"]>[2];

/** A graph of nodes that run one after the other. */
export function chain(
  checkpointer: BaseCheckpointSaver | undefined,
  nodes: Record<string, NodeOf>,
  options?: AddNodeOptions,
) {
  const graph = new StateGraph(State) as unknown as {
    addNode(name: string, node: NodeOf, options?: AddNodeOptions): void;
    addEdge(from: string, to: string): void;
    compile(options: object): Chain;
  };
  let before: string = START;
  for (const [name, node] of Object.entries(nodes)) {
    graph.addNode(name, node, options);
    graph.addEdge(before, name);
    before = name;
  }
  return graph.compile(checkpointer === undefined ? {} : { checkpointer });
}

export interface Chain {
  invoke(input: unknown, config: object): Promise<Interrupted>;
  getState(
    config: object,
  ): Promise<{ tasks: readonly { id: string; interrupts: readonly { id?: string; value: unknown }[] }[] }>;
}

export function on(threadId: string) {
  return { configurable: { thread_id: threadId } };
}

export const answer = (resume: unknown): Command => new Command({ resume });

export const happened = (result: unknown) => ({ as: "succeeded", by: "ada", evidence: "seen", result });
export const notHappened = { as: "failed", by: "ada", evidence: "not in the books" };
export const again = { as: "retry", by: "ada", evidence: "not in the books" };

/** What is asked now; undefined when nothing is. */
export function asked(result: Interrupted): Asked | undefined {
  return result.__interrupt__?.[0]?.value;
}

export function rowOf({ store }: Ledger, name: string, key: string): EffectRow {
  const row = new EffectTable(store).find(effectId(store, name, key));
  if (row === undefined) throw new Error(`No effect "${name}" with key "${key}".`);
  return row;
}

export function attemptsOf(ledger: Ledger, name: string, key: string): AttemptRow[] {
  return new EffectTable(ledger.store).attempts(rowOf(ledger, name, key).id);
}

/** Puts a row into a state by hand, as its owner or nobody left it. */
export function force(
  ledger: Ledger,
  name: string,
  key: string,
  fields: { state: EffectState; owner?: string; due_at?: number },
): void {
  const { id } = rowOf(ledger, name, key);
  for (const [column, value] of Object.entries(fields)) {
    ledger.store.database.run(`UPDATE waypoint_effects SET ${column} = ? WHERE id = ?`, value, id);
  }
}

let counter = 0;
/** A name that no other test of this process uses: the registry is the process's. */
export function fresh(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}
