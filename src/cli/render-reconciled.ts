import type { Reconciled } from "../nodes/reconcile.js";
import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";

/** One effect whose outcome was open, for the terminal. */
export interface ShownReconciled extends Omit<Reconciled, "now"> {
  /** `not asked`: nobody looked anything up. */
  readonly now: Reconciled["now"] | "not asked";
}

export interface ShownReport {
  /** Whether the `lookup` of the effects could be asked. */
  readonly asked: boolean;
  readonly redacted: boolean;
  readonly effects: readonly ShownReconciled[];
}

/** What became of each effect whose outcome was open; every text in it is escaped. */
export function renderReconciled({ asked, effects, redacted }: ShownReport, colors: Colors): string {
  if (effects.length === 0) return colors.dim("No effect is open.");
  const lines = aligned(
    effects.map(({ name, now, threadId, key, effectId, why }) => [
      cell(name, colors.cyan),
      cell(now, now === "succeeded" || now === "retryable" || now === "failed" ? colors.green : colors.yellow),
      cell(`thread ${threadId}`),
      cell(key),
      cell(effectId, colors.dim),
      cell(why ?? ""),
    ]),
  );
  const notes = [
    ...(asked ? [] : [colors.yellow("Nobody was asked: give --app file:export, whose code has the lookups.")]),
    ...(redacted ? [colors.dim("Values are hidden; --no-redact shows them.")] : []),
  ];
  return [...lines, ...notes].join("\n");
}
