import type { Ledger } from "./ledger.js";
import { EffectTable } from "./effect-table.js";
import type { PendingQuestion } from "./pending-questions.js";
import { readResolutions } from "./resolution.js";

/** What a question about effects asks: unknown outcomes by effect id, or what holds up a tool call by matter. */
interface Matter {
  readonly id: string;
  readonly effectId: string | undefined;
}

/** The matters of one of the ledger's own questions; empty for every other question. */
export function mattersOf({ value }: PendingQuestion): Matter[] {
  const { type, effects, matters } = (value ?? {}) as { type?: unknown; effects?: unknown; matters?: unknown };
  if (type === "waypoint.unknown_effect")
    return list(effects).map(({ effectId }) => ({ id: String(effectId), effectId }));
  if (type === "waypoint.latched")
    return list(matters).map(({ matter, effectId }) => ({ id: String(matter), effectId }));
  return [];
}

/** Whether all that the question asks was settled by `resolve()` or a lookup meanwhile. */
export function isSettled(question: PendingQuestion, { store }: Ledger): boolean {
  const table = new EffectTable(store);
  const matters = mattersOf(question);
  return matters.length > 0 && matters.every((matter) => isOver(matter, table));
}

/** Why an answer to one of these questions would settle nothing; undefined where it would, or for other questions. */
export function problemWithAnswer(question: PendingQuestion, answer: unknown): string | undefined {
  const ids = [...new Set(mattersOf(question).map(({ id }) => id))];
  const readings = ids.length === 0 ? [] : readResolutions(answer, ids);
  return readings.flatMap((reading) => ("problem" in reading ? reading.problem : []))[0];
}

function isOver({ id, effectId }: Matter, table: EffectTable): boolean {
  const latch = table.findLatch(id);
  if (latch !== undefined) return latch.releasedAt !== null;
  const state = effectId === undefined ? undefined : table.find(effectId)?.state;
  return state !== undefined && state !== "UNKNOWN" && state !== "STARTED";
}

function list(value: unknown): { effectId?: string; matter?: string }[] {
  return Array.isArray(value) ? (value as { effectId?: string; matter?: string }[]) : [];
}
