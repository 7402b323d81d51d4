import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ResolverFactory } from "oxc-resolver";
import type { SlimSaver } from "../checkpointer/index.js";
import type { ResumableGraph } from "../nodes/resume.js";
import { CommandFailure } from "./failure.js";
import type { Terminal } from "./terminal.js";

export interface AppOptions {
  /** `file:export`, or a langgraph.json, with `:name` where it has several graphs. */
  readonly app?: string;
}

export const APP = [
  "--app <file:export>",
  "your graph, or langgraph.json:name; its code is loaded and run here",
] as const;

/**
 * Loads the graph that was named, and gives it to `work`; undefined where none was. What the code prints goes to stderr:
 * stdout is the command's own.
 *
 * @throws CommandFailure when there is no such file or export, or it is no graph
 */
export async function withApp<T>(
  { app }: AppOptions,
  saver: SlimSaver,
  terminal: Terminal,
  work: (app: ResumableGraph | undefined) => Promise<T>,
): Promise<T> {
  if (app === undefined) return work(undefined);
  const { log, info, debug } = console;
  console.log = console.info = console.debug = console.error.bind(console);
  terminal.ranApp = true;
  try {
    return await work(await graphOf(await exported(placeOf(app)), app, saver));
  } finally {
    Object.assign(console, { log, info, debug });
  }
}

interface Place {
  readonly file: string;
  readonly name: string;
}

/** @throws CommandFailure */
function placeOf(app: string): Place {
  const { file, name } = divided(app);
  if (!file.endsWith(".json")) return { file: existing(file), name: name ?? "default" };
  const manifest = existing(file);
  const { graphs, env } = readManifest(manifest);
  const [only, ...others] = Object.keys(graphs);
  if (name === undefined && (only === undefined || others.length > 0)) {
    throw new CommandFailure(
      `"${file}" has ${others.length + (only === undefined ? 0 : 1)} graphs: say which, as ${file}:name.`,
    );
  }
  const entry = Object.hasOwn(graphs, name ?? only ?? "") ? graphs[name ?? only ?? ""] : undefined;
  const path = typeof entry === "object" ? entry.path : entry;
  if (path === undefined) throw new CommandFailure(`There is no graph "${name ?? ""}" in "${file}".`);
  loadEnvironment(env, dirname(manifest));
  const inside = divided(path);
  return { file: existing(resolve(dirname(manifest), inside.file)), name: inside.name ?? "default" };
}

interface Manifest {
  readonly graphs: Readonly<Record<string, string | { readonly path?: string } | undefined>>;
  readonly env?: string | Readonly<Record<string, string>>;
}

function readManifest(file: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Partial<Manifest> | null;
    return { graphs: {}, ...manifest };
  } catch (error) {
    throw new CommandFailure(`"${file}" is not JSON: ${(error as Error).message}`);
  }
}

/** As LangGraph's own command does. What is set already stays. */
function loadEnvironment(env: Manifest["env"], folder: string): void {
  if (typeof env === "string") {
    const file = resolve(folder, env);
    if (existsSync(file)) process.loadEnvFile(file);
    return;
  }
  for (const [name, value] of Object.entries(env ?? {})) process.env[name] ??= value;
}

/** At the last colon; the one of a drive's letter is none. */
function divided(app: string): { file: string; name: string | undefined } {
  const at = app.lastIndexOf(":");
  return at > 1 ? { file: app.slice(0, at), name: app.slice(at + 1) } : { file: app, name: undefined };
}

function existing(file: string): string {
  const path = resolve(file);
  if (existsSync(path)) return path;
  throw new CommandFailure(`There is no file "${file}" to load the graph from. Give --app file:export.`);
}

/** @throws CommandFailure; what the file itself throws comes as it is */
async function exported({ file, name }: Place): Promise<unknown> {
  const module = await load(file);
  // A CommonJS file has its exports under `default` too.
  const inner = (module.default ?? {}) as Record<string, unknown>;
  const found = module[name] ?? inner[name];
  if (found !== undefined) return found;
  throw new CommandFailure(
    `"${file}" exports no "${name}"; it exports: ${Object.keys(module).join(", ") || "nothing"}.`,
  );
}

const TYPESCRIPT = /\.[cm]?tsx?$/;

async function load(file: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(file);
  const tsx = TYPESCRIPT.test(file) ? tsxBeside(file) : undefined;
  if (tsx !== undefined) await import(pathToFileURL(tsx).href);
  try {
    return (await import(href)) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
    throw new CommandFailure(
      `"${file}" is TypeScript, and nothing here runs it. Run: npm install --save-dev tsx, or give the built file.`,
    );
  }
}

/** The user's own tsx: TypeScript's way of naming files is more than Node takes by itself. */
function tsxBeside(file: string): string | undefined {
  const resolver = new ResolverFactory({ conditionNames: ["node", "import"] });
  const found = [dirname(file), process.cwd()].map((folder) => resolver.sync(folder, "tsx").path);
  return found.find((path) => path !== undefined);
}

/** A compiled graph or agent; what is not compiled yet gets this database as its checkpointer. */
async function graphOf(found: unknown, app: string, saver: SlimSaver): Promise<ResumableGraph> {
  const made: unknown =
    typeof found === "function" ? await (found as (config: object) => unknown)({ configurable: {} }) : await found;
  if (isGraph(made)) {
    const graph = made as { checkpointer?: unknown };
    if (graph.checkpointer === undefined || graph.checkpointer === true) graph.checkpointer = saver;
    return made;
  }
  const { compile } = (made ?? {}) as { compile?: unknown };
  if (typeof compile === "function") {
    return (made as { compile(options: object): ResumableGraph }).compile({ checkpointer: saver });
  }
  throw new CommandFailure(`"${app}" is no graph: it needs invoke() and getState(), or compile().`);
}

function isGraph(value: unknown): value is ResumableGraph {
  const { invoke, getState } = (value ?? {}) as { invoke?: unknown; getState?: unknown };
  return typeof invoke === "function" && typeof getState === "function";
}
