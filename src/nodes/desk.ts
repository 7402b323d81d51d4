import { AsyncLocalStorage } from "node:async_hooks";
import { hasAnswer, interruptIn, type RunningTask } from "../shared/langgraph.js";
import { processWide } from "../shared/process-wide.js";
import type { Store } from "../store/home.js";
import { StaleFenceError } from "./errors.js";
import { closedDesk, QUESTION_KINDS, type Desk, type Question, type QuestionKind, type Renderer } from "./question.js";
import { QuestionTable, type QuestionGroup } from "./question-table.js";

/** One of our operations: a call of an effect, an approval. */
interface Operation {
  readonly desk: object;
  readonly parent: Operation | undefined;
  children: number;
  /** More than zero while it waits to ask, or for another operation. */
  parked: number;
}

const operations = processWide("operations", () => new AsyncLocalStorage<Operation>());

/** The desk of one attempt of one task. See slots.ts for the protocol. */
export class AttemptDesk implements Desk {
  readonly pass: number;
  /** LangGraph's number of the attempt, once an operation that knows it was here. */
  private attempt: number | undefined;
  private readonly table: QuestionTable;
  private readonly live = new Set<Operation>();
  private readonly counts = new Map<string, number>();
  private readonly answers = new Map<number, readonly unknown[]>();
  private readonly current = new Map<string, Record<string, unknown>>();
  private readonly listeners = new Set<() => void>();
  private groups: QuestionGroup[];
  private pending: Question[] = [];
  private paused: Question[] = [];
  private moves = 0;
  private closed: { readonly reason: Error } | undefined;

  constructor(
    store: Store,
    private readonly task: RunningTask,
    private readonly renderers: ReadonlyMap<QuestionKind, Renderer>,
  ) {
    this.pass = task.pass;
    this.attempt = task.attempt;
    this.table = new QuestionTable(store, task);
    this.groups = this.table.all();
  }

  get isBusy(): boolean {
    return this.live.size > 0;
  }

  async track<T>(work: () => Promise<T>): Promise<T> {
    this.refuseIfClosed();
    const above = operations.getStore();
    const parent = above?.desk === this ? above : undefined;
    const operation: Operation = { desk: this, parent, children: 0, parked: 0 };
    this.live.add(operation);
    if (parent !== undefined) parent.children += 1;
    this.moved();
    try {
      return await operations.run(operation, work);
    } finally {
      this.live.delete(operation);
      if (parent !== undefined) parent.children -= 1;
      this.moved();
    }
  }

  async idle<T>(work: () => Promise<T>): Promise<T> {
    const above = operations.getStore();
    if (above?.desk !== this) return work();
    above.parked += 1;
    this.moved();
    try {
      return await work();
    } finally {
      above.parked -= 1;
      this.moved();
    }
  }

  async spend(place: string, current?: Record<string, unknown>): Promise<unknown[]> {
    this.refuseIfClosed();
    if (current === undefined) this.current.delete(place);
    else this.current.set(place, current);
    const given: unknown[] = [];
    for (const group of this.groups) {
      const index = group.questions.findIndex((question) => question.place === place);
      if (index < 0) continue;
      await this.reach(group.seq);
      given.push(this.answers.get(group.seq)?.[index]);
    }
    return given;
  }

  async ask(question: Question): Promise<never> {
    this.refuseIfClosed();
    this.refuseIfAborted();
    this.pending.push(question);
    return this.untilInterrupted();
  }

  async pause(question: Question): Promise<never> {
    this.refuseIfClosed();
    this.refuseIfAborted();
    this.paused.push(question);
    return this.untilInterrupted();
  }

  private untilInterrupted(): Promise<never> {
    return this.idle(async () => {
      for (;;) {
        await this.quiet();
        this.refuseIfClosed();
        // A question of an earlier pass comes first; whoever waits for it goes on before anything new is asked.
        if (this.spendNext()) continue;
        if (this.pending.length > 0) this.put();
        else this.stop();
      }
    });
  }

  ordinal(name: string): number {
    const before = this.counts.get(name) ?? 0;
    this.counts.set(name, before + 1);
    return before;
  }

  /** This desk for an operation of its own attempt; a closed one for what is left of an attempt before it. */
  for({ attempt }: RunningTask): Desk {
    if (attempt !== undefined && this.attempt !== undefined && attempt < this.attempt)
      return closedDesk(this.givenUp());
    this.attempt ??= attempt;
    return this;
  }

  supersede(): void {
    this.close(this.givenUp());
  }

