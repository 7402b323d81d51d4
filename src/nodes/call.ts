import { randomUUID } from "node:crypto";
import type { RunningTask } from "../shared/langgraph.js";
import type { Store } from "../store/home.js";
import { runOnce, type Ran } from "./attempt.js";
import { delayAfter } from "./backoff.js";
import { Circuit } from "./circuit.js";
import type { EffectRow } from "./effect-row.js";
import { effectId } from "./effect-id.js";
import { EffectTable, type Intent, type Settlement } from "./effect-table.js";
import { LedgerUnavailableError } from "./errors.js";
import { leaseOn } from "./lease.js";
import { apply, contextOf, lookUp, recordOf, resultOf, success, textOf, whyNot, type LookupScope } from "./lookup.js";
import { nextMove, type Circumstances, type Move } from "./next-move.js";
import { judge, type Judgement } from "./outcome.js";
import { isAlive, landing, takeOff } from "./owner.js";
import type { Desk } from "./question.js";
import {
  asError,
  brokenOff,
  isBubbleUp,
  latched,
  notDue,
  refusal,
  staleFence,
  unknownOutcome,
  unrecorded,
} from "./refusals.js";
import type { Registered } from "./registry.js";
import { settlementOf } from "./resolution.js";
import { watchStraggler } from "./straggler.js";
import { insideRunOf } from "./run-scope.js";
import { unknownEffect, type GivenAnswer } from "./unknown-question.js";
import type { Visit } from "./visit.js";

/** One call of an effect: everything that stays the same while the call goes on. */
export interface CallScope {
  readonly effect: Registered;
  readonly store: Store;
  readonly key: string;
  /** Canonical JSON, and its hash. */
  readonly args: string;
  readonly argsHash: string;
  readonly task: RunningTask | undefined;
  readonly visit: Visit | undefined;
  /** The thread that an effect outside a graph belongs to. */
  readonly threadId?: string;
  /** Undefined where nobody can be asked: outside a graph, or without a checkpointer. */
  readonly desk: Desk | undefined;
  /** Where this call asks; stable through re-runs. */
  readonly place: string;
  readonly approvalId: string | undefined;
  /** Runs in the transaction that writes the intent, just before it; refuses by throwing. */
  readonly beforeIntent: ((database: Store["database"]) => void) | undefined;
}

const POLL_MS = 200;

/** Carries an effect out, or hands out what the ledger has. */
export class EffectCall {
  private readonly table: EffectTable;
  private readonly intent: Intent;
  private readonly circuit: Circuit | undefined;
  private readonly lookup: LookupScope;
  private answer: GivenAnswer | undefined;

  constructor(private readonly scope: CallScope) {
    const { store, effect, key, args, argsHash, task, visit, threadId, approvalId } = scope;
    this.table = new EffectTable(store);
    this.circuit = effect.limits.circuit && new Circuit(store, effect.limits.circuit);
    this.lookup = { store, table: this.table, effect, signal: task?.signal };
    this.intent = {
      id: effectId(store, effect.definition.name, key),
      name: effect.definition.name,
      key,
      args,
      argsHash,
      threadId: visit?.threadId ?? threadId ?? "",
      visit: visit?.id ?? `call:${randomUUID()}`,
      toolCallId: visit?.toolCallId,
      approvalId,
    };
  }

  /** Follows the row from state to state until there is a result or an error. */
  async result(): Promise<unknown> {
    await this.spend();
    for (;;) {
      const row = this.table.find(this.intent.id);
      const move = nextMove(row, this.circumstances(row));
      if (row !== undefined && move.do === "return") return resultOf(row);
      await this.make(move, row);
    }
  }

  private circumstances(row: EffectRow | undefined): Circumstances {
    const { store, argsHash } = this.scope;
    const alive = row?.state === "STARTED" && isAlive(store, row);
    const refusedHere = row?.state === "FAILED" && this.table.wasTriedBy(this.intent.visit, row);
    return { argsHash, now: store.clock.now(), alive, refusedHere };
  }

