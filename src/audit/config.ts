import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidInputError } from "../shared/errors.js";
import { isCatalogueKind } from "./catalogue/catalogue.js";
import type { CatalogueEntry } from "./catalogue/catalogue.js";
import type { Kind } from "./catalogue/kind.js";
import { SEVERITIES } from "./finding.js";
import type { Severity } from "./finding.js";
import type { Declared } from "./flow/meaning.js";

/** What a function is said to be: `effect` changes something, `barrier` records its result. */
export type DeclaredKind = "effect" | "read" | "model" | "pure" | "idempotent" | "barrier";

/** `waypoint.config.json` */
export interface AuditConfig {
  /** What calls of packages are; these entries come before the built-in ones. */
  readonly catalogue?: readonly CatalogueEntry[];
  /** What functions are, by name, or by `path/of/file.ts#name`. */
  readonly functions?: Readonly<Record<string, DeclaredKind>>;
  /** Another severity for a code, or `off`. */
  readonly severity?: Readonly<Record<string, Severity | "off">>;
  /** Globs of files that are left out. */
  readonly ignore?: readonly string[];
}

export const CONFIG_FILE = "waypoint.config.json";

const KINDS: Readonly<Record<DeclaredKind, Kind>> = {
  effect: "write",
  read: "read",
  model: "model",
  pure: "pure",
  idempotent: "idempotent",
  barrier: "barrier",
};

/**
 * The configuration: the file that is named, else `waypoint.config.json` of the working directory, else none. A module
 * is run only when it is named; what lies below the audited paths is never run.
 *
 * @throws InvalidInputError when the file is not there, cannot be read, or says something that is not known
 */
export async function loadConfig(cwd: string, named?: string): Promise<AuditConfig> {
  if (named === undefined) {
    const file = join(cwd, CONFIG_FILE);
    return existsSync(file) ? checked(readJson(file), CONFIG_FILE) : {};
  }
  const file = resolve(cwd, named);
  if (!existsSync(file))
    throw new InvalidInputError(`There is no configuration "${named}".`, { details: { path: named } });
  if (file.endsWith(".json")) return checked(readJson(file), named);
  const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return checked(module.default, named);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (cause) {
    throw new InvalidInputError(`The configuration "${file}" is not valid JSON.`, { cause, details: { path: file } });
  }
}

/** @throws InvalidInputError naming the first thing that is not known */
export function checked(config: unknown, name: string): AuditConfig {
  const problem = problemWith(config);
  if (problem === undefined) return config as AuditConfig;
  throw new InvalidInputError(`The configuration "${name}" ${problem}.`, { details: { path: name } });
}

function problemWith(config: unknown): string | undefined {
  if (!isRecord(config)) return "is not an object";
  const { catalogue = [], functions = {}, severity = {}, ignore = [], ...others } = config;
  const [unknown] = Object.keys(others).filter((key) => key !== "$schema");
  if (unknown !== undefined) return `has the unknown key "${unknown}"`;
  if (!Array.isArray(catalogue)) return "has a catalogue that is not a list";
  for (const entry of catalogue as unknown[]) {
    const wrong = problemWithEntry(entry);
    if (wrong !== undefined) return wrong;
  }
  if (!isRecord(functions)) return "has functions that are not an object";
  for (const [name, kind] of Object.entries(functions)) {
    if (typeof kind !== "string" || !(kind in KINDS))
      return `calls the function "${name}" ${JSON.stringify(kind)}; it may be ${Object.keys(KINDS).join(", ")}`;
  }
  if (!isRecord(severity)) return "has severities that are not an object";
  for (const [code, value] of Object.entries(severity)) {
    if (value !== "off" && !SEVERITIES.includes(value as Severity))
      return `gives ${code} the severity ${JSON.stringify(value)}; it may be ${SEVERITIES.join(", ")} or off`;
  }
  return Array.isArray(ignore) && ignore.every((glob) => typeof glob === "string")
    ? undefined
    : "has an ignore that is not a list of globs";
}

function problemWithEntry(entry: unknown): string | undefined {
  if (!isRecord(entry)) return "has a catalogue entry that is not an object";
  const { module, calls } = entry;
  const modules = Array.isArray(module) ? module : [module];
  if (!modules.every((each) => typeof each === "string")) return "has a catalogue entry without a module";
  const name = String(modules[0]);
  if (!Array.isArray(calls)) return `has no calls for the module "${name}"`;
  for (const call of calls as unknown[]) {
    if (!Array.isArray(call) || call.length < 2 || !call.every((each) => typeof each === "string")) {
      return `has a call of "${name}" that is not a list of a kind and patterns`;
    }
    if (!isCatalogueKind(String(call[0]))) return `has a call of "${name}" of the unknown kind "${String(call[0])}"`;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the configuration says of a function. */
export function declaredBy({ functions = {} }: AuditConfig): Declared {
  const named = Object.entries(functions).map(([name, kind]) => {
    const [path, last] = name.includes("#") ? (name.split("#") as [string, string]) : [undefined, name];
    return { path, name: last, kind: KINDS[kind] };
  });
  return (name, file) =>
    named.find(
      (each) =>
        each.name === name &&
        (each.path === undefined || file?.path.replaceAll("\\", "/").endsWith(`/${each.path}`) === true),
    )?.kind;
}
