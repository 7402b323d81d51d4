import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { ROOT } from "./root.js";

/** What the figures were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** Load average of the last minute before the benchmark: what else ran on those cores. */
  readonly load: number;
  readonly node: string;
  readonly packages: Readonly<Record<string, string>>;
}

export function thisMachine(packages: readonly string[]): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    load: Number(loadavg()[0]!.toFixed(2)),
    node: process.version,
    packages: {
      "langgraph-waypoint": versionIn(ROOT),
      ...Object.fromEntries(packages.map((name) => [name, versionIn(join(ROOT, "node_modules", name))])),
    },
  };
}

/** What the benchmarks of the checkpointers depend on. */
const SAVER_PACKAGES = [
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-checkpoint-sqlite",
  "@langchain/core",
  "better-sqlite3",
];

/** The machine as it is before the benchmark loads it. */
export function machineOfSavers(): Machine {
  return thisMachine(SAVER_PACKAGES);
}

export function machineLine({ cpu, cores, load, node, packages }: Machine): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return [`${cpu}, ${cores} cores, load ${load} at the start`, `node ${node}`, ...versions].join(" · ");
}

function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version;
}
