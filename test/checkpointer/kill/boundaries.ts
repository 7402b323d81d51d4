import Database from "better-sqlite3";

type Method = (...args: unknown[]) => unknown;

/**
 * Counts whatever this process asks SQLite to do, and kills the process right before the `deathAt`-th time: between two
 * statements, before and after each BEGIN and COMMIT. Returns the count so far.
 */
export function dieAtBoundary(deathAt: number | undefined): () => number {
  let count = 0;
  const step = (): void => {
    count += 1;
    if (count === deathAt) process.kill(process.pid, "SIGKILL");
  };
  const probe = new Database(":memory:");
  const statement = Object.getPrototypeOf(probe.prepare("SELECT 1")) as object;
  probe.close();
  for (const name of ["run", "get", "all", "iterate"]) counted(statement, name, step);
  for (const name of ["exec", "pragma"]) counted(Database.prototype, name, step);
  return () => count;
}

function counted(prototype: object, name: string, step: () => void): void {
  const original = Reflect.get(prototype, name) as Method;
  Object.defineProperty(prototype, name, {
    value(this: unknown, ...args: unknown[]): unknown {
      step();
      return original.apply(this, args);
    },
  });
}
