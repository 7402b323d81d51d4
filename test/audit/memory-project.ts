import { dirname, join } from "node:path/posix";
import type { Project } from "../../src/audit/project/project.js";
import { parseSource } from "../../src/audit/project/source-file.js";
import type { SourceFile } from "../../src/audit/project/source-file.js";

const ENDINGS = ["", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", "/index.ts", "/index.js"];

/** A project of texts, with relative imports alone. */
export function memoryProject(texts: Readonly<Record<string, string>>): Project {
  const files = new Map<string, SourceFile>();
  for (const [path, text] of Object.entries(texts)) {
    const file = parseSource(path, text);
    if (file !== undefined) files.set(path, file);
  }
  return {
    files: [...files.values()],
    doorOf: () => undefined,
    resolve: (from, specifier) => {
      if (!specifier.startsWith(".")) return undefined;
      const path = join(dirname(from.path), specifier);
      const stems = [path, path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2")];
      return stems
        .flatMap((stem) => ENDINGS.map((ending) => files.get(stem + ending)))
        .find((file) => file !== undefined);
    },
  };
}