  /** Takes the slots of earlier passes, and the answer to the last question. */
  private async spend(): Promise<void> {
    const { desk, place } = this.scope;
    if (desk === undefined) return;
    const state = this.table.find(this.intent.id)?.state;
    const settled = state === undefined || state === "UNKNOWN" || state === "STARTED" ? undefined : { settled: state };
    const given = await desk.spend(place, settled);
    this.answer = given.at(-1) as GivenAnswer | undefined;
  }

  private async make(move: Move, row: EffectRow | undefined): Promise<void> {
    switch (move.do) {
      case "start": {
        this.scope.task?.signal?.throwIfAborted();
        const started = this.table.start(this.intent, move, row, () => this.mayStart());
        if (started !== undefined) await this.attempt(started);
        return;
      }
      case "wait":
        return this.wait(row as EffectRow, move.until);
      case "inquire":
        return this.inquire(row as EffectRow);
      case "refuse":
        if (move.why === "busy" && this.scope.effect.definition.whenBusy === "wait")
          return this.untilFree(row as EffectRow);
        throw refusal(move.why, row as EffectRow, this.table.refusalOf(this.intent.visit, row as EffectRow));
      case "return":
        return;
    }
  }

  private mayStart(): void {
    const { store, beforeIntent, visit } = this.scope;
    const latch =
      visit === undefined || visit.threadId === "" ? undefined : this.table.latchOn(visit.threadId, this.intent.id);
    if (latch !== undefined) throw latched(latch, this.intent);
    this.circuit?.admit(this.intent);
    beforeIntent?.(store.database);
  }

  private async wait(row: EffectRow, until: number): Promise<void> {
    const { store, effect, task } = this.scope;
    const left = until - store.clock.now();
    if (left > effect.limits.maxInterval) throw notDue(row, until);
    await store.clock.sleep(left, task?.signal);
  }

  private async untilFree(row: EffectRow): Promise<void> {
    const { store, desk, task } = this.scope;
    const free = (): Promise<void> => landing(row.token) ?? store.clock.sleep(POLL_MS, task?.signal);
    await (desk === undefined ? free() : desk.idle(free));
  }

  /** One attempt, from its intent to its record. Returns when the row says how to go on. */
  private async attempt(row: EffectRow): Promise<void> {
    const landed = takeOff(row.token);
    const release = leaseOn(this.scope.store).hold();
    try {
      await this.record(row, await this.run(row));
    } finally {
      release();
      landed();
    }
  }

  private run(row: EffectRow): Promise<Ran> {
    const { effect, store, task } = this.scope;
    const { name, run } = effect.definition;
    return runOnce((signal) => insideRunOf(name, task, () => run(JSON.parse(row.args), contextOf(row, signal))), {
      name,
      clock: store.clock,
      timeout: effect.limits.timeout,
      signal: task?.signal,
    });
  }

  private async record(row: EffectRow, ran: Ran): Promise<void> {
    if (ran.ended === "returned") {
      this.recordSuccess(row, ran.value);
      this.circuit?.succeeded(row.name);
      return;
    }
    if (ran.ended === "running") watchStraggler(this.scope.store, row, ran.late);
    else if (isBubbleUp(ran.error)) return this.brokenOff(row, ran.error);
    const judgement = judge(ran.error, this.scope.effect.definition.classify);
    this.circuit?.failed(row.name, judgement);
    const running = ran.ended === "running";
    if (running || ran.timedOut || judgement.verdict === "ambiguous") return this.doubt(row, ran.error, running);
    const error = { ...recordOf(ran.error), class: judgement.class };
    if (judgement.verdict === "refused") {
      this.settle(row, { state: "FAILED", error, attempt: "failed" });
      throw asError(ran.error, error);
    }
    this.settle(row, { state: "RETRYABLE", error, attempt: "not-sent", dueAt: this.dueAt(row, judgement) });
    this.goOnOrThrow(row, ran.error);
  }

  private recordSuccess(row: EffectRow, value: unknown): void {
    try {
      this.settle(row, { ...success(value, row), attempt: "succeeded" });
    } catch (cause) {
      throw cause instanceof LedgerUnavailableError ? unrecorded(row, cause) : cause;
    }
  }

