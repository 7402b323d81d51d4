import { stringify } from "../checkpointer/codec.js";
import type { EffectRow } from "./effect-row.js";
import type { Settlement } from "./effect-table.js";

/** How a person settles a matter: what happened outside, who says so, and how they know. */
export interface Resolution {
  /**
   * `succeeded`: it happened, with `result`. `failed`: it did not, and is not to be tried again here. `retry`: it did
   * not, and is to be carried out now.
   */
  readonly as: "succeeded" | "failed" | "retry";
  readonly by: string;
  readonly evidence: string;
  readonly result?: unknown;
}

/** A person's answer, read: a resolution, or why it is none. */
export type Reading = { readonly resolution: Resolution } | { readonly problem: string };

export const HOW_TO_ANSWER =
  'Find out whether it happened, then resume with { as: "succeeded" | "failed" | "retry", by: who says so, evidence: how ' +
  "they know, result?: what it returned }. For several, resume with an object from each id to its answer.";

/** Reads one answer. */
export function readResolution(answer: unknown): Reading {
  if (!isRecord(answer)) return { problem: "The answer was not an object." };
  const { as, by, evidence, result } = answer;
  if (as !== "succeeded" && as !== "failed" && as !== "retry") {
    return { problem: '`as` must be "succeeded", "failed" or "retry".' };
  }
  if (!isText(by)) return { problem: "`by` must say who answers." };
  if (!isText(evidence)) return { problem: "`evidence` must say how they know." };
  return { resolution: { as, by, evidence, ...(result === undefined ? {} : { result }) } };
}

/** Reads the answer to a combined question: an answer for each id, or, where there is one id only, the bare answer. */
export function readResolutions(answer: unknown, ids: readonly string[]): Reading[] {
  const byId = isRecord(answer) ? answer : {};
  const named = ids.some((id) => Object.hasOwn(byId, id));
  return ids.map((id) => {
    if (Object.hasOwn(byId, id)) return readResolution(byId[id]);
    if (named) return { problem: `The answer did not mention ${id}.` };
    if (ids.length > 1)
      return { problem: `Several matters were asked about; answer each by its id, for instance { "${id}": … }.` };
    return readResolution(answer);
  });
}

/** The move that a resolution makes of a row. */
export function settlementOf(row: EffectRow, { as, by, evidence, result }: Resolution, now: number): Settlement {
  const said = { evidence: `${by}: ${evidence}` };
  switch (as) {
    case "succeeded":
      return { state: "SUCCEEDED", result: stringify(result, `The result of effect "${row.name}"`), ...said };
    case "failed":
      return {
        state: "FAILED",
        error: { class: "business-refusal", name: "EffectFailedError", message: evidence },
        ...said,
      };
    case "retry":
      return { state: "RETRYABLE", dueAt: now, ...said };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
