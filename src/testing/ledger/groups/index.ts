import type { Group } from "../../suite.js";
import type { LedgerInitializer } from "../initializer.js";
import type { LedgerTrial } from "../trial.js";
import { approvals } from "./approvals.js";
import { keys } from "./keys.js";
import { once } from "./once.js";
import { outcomes } from "./outcomes.js";
import { processes } from "./processes.js";
import { secondInstance } from "./second-instance.js";
import { unknowns } from "./unknowns.js";
import { visits } from "./visits.js";

/** The groups that apply to a ledger with these hooks. */
export function groupsFor(initializer: LedgerInitializer): Group<LedgerTrial>[] {
  return [
    ...[once, keys, outcomes, unknowns, visits, approvals],
    ...(initializer.reopen === undefined ? [] : [secondInstance]),
    ...(initializer.child === undefined ? [] : [processes]),
  ];
}
