import type { Store } from "../store/home.js";
import type { Ledger } from "./ledger.js";
import { EffectTable } from "./effect-table.js";
import { isAlive } from "./owner.js";
import type { PendingQuestion } from "./pending-questions.js";
import { readResolutions } from "./resolution.js";

/** What a question about effects asks: unknown outcomes by effect id, or what holds up a tool call by matter. */
interface Matter {
  readonly id: string;
  readonly effectId: string | undefined;
  /** It waits for a call that somebody else makes, and for nothing else. */
  readonly busy: boolean;
  /** It waits for this moment (ISO 8601), and for nothing else. */
  readonly retryAt?: string | undefined;
}

/** The matters of one of the ledger's own questions; empty for every other question. */
export function mattersOf({ value }: PendingQuestion): Matter[] {
  const { type, effects, matters } = (value ?? {}) as { type?: unknown; effects?: unknown; matters?: unknown };
  if (type === "waypoint.unknown_effect")
    return list(effects).map(({ effectId }) => ({ id: String(effectId), effectId, busy: false }));
  if (type === "waypoint.latched")
    return list(matters).map(({ matter, effectId, code, retryAt }) => ({
      id: String(matter),
      effectId,
      retryAt,
      busy: code === "EFFECT_IN_PROGRESS",
    }));
  return [];
}

/** Whether all that the question asks was settled by `resolve()` or a lookup meanwhile, or has ended by itself. */
export function isSettled(question: PendingQuestion, { store }: Ledger): boolean {
  const matters = mattersOf(question);
  return matters.length > 0 && matters.every((matter) => isOver(matter, store));
}

/** Why an answer to one of these questions would settle nothing; undefined where it would, or for other questions. */
export function problemWithAnswer(question: PendingQuestion, answer: unknown): string | undefined {
  const ids = [...new Set(mattersOf(question).map(({ id }) => id))];
  const readings = ids.length === 0 ? [] : readResolutions(answer, ids);
  return readings.flatMap((reading) => ("problem" in reading ? reading.problem : []))[0];
}

function isOver({ id, effectId, busy, retryAt }: Matter, store: Store): boolean {
  const table = new EffectTable(store);
  const latch = table.findLatch(id);
  if (latch !== undefined) return latch.releasedAt !== null;
  if (retryAt !== undefined) return Date.parse(retryAt) <= store.clock.now();
  const row = effectId === undefined ? undefined : table.find(effectId);
  if (row === undefined) return false;
  if (busy) return row.state !== "STARTED" || !isAlive(store, row);
  return row.state !== "UNKNOWN" && row.state !== "STARTED";
}

interface Listed {
  readonly effectId?: string;
  readonly matter?: string;
  readonly code?: string;
  readonly retryAt?: string;
}

function list(value: unknown): Listed[] {
  return Array.isArray(value) ? (value as Listed[]) : [];
}
