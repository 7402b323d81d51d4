import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { effect } from "../../../src/nodes/effect.js";
import { memoryLedger, setLedger, type Ledger } from "../../../src/nodes/ledger.js";
import { LEASE_MS, self } from "../../../src/nodes/owner.js";
import { force, fresh, Outside, StillClock } from "./support.js";

afterEach(() => setLedger(undefined));

/** The pid of a process that has ended. */
const gone = spawnSync("true").pid;

interface OwnerFields {
  host?: string;
  pid?: number;
  pid_namespace?: string | null;
  start_token?: string | null;
  lease?: number;
}

/** A row in STARTED whose owner is described; returns the state that a call of the effect sees. */
async function foundBy(owner: OwnerFields | "none", clock = new StillClock()): Promise<"alive" | "dead"> {
  const ledger: Ledger = memoryLedger({ clock });
  setLedger(ledger);
  const name = fresh("owned");
  const outside = new Outside();
  const pay = effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
  });
  await pay({ id: "o" });
  force(ledger, name, "o", { state: "STARTED", owner: "somebody" });
  if (owner !== "none") {
    const {
      host = hostname(),
      pid = process.ppid,
      pid_namespace = self.pidNamespace,
      start_token = null,
      lease = 1,
    } = owner;
    ledger.store.database.run(
      "INSERT INTO waypoint_owners (instance, host, pid, pid_namespace, start_token, lease_until) VALUES ('somebody', ?, ?, ?, ?, ?)",
      host,
      pid,
      pid_namespace,
      start_token,
      clock.now() + lease,
    );
  }
  const error = await pay({ id: "o" }).then(
    () => undefined,
    (error: unknown) => (error as { code: string }).code,
  );
  expect(outside.calls).toHaveLength(1);
  return error === "EFFECT_IN_PROGRESS" ? "alive" : "dead";
}

describe("an owner is taken for", () => {
  it.each<[string, OwnerFields | "none", "alive" | "dead"]>([
    ["dead when nothing is known of it", "none", "dead"],
    ["dead when its process is gone, whatever its lease says", { pid: gone, lease: LEASE_MS }, "dead"],
    ["dead when another process has its pid", { start_token: "another boot:1", lease: LEASE_MS }, "dead"],
    ["alive while its process lives and the lease runs, where start times are not told", { lease: 1 }, "alive"],
    ["dead when the lease is over, where start times are not told", { lease: -1 }, "dead"],
    [
      "alive on another host while its lease runs, although the pid is gone here",
      { host: "elsewhere", pid: gone, lease: 1 },
      "alive",
    ],
    ["dead on another host when its lease is over", { host: "elsewhere", lease: 0 }, "dead"],
    ["alive in another pid namespace while its lease runs", { pid_namespace: "pid:[1]", pid: gone, lease: 1 }, "alive"],
    [
      "alive as another thread of this process while its lease runs",
      { pid: process.pid, start_token: self.startToken, lease: 1 },
      "alive",
    ],
    [
      "dead as another thread of this process when its lease is over",
      { pid: process.pid, start_token: self.startToken, lease: 0 },
      "dead",
    ],
    [
      "dead when it had our pid before us",
      { pid: process.pid, start_token: "another boot:1", lease: LEASE_MS },
      "dead",
    ],
  ])("%s", async (_, owner, expected) => {
    expect(await foundBy(owner)).toBe(expected);
  });

  it("a lease that could not be written with its intent is written with the next one", async () => {
    const clock = new StillClock();
    const ledger = memoryLedger({ clock });
    setLedger(ledger);
    const { database } = ledger.store;
    const outside = new Outside();
    const pay = effect<object, unknown>({
      name: fresh("rolled-back"),
      key: () => "k",
      run: async (args, context) => outside.call(args, context),
    });
    database.run(
      "CREATE TEMP TRIGGER full BEFORE INSERT ON main.waypoint_owners BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    await expect(pay({})).rejects.toMatchObject({ code: "LEDGER_UNAVAILABLE" });
    database.run("DROP TRIGGER full");
    await pay({});
    const lease = database.get<{ lease_until: number }>(
      "SELECT lease_until FROM waypoint_owners WHERE instance = ?",
      self.instance,
    );
    expect(lease?.lease_until).toBe(clock.now() + LEASE_MS);
    expect(outside.calls).toHaveLength(1);
  });
});
