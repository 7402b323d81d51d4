import { relative, sep } from "node:path";
import { checked, declaredBy, loadConfig } from "./config.js";
import type { AuditConfig } from "./config.js";
import { findingsOf } from "./engine.js";
import { sourceFilesBelow, textOf } from "./files.js";
import type { Finding } from "./finding.js";
import { ignoresIn, withoutIgnored } from "./ignores.js";
import type { Ignore } from "./ignores.js";
import { DiskProject } from "./project/disk.js";
import { parseSource, speaksOfInterrupts } from "./project/source-file.js";
import type { SourceFile } from "./project/source-file.js";

export interface AuditOptions {
  /** The working directory: paths are read and written relative to it. Default: that of the process. */
  readonly cwd?: string;
  /** A configuration, or the path of one; a path that is a module is run. Default: `waypoint.config.json` in `cwd`, if any. */
  readonly config?: AuditConfig | string;
}

export interface AuditResult {
  /** Sorted by file, line and code. */
  readonly findings: Finding[];
  /** How many files were read. */
  readonly files: number;
  /** The files that could not be parsed; nothing is known of them. */
  readonly unparsable: string[];
  /** `waypoint-ignore` comments that silence nothing, or give no reason. */
  readonly unusedIgnores: readonly Ignore[];
}

/**
 * Looks for interrupts that are not safe to run again.
 *
 * - Reads the files and runs none of them.
 * - The same files give the same findings.
 * - A file that cannot be parsed is reported and passed over.
 *
 * @param paths files and folders; of a folder all sources below, without `node_modules`, `dist` and their like
 * @throws InvalidInputError when a path is not there, or the configuration says something unknown
 * @example
 * const { findings } = await audit(["src"]);
 * for (const { code, message, interrupt } of findings) console.log(code, interrupt.file, interrupt.line, message);
 */
export async function audit(paths: string[], options: AuditOptions = {}): Promise<AuditResult> {
  const { cwd = process.cwd(), config: given } = options;
  const config = typeof given === "object" ? checked(given, "options.config") : await loadConfig(cwd, given);
  const names = sourceFilesBelow(paths, cwd, config.ignore ?? []);
  const { files, unparsable } = parsed(names);
  const pathOf = (path: string): string => relative(cwd, path).split(sep).join("/");
  const found = findingsOf(new DiskProject(files), {
    root: cwd,
    catalogue: config.catalogue ?? [],
    declared: declaredBy(config),
    severity: config.severity ?? {},
  });
  const ignores = files.flatMap((file) => ignoresIn(file, pathOf(file.path)));
  const { findings, unused } = withoutIgnored(found, ignores);
  const passedOver = [...unparsable, ...files.filter(({ isTooDeep }) => isTooDeep).map(({ path }) => path)].sort();
  return { findings, files: names.length, unparsable: passedOver.map(pathOf), unusedIgnores: unused };
}

function parsed(names: readonly string[]): { files: SourceFile[]; unparsable: string[] } {
  const files: SourceFile[] = [];
  const unparsable: string[] = [];
  for (const name of names) {
    const text = textOf(name);
    const file = text === undefined ? undefined : parseSource(name, text, speaksOfInterrupts(text));
    if (file === undefined) unparsable.push(name);
    else files.push(file);
  }
  return { files, unparsable };
}
