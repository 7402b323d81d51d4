import type { ImportReport, LeftThread } from "../checkpointer/index.js";
import type { Colors } from "./colors.js";
import { counted } from "./counted.js";
import { aligned, cell } from "./layout.js";
import type { Line } from "./layout.js";

const WHY: Readonly<Record<LeftThread["why"], string>> = {
  missing: "the source has no such thread",
  "moved-on": "runs have continued it here; bringing more would mix two histories",
  deleted: "it was deleted here; name it with --thread to bring it back",
  unreadable: "the source cannot read its newest checkpoint",
};

/** How many lines of one kind are shown; `--json` has all. */
const SHOWN = 20;

/** What an import brought, what it left and why. */
export function renderImport(report: ImportReport, colors: Colors): string {
  const { threads, checkpoints, alreadyThere, left, unreadable } = report;
  const there = alreadyThere === 0 ? "" : `; ${counted(alreadyThere, "checkpoint")} there already`;
  const brought = `${counted(threads, "thread")}, ${counted(checkpoints, "checkpoint")}${there}`;
  const summary = [cell("imported", colors.green), cell(brought)];
  return [
    ...aligned([summary]),
    ...shown(left, ({ thread, why }) => [cell("left", colors.yellow), cell(thread, colors.bold), cell(WHY[why])]),
    ...shown(unreadable, ({ thread, id, reason }) => [
      cell("unreadable", colors.red),
      cell(thread, colors.bold),
      cell(id),
      cell(reason),
    ]),
  ].join("\n");
}

function shown<T>(items: readonly T[], line: (item: T) => Line): string[] {
  const more = items.length > SHOWN ? [`… and ${items.length - SHOWN} more; --json names all`] : [];
  return [...aligned(items.slice(0, SHOWN).map(line)), ...more];
}
