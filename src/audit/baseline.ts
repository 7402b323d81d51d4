import { InvalidInputError } from "../shared/errors.js";
import type { Finding } from "./finding.js";

/** Findings that were there before: how often each is known. Lines are no part of it, so that edits elsewhere move nothing. */
export interface Baseline {
  readonly version: 1;
  readonly known: Readonly<Record<string, number>>;
}

/** What the findings of today are, to compare those of tomorrow with. */
export function baselineOf(findings: readonly Finding[]): Baseline {
  const known: Record<string, number> = {};
  for (const finding of findings) known[keyOf(finding)] = (known[keyOf(finding)] ?? 0) + 1;
  return { version: 1, known: Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The findings that a baseline does not know, or knows fewer of. */
export function newSince(findings: readonly Finding[], { known }: Baseline): Finding[] {
  const left = new Map(Object.entries(known));
  return findings.filter((finding) => {
    const count = left.get(keyOf(finding)) ?? 0;
    left.set(keyOf(finding), count - 1);
    return count <= 0;
  });
}

function keyOf({ code, interrupt, effect }: Finding): string {
  return [code, interrupt.file, ...(effect === undefined ? [] : [effect.file, effect.what])].join(" ");
}

/**
 * A baseline from its text.
 *
 * @throws InvalidInputError when it is none
 */
export function parseBaseline(text: string, name: string): Baseline {
  const value = parsed(text) as Partial<Baseline> | null | undefined;
  const counts = typeof value?.known === "object" ? Object.values(value.known as Record<string, unknown>) : [];
  if (value?.version === 1 && typeof value.known === "object" && counts.every((count) => Number.isInteger(count)))
    return value as Baseline;
  throw new InvalidInputError(
    `"${name}" is no baseline of the audit. Remove it, and it is written anew from what is found today.`,
    { details: { path: name } },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
