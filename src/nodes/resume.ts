import { randomUUID } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, type StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { stringify } from "../checkpointer/codec.js";
import { InvalidInputError } from "../shared/errors.js";
import { storeOf } from "../store/home.js";
import type { Approval } from "./approval.js";
import {
  AlreadyAnsweredError,
  InvalidAnswerError,
  ThreadFinishedError,
  UnknownThreadError,
} from "./approval-errors.js";
import { ApprovalTable } from "./approval-table.js";
import { settlementOf } from "./judge-answer.js";
import { ledgerOf, nearestLedger, type Ledger } from "./ledger.js";
import { isSettled } from "./open-matters.js";
import { openQuestions, type PendingQuestion } from "./pending-questions.js";
import { planResume, type ResumePlan } from "./resume-plan.js";
import { takenAnswers } from "./taken-answers.js";
import type { WaitReference, WaitRow } from "./wait.js";
import { notTaken } from "./wait-plan.js";
import { waitsIn } from "./wait-question.js";
import { WaitTable } from "./wait-table.js";

/** A compiled graph or an agent of `createAgent`, as far as it is needed to continue a thread. */
export interface ResumableGraph {
  invoke(input: never, config: never): Promise<unknown>;
  getState(config: never, options: never): Promise<unknown>;
  readonly checkpointer?: unknown;
}

/** What a graph's `invoke` resolves to: its state, or the return value of an `entrypoint` (null while it waits). */
export type ResumedValues<App extends ResumableGraph> = Awaited<ReturnType<App["invoke"]>>;

export interface ResumeResult<Values = Record<string, unknown>> {
  /** `finished`: nothing is left to run. `waiting`: it asks something, or stopped at a breakpoint. */
  readonly status: "finished" | "waiting";
  readonly values: Values;
  readonly pending: readonly PendingQuestion[];
  /** Interrupt, approval and wait ids whose questions were answered by this call, or whose node was run again. */
  readonly woken: readonly string[];
  /** What the thread waits for besides answers, and until when: waits that were not due and were left alone. */
  readonly waits: readonly WaitReference[];
}

/**
 * Continues a thread, safely: reads what it asks, checks the answers against that, and only then runs it.
 *
 * - Answers go to exactly the questions they name; unknown, answered, stale, ambiguous and wrong-shaped ones are
 *   refused before anything runs, and change nothing.
 * - Decisions on open approvals are written to their rows first: a crash after that loses none. Of several approvals in
 *   one question, some may be answered now and the rest later; the graph is woken when all are.
 * - What was decided elsewhere (`decide()`, `resolve()`, `deliverEvent()`) and waits that are due are picked up without an
 *   answer. Waits that are not due are left alone, and stand in `waits`.
 * - A run that crashed while nothing is asked is continued. A finished thread is left alone.
 *
 * @param app the compiled graph or agent
 * @param config with `configurable.thread_id`; a `checkpoint_id` in it is left out, since it would replay the past
 * @param answers by interrupt id (langchain's `{ decisions: [...] }`, or what your own `interrupt()` expects), by approval
 *   id (one decision), or by the id of a wait for an event (`{ payload, id? }`)
 * @param options `ledger`: where approvals and waits are kept, if neither the graph's SlimSaver nor the process default
 * @throws UnknownThreadError, ThreadFinishedError, UnknownQuestionError, AlreadyAnsweredError, AmbiguousAnswerError,
 *   InvalidAnswerError, ApprovalExpiredError, InvalidInputError before anything runs; then whatever the run throws
 * @example
 * const { status, pending } = await resume(app, config, { [approvalId]: { type: "approve" } });
 */
export async function resume<App extends ResumableGraph>(
  app: App,
  config: RunnableConfig,
  answers: Readonly<Record<string, unknown>> = {},
  options: { ledger?: Ledger } = {},
): Promise<ResumeResult<ResumedValues<App>>> {
  const graph = app as unknown as Graph;
  const head = atHead(config);
  const threadId = String(head.configurable?.thread_id);
  const snapshot = await stateOf(graph, head, threadId);
  const given = Object.keys(answers).length > 0;
  if (snapshot.tasks.length === 0 && given) throw finished(threadId, answers);
  const questions = openQuestions(snapshot, await takenAnswers(graph.checkpointer, threadId, snapshot));
  const ledger = options.ledger ?? ledgerBehind(graph);
  const table = ledger && new ApprovalTable(ledger.store);
  const now = ledger?.store.clock.now() ?? 0;
  const plan = planResume({
    ...questions,
    threadId,
    answers,
    approvals: table && approvalsOf(table, questions.pending, answers),
    waits: waitsOf(ledger, threadId, questions.pending),
    isSettledElsewhere: (question) => ledger !== undefined && isSettled(question, ledger),
    now,
  });
  if (ledger !== undefined) settle(plan, ledger, threadId);
  const woken = await run(graph, head, snapshot, questions.pending, plan);
  const last = await stateOf(graph, head, threadId);
  const after = result<ResumedValues<App>>(last, woken, await takenAnswers(graph.checkpointer, threadId, last));
  // What was due and is not asked any more needs nobody to wake it again.
  const asked = after.waits.map(({ id }) => id);
  if (ledger !== undefined) new WaitTable(ledger.store).endOfThread(threadId, now, asked);
  return after;
}

