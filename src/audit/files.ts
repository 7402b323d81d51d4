import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { globSync } from "tinyglobby";
import { InvalidInputError } from "../shared/errors.js";
import { EXTENSIONS } from "./project/source-file.js";

const SOURCES = `**/*.{${EXTENSIONS.join(",")}}`;
const LEFT_OUT = [
  "**/node_modules/**",
  "**/.git/**",
  "**/dist/**",
  "**/build/**",
  "**/coverage/**",
  "**/.next/**",
  "**/out/**",
  "**/*.d.{ts,mts,cts}",
  "**/*.min.{js,mjs,cjs}",
];

/**
 * The source files below the paths, each once, sorted. A file that is named itself is taken whatever it is called.
 *
 * @throws InvalidInputError when a path is not there
 */
export function sourceFilesBelow(paths: readonly string[], cwd: string, ignore: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const full = resolve(cwd, path);
    const stats = statSync(full, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new InvalidInputError(`There is no file or folder "${path}" to audit.`, { details: { path } });
    }
    if (stats.isFile()) found.add(full);
    else {
      const below = globSync(SOURCES, {
        cwd: full,
        ignore: [...LEFT_OUT, ...ignore],
        absolute: true,
        dot: false,
        followSymbolicLinks: false,
        expandDirectories: false,
      });
      for (const file of below) found.add(resolve(file));
    }
  }
  return [...found].sort();
}

/** What is no text, such as a video that is called `.ts` too, shows it early; a NUL in a string of a program is text. */
const HEAD = 512;

/** The text of a file; nothing when it cannot be read, or is no text. */
export function textOf(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.slice(0, HEAD).includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
