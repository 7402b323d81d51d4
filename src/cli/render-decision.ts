import type { DecideResult } from "../nodes/decide.js";
import type { Resolution } from "../nodes/resolution.js";
import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";
import type { Paint } from "./layout.js";
import type { Woken } from "./woken.js";

/** What a decision came to, and what is left to do. */
export function renderDecision(decided: DecideResult, woken: Woken, colors: Colors): string {
  const { applied, approval, message = "" } = decided;
  const { action, threadId, state } = approval;
  if (!applied) return said(colors.yellow, "nothing changed", `${action} on thread ${threadId}. ${message}`);
  return [said(colors.green, state, `${action} on thread ${threadId}`), wakeLine(woken, threadId, colors)].join("\n");
}

/** What was settled, and what is left to do. */
export function renderResolution(
  { name, threadId, as }: { name: string; threadId: string; as: Resolution["as"] },
  woken: Woken,
  colors: Colors,
): string {
  return [
    said(colors.green, `resolved as ${as}`, `${name} on thread ${threadId}`),
    wakeLine(woken, threadId, colors),
  ].join("\n");
}

function wakeLine({ woken, message }: Woken, threadId: string, colors: Colors): string {
  if (woken) return said(colors.green, "woken", `thread ${threadId} went on`);
  return said(colors.yellow, "decided, not woken", message ?? `${wakeUp(threadId)}, or give --app file:export`);
}

function wakeUp(threadId: string): string {
  return `call resume(app, { configurable: { thread_id: ${JSON.stringify(threadId)} } }) to go on`;
}

function said(paint: Paint, what: string, more: string): string {
  return aligned([[cell(`${what}:`, paint), cell(more)]]).join("");
}
