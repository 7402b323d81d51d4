import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Gives `work` a folder of its own below `parent`; it is gone when `work` ends, fails, or the process exits. */
export async function inScratchFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(parent, "waypoint-bench-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await work(folder);
  } finally {
    process.off("exit", remove);
    remove();
  }
}