  /** Spends recorded questions until the one with `seq` has its answer. */
  private async reach(seq: number): Promise<void> {
    if (this.answers.has(seq)) return;
    await this.idle(async () => {
      while (!this.answers.has(seq)) {
        if (!hasAnswer(this.task.scratchpad)) await this.quiet();
        this.refuseIfClosed();
        if (!this.answers.has(seq)) this.spendNext();
      }
    });
  }

  /** Spends the first recorded question that this attempt has not reached yet; false when there is none. */
  private spendNext(): boolean {
    const group = this.groups.find(({ seq }) => !this.answers.has(seq));
    if (group === undefined) return false;
    const questions = group.questions.map((question) => this.refreshed(question));
    const answer = this.interrupt(questions);
    this.answers.set(group.seq, group.stray ? [] : this.renderer(questions).split(answer, questions));
    this.moved();
    return true;
  }

  /** Asks what waits, one kind at a time. */
  private put(): void {
    const kind = QUESTION_KINDS.find((candidate) => this.pending.some((question) => question.kind === candidate));
    const byPlace = new Map(
      this.pending.filter((question) => question.kind === kind).map((question) => [question.place, question]),
    );
    const group = this.note([...byPlace.values()]);
    if (group === undefined) return;
    this.interrupt(group.questions);
    // Still here: LangGraph held an answer for this slot, given before the question was shown to anybody.
    this.goAstray(group);
  }

  /** Interrupts for all that pause; nothing of it is written down, since nothing of it will be spent. */
  private stop(): void {
    const byPlace = new Map(this.paused.map((question) => [question.place, question]));
    this.interrupt([...byPlace.values()]);
    // Still here: the slot held an answer, given to what nobody may answer. It is spent from now on like any other.
    const group = this.note([...byPlace.values()]);
    if (group !== undefined) this.goAstray(group);
  }

  /** Writes down what the next slot asks; undefined when another pass of the same task has taken the slot. */
  private note(questions: readonly Question[]): QuestionGroup | undefined {
    const group = this.table.add(this.groups.length, questions);
    if (group === undefined) this.groups = this.table.all();
    else this.groups.push(group);
    return group;
  }

  private goAstray({ seq }: QuestionGroup): void {
    this.table.markStray(seq);
    this.answers.set(seq, []);
  }

  private interrupt(questions: readonly Question[]): unknown {
    try {
      return interruptIn(this.task, this.renderer(questions).combine(questions));
    } catch (reason) {
      this.close(reason as Error);
      throw reason;
    }
  }

  private refreshed(question: Question): Question {
    const current = this.current.get(question.place);
    return current === undefined ? question : { ...question, payload: { ...question.payload, ...current } };
  }

  private renderer([question]: readonly Question[]): Renderer {
    const kind = question?.kind;
    const renderer = kind === undefined ? undefined : this.renderers.get(kind);
    if (renderer !== undefined) return renderer;
    throw new Error(`No renderer is registered for questions of kind "${String(kind)}".`);
  }

  /** Resolves when every operation has ended or is parked, and a turn of the event loop has brought no new one. */
  private async quiet(): Promise<void> {
    for (;;) {
      while (this.closed === undefined && !this.isQuiet()) await this.nextMove();
      const before = this.moves;
      await macrotask();
      if (this.closed !== undefined || (this.moves === before && this.isQuiet())) return;
    }
  }

  private isQuiet(): boolean {
    return [...this.live].every(({ parked, children }) => parked > 0 || children > 0);
  }

  private moved(): void {
    this.moves += 1;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }

  private nextMove(): Promise<void> {
    return new Promise((resolve) => this.listeners.add(resolve));
  }

  private close(reason: Error): void {
    this.closed ??= { reason };
    this.moved();
  }

  private refuseIfClosed(): void {
    if (this.closed !== undefined) throw this.closed.reason;
  }

  /** A question of a run that was given up would take a slot that nobody sees. */
  private refuseIfAborted(): void {
    this.task.signal?.throwIfAborted();
  }

  private givenUp(): StaleFenceError {
    const { threadId, checkpointNs } = this.task;
    return new StaleFenceError(
      `An attempt of this node on thread "${threadId}" was given up, and a newer one runs; what is left of the old one ` +
        `does nothing more. The newer one goes on: nothing has to be done now. Await every effect and approval in the ` +
        `node, so that none outlives it.`,
      { details: { threadId, checkpointNs } },
    );
  }
}

/** A turn of the event loop: what was about to start has started. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
