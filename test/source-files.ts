import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const SRC = join(import.meta.dirname, "../src");

/** One file of the package's source, read as text. */
export interface SourceFile {
  /** Relative to `src/`, with forward slashes: `shared/errors.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below `src/`, for tests that hold for all of them. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(SRC, file).split(sep).join("/"), text: readFileSync(file, "utf8") }));
}