  /** Nobody knows whether it happened: the lookup is asked at once, and if that does not help, a person. */
  private async doubt(row: EffectRow, error: unknown, running: boolean): Promise<void> {
    const attempt = running ? "timed-out" : "ambiguous";
    const outcome = await lookUp(this.lookup, row);
    if (apply(this.lookup, row, outcome, { attempt, dueAt: this.dueAt(row) })) {
      if (outcome.outcome === "absent") this.goOnOrThrow(row, error);
      return;
    }
    const why = whyNot(this.lookup, row, outcome);
    this.settle(row, this.lost(row, `${textOf(error)}; ${why}`, attempt, error));
    return this.ask(undefined, error);
  }

  /** After an attempt that certainly did nothing: the next one, if this call may make it. */
  private goOnOrThrow(row: EffectRow, error: unknown): void {
    if (row.tries >= this.scope.effect.limits.maxAttempts) throw asError(error, recordOf(error));
  }

  private dueAt(row: EffectRow, judgement?: Judgement): number {
    const { effect, store } = this.scope;
    return store.clock.now() + delayAfter(row, effect.limits, judgement?.retryAfter);
  }

  /** STARTED by somebody who is gone, or UNKNOWN: a person's answer, else the lookup, else a question. */
  private async inquire(row: EffectRow): Promise<void> {
    const answer = row.state === "UNKNOWN" && this.answer?.version === row.version ? this.answer : undefined;
    this.answer = undefined;
    const resolution = answer !== undefined && "resolution" in answer.reading ? answer.reading.resolution : undefined;
    const now = this.scope.store.clock.now();
    if (resolution !== undefined && resolution.as !== "retry") {
      this.table.settle(row, settlementOf(row, resolution, now));
      return;
    }
    const outcome = await lookUp(this.lookup, row);
    if (apply(this.lookup, row, outcome, row.state === "STARTED" ? { attempt: "abandoned" } : {})) return;
    if (resolution !== undefined) {
      this.table.settle(row, settlementOf(row, resolution, now));
      return;
    }
    const why = whyNot(this.lookup, row, outcome);
    const lost = this.lost(row, `the process that made the call is gone; ${why}`, "abandoned");
    if (row.state !== "UNKNOWN" && !this.table.settle(row, lost)) return;
    return this.ask(answer !== undefined && "problem" in answer.reading ? answer.reading.problem : undefined);
  }

  private lost(
    row: EffectRow,
    evidence: string,
    attempt: "ambiguous" | "timed-out" | "abandoned",
    error?: unknown,
  ): Settlement {
    const recorded = error === undefined ? {} : { error: recordOf(error) };
    return { state: "UNKNOWN", attempt, evidence, latch: this.latchOver(row, evidence), ...recorded };
  }

  /** A model is not to go on to other effects while nobody knows what became of this one. */
  private latchOver({ id }: EffectRow, message: string): Settlement["latch"] {
    const { visit } = this.scope;
    if (visit?.inTool !== true || visit.threadId === "") return undefined;
    return { threadId: visit.threadId, matter: id, effectId: id, code: "UNKNOWN_OUTCOME", message };
  }

  private async ask(problem?: string, cause?: unknown): Promise<void> {
    const { desk, place } = this.scope;
    const row = this.table.find(this.intent.id);
    if (row?.state !== "UNKNOWN") return;
    const latch = this.latchOver(row, row.evidence ?? "");
    if (latch !== undefined) this.table.latch(latch);
    if (desk !== undefined) await desk.ask(unknownEffect(row, this.table.attempts(row.id), place, problem));
    throw unknownOutcome(row, cause);
  }

  /** Moves our own attempt on. If somebody else took over meanwhile, what we know is kept as evidence. */
  private settle(row: EffectRow, settlement: Settlement): void {
    if (this.table.settle(row, settlement)) return;
    const { state, error } = settlement;
    const came = error === undefined ? state : `${state}: ${error.name}: ${error.message}`;
    this.table.late(row, came);
    throw staleFence(row, came);
  }

  /** An `interrupt()` inside `run`: LangGraph wants to stop in the middle of an outside call. */
  private brokenOff(row: EffectRow, cause: unknown): never {
    this.settle(row, this.lost(row, "run called interrupt(), so it was broken off in the middle", "ambiguous"));
    throw brokenOff(row, cause);
  }
}
