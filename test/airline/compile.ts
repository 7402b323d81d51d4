import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { ROOT } from "../../bench/root.js";

/**
 * Makes one JavaScript file of a fixture, the source and the packages it uses, and returns its path. The drill starts a
 * process for every kill: this one loads in a sixth of a second, where the loader of TypeScript takes more than one.
 */
export async function compiled(fixture: string, folder: string): Promise<string> {
  // Native packages are not bundled; they are found from here.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await build({
    config: false,
    cwd: ROOT,
    entry: { process: fixture },
    outDir: folder,
    format: "esm",
    platform: "node",
    target: "node20.19",
    deps: { alwaysBundle: /^(?!node:|better-sqlite3)/, onlyBundle: false },
    dts: false,
    clean: false,
    logLevel: "silent",
  });
  return join(folder, "process.mjs");
}
