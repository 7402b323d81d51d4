import { processWide } from "../shared/process-wide.js";
import type { Store } from "../store/home.js";
import { ApprovalTable } from "./approval-table.js";
import { assertUnchanged } from "./permission.js";

/** The approval that allowed some arguments, and where its row is kept. */
export interface Permission {
  readonly approvalId: string;
  readonly store: Store;
}

const permissions = processWide("approved-args", () => new WeakMap<object, Permission>());

/** Ties the arguments that a decision hands out to its approval: an effect that gets this very object is checked. */
export function tie(args: unknown, permission: Permission): void {
  if (typeof args === "object" && args !== null) permissions.set(args, permission);
}

/** The approval behind arguments that came out of `requestApproval`. */
export function permissionBehind(args: unknown): Permission | undefined {
  return typeof args === "object" && args !== null ? permissions.get(args) : undefined;
}

/**
 * The last check before an effect's intent is written: the arguments are still what was approved, and in time.
 *
 * @throws ApprovalMismatchError, ApprovalExpiredError; nothing was sent
 */
export function checkBefore({ approvalId, store }: Permission, args: unknown, effectId: string, visit: string): void {
  const table = new ApprovalTable(store);
  assertUnchanged(table, { approvalId, args, now: store.clock.now() });
  table.use(approvalId, effectId, visit);
}
