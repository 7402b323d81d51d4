import { describe, expect, it } from "vitest";
import { Ledger, memoryLedger } from "../../src/nodes/ledger.js";
import type { SqliteDatabase } from "../../src/store/sqlite/database.js";
import { ATTEMPTS, EFFECTS } from "../../src/store/sqlite/ledger-statements.js";
import { ledgerContract, resultsOf } from "../../src/testing/index.js";
import type { LedgerInitializer } from "../../src/testing/index.js";

type Run = SqliteDatabase["run"];

/** A ledger in memory some of whose statements do something else. */
function broken(
  instead: (run: Run, sql: string, parameters: unknown[]) => ReturnType<Run> | undefined,
): LedgerInitializer {
  return {
    ledgerName: "broken",
    timeout: 1000,
    createLedger: ({ clock }) => {
      const { store } = memoryLedger({ clock });
      const { database } = store;
      const run: Run = database.run.bind(database);
      const view = new Proxy(database, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (name === "run") return (sql: string, ...rest: unknown[]) => instead(run, sql, rest) ?? run(sql, ...rest);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      return new Ledger({ ...store, database: view });
    },
  };
}

const pretended = { changes: 1, lastInsertRowid: 0 };

/** What the contract says is wrong. */
async function failures(initializer: LedgerInitializer): Promise<string[]> {
  const results = await resultsOf((runner) => ledgerContract({ ...initializer, runner }));
  return results.filter(({ error }) => error !== undefined).map(({ name }) => name);
}

describe("a ledger that", () => {
  it("loses results does not get through", async () => {
    const losing = broken((run, sql, rest) =>
      sql === EFFECTS.settle ? run(sql, { ...(rest[0] as object), result: null }) : undefined,
    );
    expect(await failures(losing)).toContain("gives back a result as it was: numbers");
  });

  it("keeps no attempts does not get through", async () => {
    const blind = broken((_run, sql) => (sql === ATTEMPTS.add ? pretended : undefined));
    expect(await failures(blind)).toContain("an unknown outcome asks a person, and takes the answer");
  });

  it("keeps arguments of another action does not get through", async () => {
    const mixed = broken((run, sql, rest) => {
      if (sql !== EFFECTS.insert) return undefined;
      return run(sql, { ...(rest[0] as object), argsHash: "the same for all" });
    });
    expect(await failures(mixed)).toContain("a later call gets the recorded result, and reaches nobody");
  });

  it("claims a second instance that is another storage does not get through", async () => {
    const found = await failures({
      ledgerName: "two",
      createLedger: ({ clock }) => memoryLedger({ clock }),
      reopen: (_ledger, { clock }) => memoryLedger({ clock }),
    });
    expect(found).toContain("has what the first recorded, and the first what it records");
    expect(found).toContain("knows of a call that is under way");
  });

  it("keeps what it is given gets through", async () => {
    expect(await failures({ ledgerName: "whole", createLedger: ({ clock }) => memoryLedger({ clock }) })).toEqual([]);
  });
});
