import type { Store } from "../home.js";
import { MEMOS } from "./memo-statements.js";

/** Removes what only the visits of one thread need, inside the transaction that removes the thread. */
export function forgetVisits({ database, tenant }: Store, thread: string): void {
  database.run(MEMOS.deleteThread, tenant, thread);
}
