import Database from "better-sqlite3";

type Method = (this: Database.Statement & { readonly readonly: boolean }, ...args: unknown[]) => unknown;

/**
 * Counts the commits of this process, whoever makes them: each COMMIT, and each statement that writes outside a
 * transaction, which is one of its own. Returns the count so far.
 */
export function countCommits(): () => number {
  let count = 0;
  const probe = new Database(":memory:");
  const prototype = Object.getPrototypeOf(probe.prepare("SELECT 1")) as object;
  probe.close();
  for (const name of ["run", "get", "all"]) {
    const original = Reflect.get(prototype, name) as Method;
    const counted: Method = function (...args) {
      const { source, readonly, database } = this;
      if (/^\s*COMMIT/i.test(source) || (!readonly && !database.inTransaction && !/^\s*BEGIN/i.test(source)))
        count += 1;
      return original.apply(this, args);
    };
    Object.defineProperty(prototype, name, { value: counted, configurable: true, writable: true });
  }
  return () => count;
}
