import type { DecideResult } from "../nodes/decide.js";
import type { Resolution } from "../nodes/resolution.js";
import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";
import type { Paint } from "./layout.js";

/** What a decision came to, and what is left to do. */
export function renderDecision({ applied, approval, message = "" }: DecideResult, colors: Colors): string {
  const { action, threadId, state } = approval;
  if (!applied) return said(colors.yellow, "nothing changed", `${action} on thread ${threadId}. ${message}`);
  return [
    said(colors.green, state, `${action} on thread ${threadId}`),
    said(colors.yellow, "decided, not woken", wakeUp(threadId)),
  ].join("\n");
}

/** What was settled, and what is left to do. */
export function renderResolution(
  { name, threadId, as }: { name: string; threadId: string; as: Resolution["as"] },
  colors: Colors,
): string {
  return [
    said(colors.green, `resolved as ${as}`, `${name} on thread ${threadId}`),
    said(colors.yellow, "decided, not woken", wakeUp(threadId)),
  ].join("\n");
}

function wakeUp(threadId: string): string {
  return `call resume(app, { configurable: { thread_id: ${JSON.stringify(threadId)} } }) to go on`;
}

function said(paint: Paint, what: string, more: string): string {
  return aligned([[cell(`${what}:`, paint), cell(more)]]).join("");
}
