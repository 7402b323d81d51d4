import type { Store } from "../home.js";
import { MEMOS } from "./memo-statements.js";
import { EVENTS, WAITS } from "./wait-statements.js";

/** Removes what only the visits of one thread need, inside the transaction that removes the thread. */
export function forgetVisits({ database, tenant }: Store, thread: string): void {
  for (const sql of [MEMOS.deleteThread, WAITS.deleteThread, EVENTS.deleteThread]) database.run(sql, tenant, thread);
}
