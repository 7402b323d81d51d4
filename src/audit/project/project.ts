import type { SourceFile } from "./source-file.js";

/** Where the files of an audit come from. A pure one serves tests; the one of the disk is in `disk.ts`. */
export interface Project {
  /** The files that were asked for, in a stable order. */
  readonly files: readonly SourceFile[];
  /** The file that a specifier leads to, when it is source that can be read; a package is none. */
  resolve(from: SourceFile, specifier: string): SourceFile | undefined;
  /** The name of the package whose door a specifier leads to, when that package is one that is known by name. */
  doorOf(from: SourceFile, specifier: string): string | undefined;
}
