import { isGraphInterrupt } from "@langchain/langgraph";
import { isRefusedByLease } from "../checkpointer/lease.js";
import { hashOf } from "../shared/canonical.js";
import { WaypointError } from "../shared/errors.js";
import { interruptIn, type RunningTask } from "../shared/langgraph.js";
import { EffectTable } from "./effect-table.js";
import type { Ledger } from "./ledger.js";
import type { Desk, Question } from "./question.js";
import { readResolutions, type Reading } from "./resolution.js";
import { settleMatter } from "./resolve.js";
import { registerRenderer } from "./slots.js";
import type { Visit } from "./visit.js";

/**
 * In a tool, LangGraph makes every error but an interrupt into advice for the model, which would then try something
 * else. These must not become advice: they stop the run by asking a person.
 */
const STOPS = new Set([
  "IDEMPOTENCY_CONFLICT",
  "EFFECT_IN_PROGRESS",
  "EFFECT_LATCHED",
  "CIRCUIT_OPEN",
  "EFFECT_DEFINITION",
  "LEDGER_UNAVAILABLE",
  "STALE_CHECKPOINT",
  "STALE_FENCE",
  "NOT_DURABLE",
  "UNKNOWN_OUTCOME",
  "COMPENSATED",
  "AUTO_KEY",
  "MEMO_CONFLICT",
  "MEMO_USE",
]);

/** These end by themselves, or are the matter of another call or run: nothing else is held up. */
const NOT_OURS = new Set(["EFFECT_IN_PROGRESS", "EFFECT_LATCHED", "CIRCUIT_OPEN", "STALE_CHECKPOINT"]);

const HOW_TO_ANSWER =
  'Look into it, then resume with { as: "failed", by, evidence } to let the agent know that this call was refused, or with ' +
  '{ as: "retry", by, evidence } to try it again. EFFECT_LATCHED is about another effect: the answer settles that one, as ' +
  '"succeeded" (with its result), "failed" or "retry"; if it is settled already, any answer goes on. For several matters, ' +
  "resume with an object from each matter to its answer.";

/** What holds a tool call up. */
export interface LatchMatter {
  readonly matter: string;
  readonly code: string;
  readonly message: string;
  readonly effectId?: string;
  readonly key?: string;
  /** ISO 8601: when it may be over by itself. */
  readonly retryAt?: string;
  /** Why the last answer settled nothing. */
  readonly problem?: string;
}

interface ToolScope {
  readonly ledger: Ledger;
  readonly desk: Desk;
  readonly task: RunningTask;
  readonly visit: Visit;
  readonly place: string;
}

/** Runs a tool's effect so that what must stop the run asks a person, and holds up the thread until it is settled. */
export async function stopOrReturn<T>(scope: ToolScope, work: () => Promise<T>): Promise<T> {
  const given = await scope.desk.spend(latchPlace(scope));
  let answer = given.at(-1) as Given | undefined;
  for (;;) {
    try {
      const value = await work();
      letGo(scope, given);
      return value;
    } catch (error) {
      const matter = matterOf(error, scope);
      // The thread is somebody else's, and so are its latches and questions: this run ends without a trace.
      if (matter !== undefined && isRefusedByLease(error)) {
        askUnrecorded(matter, scope);
        throw error;
      }
      if (matter === undefined && !isGraphInterrupt(error)) letGo(scope, given);
      if (matter === undefined || (await goesOn(matter, answer, scope)) === "refused") throw error;
      answer = undefined;
    }
  }
}

/** By the answer of an earlier pass, or by asking. */
async function goesOn(matter: LatchMatter, answer: Given | undefined, scope: ToolScope): Promise<"refused" | "again"> {
  const next = answerTo(matter, answer, scope);
  if (next === "refused") return "refused";
  if (next !== "settled")
    await ask({ kind: "latch", place: latchPlace(scope), payload: { ...matter, ...next } }, matter, scope);
  return "again";
}

function latchPlace({ place }: ToolScope): string {
  return `latch:${place}`;
}

interface Given {
  readonly matter: string;
  readonly reading: Reading;
}

/** What the answer does: it settled another effect's matter, it refuses this call, or the question is asked again. */
function answerTo(
  { matter, code, message }: LatchMatter,
  answer: Given | undefined,
  { ledger }: ToolScope,
): "settled" | "refused" | { problem?: string } {
  if (answer?.matter !== matter) return {};
  if ("problem" in answer.reading) return { problem: answer.reading.problem };
  const { resolution } = answer.reading;
  if (code === "EFFECT_LATCHED") {
    settleMatter(ledger, matter, resolution);
    return "settled";
  }
  if (resolution.as === "succeeded") return { problem: 'This call was not made: answer "failed" or "retry".' };
  if (resolution.as === "retry") return { problem: `It was tried again, and it is still so: ${message}` };
  new EffectTable(ledger.store).release(matter, resolution.by, resolution.evidence);
  return "refused";
}

async function ask(
  question: Question,
  { matter, code, message, effectId }: LatchMatter,
  scope: ToolScope,
): Promise<void> {
  const { ledger, desk, visit } = scope;
  try {
    if (!NOT_OURS.has(code)) {
      const latch = { threadId: visit.threadId, matter, effectId: effectId ?? "", code, message };
      new EffectTable(ledger.store).latch(latch);
    }
    await desk.ask(question);
  } catch (error) {
    if (isGraphInterrupt(error) || (WaypointError.is(error) && error.code === "STALE_FENCE")) throw error;
    // The store fails. Stopping matters more than the slot: nothing may go on as if this were advice.
    askUnrecorded(question.payload, scope);
  }
}

function askUnrecorded(matter: object, { task }: ToolScope): void {
  interruptIn(task, { type: "waypoint.latched", matters: [matter], answers: HOW_TO_ANSWER });
}

/** What is the matter with this error; undefined for one that the model may hear of. */
function matterOf(error: unknown, { visit, place }: ToolScope): LatchMatter | undefined {
  if (!WaypointError.is(error) || !STOPS.has(error.code)) return undefined;
  const { code, message, details } = error;
  const foreign = code === "EFFECT_LATCHED" ? details.matter : undefined;
  const matter = typeof foreign === "string" ? foreign : ownMatter(visit, place);
  const { effectId, key, retryAt } = details;
  return {
    matter,
    code,
    message,
    ...(typeof effectId === "string" ? { effectId } : {}),
    ...(typeof key === "string" ? { key } : {}),
    ...(typeof retryAt === "string" ? { retryAt } : {}),
  };
}

function ownMatter({ threadId, id }: Visit, place: string): string {
  return `lat_${hashOf(JSON.stringify([threadId, id, place])).slice(0, 32)}`;
}

/** What was the matter on an earlier pass is over. */
function letGo({ ledger, visit, place }: ToolScope, given: readonly unknown[]): void {
  if (given.length > 0) new EffectTable(ledger.store).release(ownMatter(visit, place), "ledger", "the call went on");
}

registerRenderer("latch", {
  combine: (questions) => ({
    type: "waypoint.latched",
    matters: questions.map(({ payload }) => payload),
    answers: HOW_TO_ANSWER,
  }),
  split: (answer, questions) => {
    const matters = questions.map(({ payload }) => String(payload.matter));
    const distinct = [...new Set(matters)];
    const readings = readResolutions(answer, distinct);
    return matters.map((matter): Given => ({ matter, reading: readings[distinct.indexOf(matter)] as Reading }));
  },
});
