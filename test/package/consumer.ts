import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const REPO = join(import.meta.dirname, "../..");
const NAME = "langgraph-waypoint";
const PACKED_BESIDE_DIST = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "docs"];

const execute = promisify(execFile);

interface PackageJson {
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

/** A project in a temporary folder that installed the packed package, and nothing the package does not ask for. */
export interface Consumer {
  readonly installed: string;
  /** Runs a script of that project in a process of its own; resolves to what it printed. */
  run(file: string, source: string): Promise<string>;
  /** Does something while these packages are not installed. */
  without<T>(packages: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Type-checks files of that project; resolves to the errors in them and in the package's own declarations. */
  checkTypes(sources: Readonly<Record<string, string>>): Promise<string[]>;
  remove(): void;
}

/** Builds the source as it is now, packs it, and unpacks it into a new project. Touches neither `dist/` nor the network. */
export async function packedConsumer(): Promise<Consumer> {
  const root = mkdtempSync(join(tmpdir(), "waypoint-tarball-"));
  const staged = join(root, "staged");
  const project = join(root, "project");
  await stage(staged);
  await install(staged, project);
  return {
    installed: join(project, "node_modules", NAME),
    run: (file, source) => run(project, file, source),
    without: (packages, work) => without(join(project, "node_modules"), packages, work),
    checkTypes: (sources) => checkTypes(project, sources),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function stage(staged: string): Promise<void> {
  mkdirSync(staged);
  for (const name of PACKED_BESIDE_DIST.filter((entry) => existsSync(join(REPO, entry)))) {
    cpSync(join(REPO, name), join(staged, name), { recursive: true });
  }
  const tsdown = join(REPO, "node_modules/tsdown/dist/run.mjs");
  await node(REPO, [tsdown, "--out-dir", join(staged, "dist"), "--log-level", "warn"]);
  await execute("npm", ["pack", "--offline", "--ignore-scripts"], { cwd: staged });
}

async function install(staged: string, project: string): Promise<void> {
  const modules = join(project, "node_modules");
  const { version } = JSON.parse(readFileSync(join(staged, "package.json"), "utf8")) as { version: string };
  mkdirSync(join(modules, NAME), { recursive: true });
  await execute("tar", [
    "-xzf",
    join(staged, `${NAME}-${version}.tgz`),
    "--strip-components=1",
    "-C",
    join(modules, NAME),
  ]);
  // `@types/node` is what any TypeScript project on Node has.
  for (const name of [...declaredDependencies(join(modules, NAME)), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(REPO, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }));
}

function declaredDependencies(installed: string): string[] {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as PackageJson;
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });
}

async function run(project: string, file: string, source: string): Promise<string> {
  writeFileSync(join(project, file), source);
  return node(project, [file]);
}

async function without<T>(modules: string, packages: readonly string[], work: () => Promise<T>): Promise<T> {
  for (const name of packages) rmSync(join(modules, name));
  try {
    return await work();
  } finally {
    for (const name of packages) symlinkSync(join(REPO, "node_modules", name), join(modules, name));
  }
}

/** Strict, declarations included; what the declarations of other packages get wrong is not ours to report. */
async function checkTypes(project: string, sources: Readonly<Record<string, string>>): Promise<string[]> {
  const files = Object.keys(sources);
  for (const [file, source] of Object.entries(sources)) writeFileSync(join(project, file), source);
  const tsc = join(REPO, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "node", "--pretty", "false"];
  const checked = await attempt(project, [tsc, ...flags, "--target", "es2023", "--module", "nodenext", ...files]);
  return checked.stdout
    .split("\n")
    .filter((line) => [...files.map((file) => `${file}(`), `node_modules/${NAME}/`].some((at) => line.startsWith(at)));
}

/** Runs Node and resolves whatever its exit code. */
async function attempt(cwd: string, args: string[]): Promise<{ ok: boolean; stdout: string; stderr: string }> {
  try {
    return { ok: true, ...(await execute(process.execPath, args, { cwd })) };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { ok: false, stdout, stderr };
  }
}

async function node(cwd: string, args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await attempt(cwd, args);
  if (!ok) throw new Error(`node ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}
