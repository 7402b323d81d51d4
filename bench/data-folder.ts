import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CannotRunError } from "./bench.js";
import { ROOT } from "./root.js";

/** The path of a file of recorded runs: beside the project, or in the folder that `WAYPOINT_DATA` names. */
export function dataFile(name: string): string {
  const folder = resolve(ROOT, process.env.WAYPOINT_DATA ?? "../shared/data");
  const file = join(folder, name);
  if (existsSync(file)) return file;
  throw new CannotRunError(`Left out: "${file}" does not exist; set WAYPOINT_DATA to the folder that has ${name}.`);
}
