import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Where this process has to die, and where it or one before it has died: once at each place, by SIGKILL. */
export class Deaths {
  private readonly ahead: Set<string>;

  constructor(
    private readonly file: string,
    plan: readonly string[],
  ) {
    this.ahead = new Set(plan);
    for (const place of deathsIn(file)) this.ahead.delete(place);
  }

  at(place: string): void {
    if (!this.ahead.has(place)) return;
    appendFileSync(this.file, `${place}\n`);
    process.kill(process.pid, "SIGKILL");
  }
}

export function deathsIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