interface Graph {
  invoke(input: unknown, config: RunnableConfig): Promise<unknown>;
  getState(config: RunnableConfig, options: { subgraphs: boolean }): Promise<StateSnapshot>;
  readonly checkpointer?: BaseCheckpointSaver;
}

/** @throws InvalidInputError without a thread id */
function atHead(config: RunnableConfig): RunnableConfig {
  const { checkpoint_id: _id, checkpoint_ns: _ns, checkpoint_map: _map, ...configurable } = config.configurable ?? {};
  const threadId: unknown = configurable.thread_id;
  if (typeof threadId !== "string" || threadId === "") {
    throw new InvalidInputError(
      'resume needs configurable.thread_id, a non-empty text: { configurable: { thread_id: "…" } }.',
    );
  }
  return { ...config, configurable };
}

async function stateOf(graph: Graph, config: RunnableConfig, threadId: string): Promise<StateSnapshot> {
  const snapshot = await graph.getState(config, { subgraphs: true });
  if (snapshot.createdAt !== undefined) return snapshot;
  throw new UnknownThreadError(
    `The thread "${threadId}" is not known to this graph's checkpointer, so there is nothing to resume. ` +
      "Check the thread id and that the graph was compiled with the same database; start a new thread with invoke().",
    { details: { threadId } },
  );
}

function ledgerBehind(graph: Graph): Ledger | undefined {
  return storeOf(graph.checkpointer) === undefined ? nearestLedger(undefined) : ledgerOf(graph.checkpointer);
}

function approvalsOf(
  table: ApprovalTable,
  pending: readonly PendingQuestion[],
  answers: Readonly<Record<string, unknown>>,
): Map<string, Approval> {
  const ids = new Set([...pending.flatMap((question) => question.approvalIds), ...Object.keys(answers)]);
  return new Map([...ids].flatMap((id) => table.find(id) ?? []).map((approval) => [approval.id, approval]));
}

function waitsOf(
  ledger: Ledger | undefined,
  threadId: string,
  pending: readonly PendingQuestion[],
): Map<string, WaitRow> {
  const table = ledger && new WaitTable(ledger.store);
  const rows = pending.flatMap((question) => question.waitIds).flatMap((id) => table?.find(id) ?? []);
  return new Map(rows.filter((row) => row.threadId === threadId).map((row) => [row.id, row]));
}

/** All or none. @throws AlreadyAnsweredError when somebody else was faster, InvalidAnswerError */
function settle(plan: ResumePlan, { store }: Ledger, threadId: string): void {
  if (plan.settle.length === 0 && plan.deliver.length === 0) return;
  const table = new ApprovalTable(store);
  const waits = new WaitTable(store);
  const all = () => {
    for (const { approval, decision } of plan.settle) {
      const details = { details: { threadId, approvalId: approval.id } };
      const settlement = settlementOf(approval, decision, undefined);
      if (typeof settlement === "string") {
        throw new InvalidAnswerError(
          `The answer to "${approval.id}" cannot be used in thread "${threadId}": ${settlement} Nothing was changed.`,
          details,
        );
      }
      if (table.settle(approval.id, settlement)) continue;
      throw new AlreadyAnsweredError(
        `The approval "${approval.id}" of thread "${threadId}" was decided by somebody else in this moment. Nothing was changed. ` +
          "Call resume() without this answer: it goes on by the decision that stands.",
        details,
      );
    }
    for (const one of plan.deliver) {
      const { id = `answer:${randomUUID()}`, payload } = one.event;
      const text = stringify(payload, `The payload of event "${one.wait.name}"`);
      const { outcome } = waits.deliver({ threadId, name: one.wait.name, id, payload: text }, one.wait.id);
      if (outcome !== "given") throw notTaken(one, threadId);
    }
  };
  store.database.transaction(all, { durable: true });
}

async function run(
  graph: Graph,
  config: RunnableConfig,
  { tasks }: StateSnapshot,
  pending: readonly PendingQuestion[],
  { values, again }: ResumePlan,
): Promise<string[]> {
  const answered = pending.filter((question) => question.interruptId in values);
  // Either way LangGraph runs every node again that waits.
  if (answered.length > 0) await graph.invoke(new Command({ resume: values }), config);
  else if (again.length > 0 || (pending.length === 0 && tasks.length > 0)) await graph.invoke(null, config);
  return [...answered, ...again].flatMap((one) => [one.interruptId, ...one.approvalIds, ...one.waitIds]);
}

function result<Values>(
  snapshot: StateSnapshot,
  woken: readonly string[],
  taken: ReadonlySet<string>,
): ResumeResult<Values> {
  const { pending } = openQuestions(snapshot, taken);
  return {
    status: snapshot.tasks.length === 0 ? "finished" : "waiting",
    values: snapshot.values as Values,
    pending,
    woken,
    waits: pending.flatMap(({ value }) => waitsIn(value)),
  };
}

function finished(threadId: string, answers: Readonly<Record<string, unknown>>): ThreadFinishedError {
  return new ThreadFinishedError(
    `The thread "${threadId}" is finished and asks nothing; the answer to ${Object.keys(answers).join(", ")} was not used. ` +
      "LangGraph itself would have ignored it without a word. Call resume() without answers, or invoke() with new input.",
    { details: { threadId } },
  );
}
