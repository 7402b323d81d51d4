import type { AttemptRow, EffectRow } from "./effect-row.js";
import type { Question } from "./question.js";
import { HOW_TO_ANSWER, readResolutions, type Reading } from "./resolution.js";
import { registerRenderer } from "./slots.js";

/** What a person is told about an effect whose outcome is unknown. */
export interface UnknownEffect {
  readonly effectId: string;
  readonly name: string;
  readonly key: string;
  readonly args: unknown;
  readonly attempts: number;
  /** ISO 8601. */
  readonly since: string;
  readonly evidence: readonly string[];
  /** Why the last answer settled nothing. */
  readonly problem?: string;
  /** Set when it was settled elsewhere meanwhile: any answer goes on. */
  readonly settled?: string;
}

/** An answer, and the version of the row that it is about. */
export interface GivenAnswer {
  readonly version: number;
  readonly reading: Reading;
}

/** The question about one row. */
export function unknownEffect(
  row: EffectRow,
  attempts: readonly AttemptRow[],
  place: string,
  problem?: string,
): Question {
  const effect: UnknownEffect = {
    effectId: row.id,
    name: row.name,
    key: row.key,
    args: JSON.parse(row.args),
    attempts: row.attempt,
    since: iso(row.since),
    evidence: [...attempts.map(attemptText), ...ownEvidence(row, attempts)],
    ...(problem === undefined ? {} : { problem }),
  };
  return { kind: "unknown-effect", place, payload: { version: row.version, effect } };
}

registerRenderer("unknown-effect", {
  combine: (questions) => ({
    type: "waypoint.unknown_effect",
    effects: questions.map(({ payload: { effect, settled } }) =>
      settled === undefined ? effect : { ...(effect as object), settled },
    ),
    answers: HOW_TO_ANSWER,
  }),
  split: (answer, questions) => {
    const ids = questions.map(({ payload }) => (payload.effect as UnknownEffect).effectId);
    const readings = readResolutions(answer, [...new Set(ids)]);
    const byId = new Map([...new Set(ids)].map((id, index) => [id, readings[index]]));
    return questions.map(({ payload }, index) => ({ version: payload.version, reading: byId.get(ids[index] ?? "") }));
  },
});

/** What the row knows beyond its attempts. */
function ownEvidence({ evidence }: EffectRow, attempts: readonly AttemptRow[]): string[] {
  const told = evidence === null || attempts.some((attempt) => attempt.evidence?.includes(evidence) === true);
  return told ? [] : [evidence];
}

/** Each thing once: the evidence of an attempt that threw begins with its error. */
function attemptText({ number, startedAt, endedAt, outcome, error, evidence, late }: AttemptRow): string {
  const thrown = error === undefined ? undefined : `${error.name}: ${error.message}`;
  const parts = [
    `attempt ${number}: started ${iso(startedAt)}`,
    endedAt === null ? "no end recorded" : `ended ${iso(endedAt)}${outcome === null ? "" : ` (${outcome})`}`,
    ...(thrown === undefined || evidence?.startsWith(thrown) === true ? [] : [thrown]),
    ...(evidence === null ? [] : [evidence]),
    ...(late === null ? [] : [`afterwards: ${late}`]),
  ];
  return parts.join("; ");
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
