/** What a call does, as far as running it again is concerned. */
export const KINDS = [
  /** changes something outside */
  "write",
  /** reaches somebody: a message, a payment, a queue */
  "send",
  /** changes something outside, with the same outcome however often it runs */
  "idempotent",
  /** asks the outside world */
  "read",
  /** asks a language model */
  "model",
  "clock",
  "random",
  /** runs another graph */
  "subgraph",
  /** calls a tool of LangChain */
  "tool",
  /** changes state or a variable that outlives the node */
  "mutation",
  /** awaited, and nothing is known of it */
  "unknown",
  /** leaves a trace that nobody acts upon */
  "log",
  "pure",
  /** asks a person: the node stops here and runs again from its first line */
  "interrupt",
  /** records its result, so that it does not run again */
  "barrier",
] as const;

export type Kind = (typeof KINDS)[number];

/** The kinds that a finding can be about. */
export type EffectKind = "write" | "send" | "read" | "model" | "clock" | "random" | "subgraph" | "mutation" | "unknown";

const HARMLESS: ReadonlySet<Kind> = new Set(["idempotent", "log", "pure", "interrupt", "barrier", "tool"]);

export function isEffect(kind: Kind): kind is EffectKind {
  return !HARMLESS.has(kind);
}
