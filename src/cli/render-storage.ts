import type { PruneReport, StorageStats, ThreadSummary, VerifyReport } from "../checkpointer/index.js";
import { byteSize } from "./byte-sizes.js";
import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";
import type { Line } from "./layout.js";
import { fromNow, moment } from "./moments.js";
import { stateColor } from "./render-position.js";

export interface ThreadsPage {
  readonly threads: readonly ThreadSummary[];
  readonly cursor?: string;
}

/** A page of threads, last changed first. */
export function renderThreads({ threads, cursor }: ThreadsPage, colors: Colors, now: number): string {
  if (threads.length === 0) return "no threads";
  const lines = threads.map(({ threadId, state, step, updatedAt }): Line => [
    cell(threadId, colors.bold),
    cell(state, stateColor(state, colors)),
    cell(`step ${step}`),
    cell(moment(updatedAt)),
    cell(fromNow(updatedAt, now), colors.dim),
  ]);
  const more = cursor === undefined ? [] : [colors.dim(`more: --cursor ${cursor}`)];
  return [...aligned(lines), ...more].join("\n");
}

export function renderStats(stats: StorageStats, colors: Colors): string {
  return table(
    [
      ["threads", String(stats.threads)],
      ["namespaces", String(stats.namespaces)],
      ["checkpoints", String(stats.checkpoints)],
      ["writes", String(stats.writes)],
      ["objects", `${stats.objects}, ${byteSize(stats.objectBytes)}`],
      ["artifacts", `${stats.artifacts}, ${byteSize(stats.artifactBytes)}`],
      ["rows", byteSize(stats.rowBytes)],
      ["file", `${byteSize(stats.fileBytes)}, of which ${byteSize(stats.freeBytes)} free`],
    ],
    colors,
  );
}

export function renderVerify(
  { ok, checkpoints, objects, unchecked, broken, damaged, orphans, artifacts }: VerifyReport,
  colors: Colors,
): string {
  const verdict = ok
    ? colors.green("whole")
    : colors.red(`${broken.length + damaged.length + artifacts.broken.length} broken`);
  const facts = table(
    [
      ["checkpoints", String(checkpoints)],
      [
        "objects",
        unchecked === 0 ? String(objects) : `${objects}, of which ${unchecked} kept elsewhere, and not checked`,
      ],
      ["unused", `${orphans}${orphans > 0 ? ", which prune removes" : ""}`],
      ["artifacts", artifactsLine(artifacts)],
    ],
    colors,
  );
  const faults = aligned([
    ...broken.map(({ objectId, what }) => [cell(`object ${objectId}`), cell(what, colors.red)]),
    ...damaged.map((checkpoint) => [cell(`checkpoint ${checkpoint}`), cell("damaged", colors.red)]),
    ...artifacts.broken.map(({ ref, threadId, what }) => [
      cell(ref ?? "an artifact"),
      cell(what, colors.red),
      cell(`of thread ${threadId}`),
    ]),
  ]);
  return [verdict, facts, ...faults].join("\n");
}

function artifactsLine({ whole, broken, unchecked }: VerifyReport["artifacts"]): string {
  const all = whole + broken.length + unchecked;
  return unchecked === 0 ? String(all) : `${all}, of which ${unchecked} sealed or kept elsewhere, and not checked`;
}

export function renderPrune(report: PruneReport, dryRun: boolean, colors: Colors): string {
  const { checkpoints, writes, namespaces, objects, bytes } = report;
  const title = dryRun ? colors.yellow("would remove (nothing was removed)") : "removed";
  const facts = table(
    [
      ["checkpoints", String(checkpoints)],
      ["writes", String(writes)],
      ["namespaces", String(namespaces)],
      ["objects", `${objects}, ${byteSize(bytes)}`],
    ],
    colors,
  );
  return [title, facts].join("\n");
}

function table(facts: readonly (readonly [string, string])[], colors: Colors): string {
  return aligned(facts.map(([name, value]) => [cell(`  ${name}`, colors.dim), cell(value)])).join("\n");
}
