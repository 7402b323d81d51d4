import type { Ledger } from "../nodes/ledger.js";
import { resume, type ResumableGraph } from "../nodes/resume.js";
import { WaypointError } from "../shared/errors.js";
import { failureLine } from "./failure.js";
import { hidden } from "./terminal-text.js";

/** What became of the thread after something was decided. */
export interface Woken {
  readonly woken: boolean;
  /** Why it was not woken, though there is a graph to wake. */
  readonly message?: string;
  /** The run ended with an error. */
  readonly failed?: true;
}

/** Continues a thread; what its run throws is told, and takes nothing back. */
export async function wakeThread(app: ResumableGraph | undefined, threadId: string, ledger: Ledger): Promise<Woken> {
  if (app === undefined) return { woken: false };
  if (threadId === "") return { woken: false, message: "It belongs to no thread." };
  try {
    const { woken } = await resume(app, { configurable: { thread_id: threadId } }, {}, { ledger });
    return woken.length > 0 ? { woken: true } : { woken: false, message: STILL };
  } catch (error) {
    return { woken: false, message: told(error, threadId), failed: true };
  }
}

/** What an error of the user's code says may be anything, so it is hidden like every value. */
function told(error: unknown, threadId: string): string {
  if (WaypointError.is(error)) return failureLine(error);
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  return `The run ended with ${name}: ${hidden(message)}. See: waypoint show ${JSON.stringify(threadId)} --no-redact`;
}

const STILL = "Nothing ran: the thread waits for something else, or does not ask this any more.";
