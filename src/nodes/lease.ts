import type { Store } from "../store/home.js";
import type { SqliteDatabase } from "../store/sqlite/database.js";
import { OWNERS } from "../store/sqlite/ledger-statements.js";
import { LEASE_MS, self } from "./owner.js";

const leases = new WeakMap<SqliteDatabase, Lease>();

/** This process's lease on one database. */
export function leaseOn(store: Store): Lease {
  const lease = leases.get(store.database) ?? new Lease(store);
  leases.set(store.database, lease);
  return lease;
}

/** Tells others that this process lives: renewed with each intent, and by a timer while calls are under way. */
class Lease {
  private until = 0;
  private calls = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: Store) {}

  /** Part of the intent's transaction, so that it costs no commit of its own. */
  renewWithin(): void {
    const now = this.store.clock.now();
    if (this.until < now + LEASE_MS / 2) this.renew(now);
  }

  /** The transaction was rolled back, and the renewal with it. */
  forget(): void {
    this.until = 0;
  }

  /** Keeps the lease alive until the returned function is called. */
  hold(): () => void {
    this.calls += 1;
    // Real time: the timer wakes us, the store's clock says until when the lease runs.
    this.timer ??= setInterval(() => this.tick(), LEASE_MS / 3).unref();
    return () => {
      this.calls -= 1;
      if (this.calls === 0) this.stop();
    };
  }

  private tick(): void {
    if (!this.store.database.isOpen) {
      this.stop();
      return;
    }
    try {
      this.renew(this.store.clock.now());
    } catch {
      // A busy or full disk now is no reason to end the process; the next tick tries again.
      this.forget();
    }
  }

  private renew(now: number): void {
    this.until = now + LEASE_MS;
    this.store.database.run(OWNERS.renew, { ...self, leaseUntil: this.until });
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
