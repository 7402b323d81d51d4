import {
  Annotation,
  Command,
  MemorySaver,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterEach } from "vitest";
import { memoryLedger, setLedger, type Ledger } from "../../../src/nodes/ledger.js";
import type { Clock } from "../../../src/shared/clock.js";

export const START_OF_TIME = Date.parse("2026-01-01T00:00:00.000Z");
export const MINUTE = 60_000;

/** Stands still until it is moved. */
export class StillClock implements Clock {
  time = START_OF_TIME;
  now(): number {
    return this.time;
  }
  advance(ms: number): void {
    this.time += ms;
  }
  sleep(ms: number): Promise<void> {
    this.time += ms;
    return Promise.resolve();
  }
}

/** The outside world: counts raw calls and de-duplicates nothing. */
export class Outside {
  readonly calls: unknown[] = [];
  call(what: unknown): string {
    this.calls.push(what);
    return `done ${this.calls.length}`;
  }
}

/** A ledger in memory that the process uses, with a clock that stands still. */
export function useLedger(): { ledger: Ledger; clock: StillClock } {
  const clock = new StillClock();
  const ledger = memoryLedger({ clock });
  setLedger(ledger);
  return { ledger, clock };
}

afterEach(() => setLedger(undefined));

export const State = Annotation.Root({
  amount: Annotation<number>,
  log: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});
export type StateOf = typeof State.State;
export type NodeOf = (state: StateOf, config: LangGraphRunnableConfig) => Promise<Partial<StateOf>>;

export interface Interrupted {
  __interrupt__?: { id: string; value: Payload }[];
  log: string[];
}
export interface Payload {
  actionRequests: { name: string; args: Record<string, unknown>; description: string }[];
  reviewConfigs: { actionName: string; allowedDecisions: string[] }[];
  approvals: { id: string; actionHash: string; mode: string; decideBy?: string }[];
  problem?: string;
}

/** A graph of nodes that run one after the other. */
export function chain(nodes: Record<string, NodeOf>, checkpointer: BaseCheckpointSaver = new MemorySaver()) {
  const graph = new StateGraph(State) as StateGraph<typeof State.spec, StateOf, Partial<StateOf>, string>;
  let before: string = START;
  for (const [name, node] of Object.entries(nodes)) {
    graph.addNode(name, node);
    graph.addEdge(before, name);
    before = name;
  }
  return graph.compile({ checkpointer });
}

export function on(threadId: string): { configurable: { thread_id: string } } {
  return { configurable: { thread_id: threadId } };
}

/** What the graph asks now. */
export function asked(result: unknown): Payload {
  const [first] = (result as Interrupted).__interrupt__ ?? [];
  if (first === undefined) throw new Error("The graph asks nothing.");
  return first.value;
}

export function asks(result: unknown): boolean {
  return ((result as Interrupted).__interrupt__ ?? []).length > 0;
}

export const approve = { decisions: [{ type: "approve" }] };

/** What an existing UI sends. */
export function plain(resume: unknown): Command<unknown, never, never> {
  return new Command({ resume });
}
