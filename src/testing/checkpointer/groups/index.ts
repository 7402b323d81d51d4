import type { Group } from "../../suite.js";
import type { CheckpointerInitializer } from "../initializer.js";
import type { Trial } from "../trial.js";
import { copying } from "./copying.js";
import { deletion, tombstones } from "./deletion.js";
import { deltaChannels } from "./delta-channels.js";
import { earlySends } from "./early-sends.js";
import { failures } from "./failures.js";
import { forks } from "./forks.js";
import { hostile } from "./hostile.js";
import { isolation } from "./isolation.js";
import { listing } from "./listing.js";
import { metadata } from "./metadata.js";
import { ownership } from "./ownership.js";
import { kills, racers, writers } from "./processes.js";
import { pruning } from "./pruning.js";
import { running } from "./running.js";
import { runs } from "./runs.js";
import { secondInstance } from "./second-instance.js";
import { sharing } from "./sharing.js";
import { size } from "./size.js";
import { storing } from "./storing.js";
import { subgraphs } from "./subgraphs.js";
import { timeTravel } from "./time-travel.js";
import { values } from "./values.js";
import { writes } from "./writes.js";

/** What every checkpointer owes to LangGraph. */
const ALWAYS: readonly Group<Trial>[] = [
  ...[
    storing,
    writes,
    forks,
    values,
    hostile,
    metadata,
    listing,
    isolation,
    earlySends,
    deletion,
    sharing,
    size,
    failures,
  ],
  ...[running, subgraphs, timeTravel, deltaChannels],
];

/** The groups that apply to a checkpointer with these hooks and claims. */
export function groupsFor(initializer: CheckpointerInitializer): Group<Trial>[] {
  const { child, ownership: owns = false, tombstones: buries = false } = initializer;
  const groups = [...ALWAYS];
  if (buries) groups.push(tombstones);
  if (initializer.reopen !== undefined) groups.push(secondInstance);
  if (owns) groups.push(ownership);
  if (child !== undefined) groups.push(kills, writers);
  if (child !== undefined && owns) groups.push(racers);
  return [...groups, ...upkeepFor(initializer)];
}

function upkeepFor(init: CheckpointerInitializer): Group<Trial>[] {
  const groups: Group<Trial>[] = [];
  if (init.prune !== undefined)
    groups.push(pruning(async ({ saver }, threads, keep) => init.prune?.(saver, threads, keep)));
  if (init.copyThread !== undefined)
    groups.push(copying(async ({ saver }, from, to) => init.copyThread?.(saver, from, to)));
  if (init.deleteForRuns !== undefined) groups.push(runs(async ({ saver }, ids) => init.deleteForRuns?.(saver, ids)));
  return groups;
}
