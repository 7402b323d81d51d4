import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { ResolverFactory } from "oxc-resolver";
import type { NapiResolveOptions } from "oxc-resolver";
import type { Project } from "./project.js";
import { parseSource } from "./source-file.js";
import type { SourceFile } from "./source-file.js";

/** Packages that the catalogue and the roles know by name: they are what they are called, wherever they lie. */
const KNOWN = /^(?:node:|@langchain\/|langchain(?:\/|$)|langgraph-waypoint(?:\/|$))/;
const BUILTIN = new Set(builtinModules);
const TESTS = /\/(?:tests?|__tests__)\/|\.(?:test|spec)\./;
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

const RESOLVE: NapiResolveOptions = {
  conditionNames: ["source", "import", "require", "node", "default"],
  extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
  extensionAlias: {
    ".js": [".ts", ".tsx", ".js", ".jsx"],
    ".jsx": [".tsx", ".jsx"],
    ".mjs": [".mts", ".mjs"],
    ".cjs": [".cts", ".cjs"],
  },
};

/** The files of the disk. Others than those asked for are read when an import leads to them. */
export class DiskProject implements Project {
  readonly #loaded = new Map<string, SourceFile | undefined>();
  readonly #resolved = new Map<string, string | undefined>();
  readonly #packages = new Map<string, { name: string; folder: string } | undefined>();
  readonly #resolver = new ResolverFactory({ ...RESOLVE, tsconfig: "auto" });
  /** A tsconfig that extends what is not installed says nothing, and must not hide everything. */
  readonly #plain = this.#resolver.cloneWithOptions(RESOLVE);

  constructor(readonly files: readonly SourceFile[]) {
    for (const file of files) this.#loaded.set(file.path, file);
  }

  /** The same disk, with other files to look at. */
  with(files: readonly SourceFile[]): Project {
    return {
      files,
      resolve: (from, specifier) => this.resolve(from, specifier),
      doorOf: (from, specifier) => this.doorOf(from, specifier),
    };
  }

  resolve(from: SourceFile, specifier: string): SourceFile | undefined {
    const path = this.pathOf(from.path, specifier);
    return path === undefined ? undefined : this.#load(path);
  }

  /** The path that a specifier leads to, when it is source of the user's own. */
  pathOf(from: string, specifier: string): string | undefined {
    if (KNOWN.test(specifier) || BUILTIN.has(specifier)) return undefined;
    const key = `${dirname(from)}\0${specifier}`;
    if (this.#resolved.has(key)) return this.#resolved.get(key);
    const path =
      this.#resolver.resolveFileSync(from, specifier).path ?? this.#plain.sync(dirname(from), specifier).path;
    const own =
      path && SOURCE.test(path) && !path.includes("/node_modules/") && !path.endsWith(".d.ts") ? path : undefined;
    this.#resolved.set(key, own);
    return own;
  }

  /** Tests and examples of a package come in by its door, even when they name the file. */
  doorOf(from: SourceFile, specifier: string): string | undefined {
    if (!specifier.startsWith(".")) return undefined;
    const target = this.pathOf(from.path, specifier);
    const home = target === undefined ? undefined : this.#packageAt(dirname(target));
    if (target === undefined || home === undefined || !KNOWN.test(home.name)) return undefined;
    const isInside = (path: string): boolean => path.startsWith(`${home.folder}/src/`) && !TESTS.test(path);
    return isInside(target) && !isInside(from.path) ? home.name : undefined;
  }

  #packageAt(folder: string): { name: string; folder: string } | undefined {
    if (this.#packages.has(folder)) return this.#packages.get(folder);
    const above = dirname(folder);
    const found = packageIn(folder) ?? (above === folder ? undefined : this.#packageAt(above));
    this.#packages.set(folder, found);
    return found;
  }

  #load(path: string): SourceFile | undefined {
    if (this.#loaded.has(path)) return this.#loaded.get(path);
    const file = parseSource(path, readText(path));
    this.#loaded.set(path, file);
    return file;
  }
}

function packageIn(folder: string): { name: string; folder: string } | undefined {
  const text = readText(join(folder, "package.json"));
  const name = /^\s*"name"\s*:\s*"([^"]+)"/m.exec(text)?.[1];
  return name === undefined ? undefined : { name, folder };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // What an import leads to and cannot be read is not known; it is no reason to stop.
    return "";
  }
}
