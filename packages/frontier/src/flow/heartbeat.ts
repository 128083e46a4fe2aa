// The timers of an open frontier: leases are renewed before they run out and the account is kept. How late the timers
// are is measured, since late timers need a wider margin before the end of a lease.

import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import { ACCOUNT_EVERY_MS, HEARTBEATS_PER_LEASE } from './limits.js';

/** The timers. A store that fails stops the frontier. */
export class Heartbeat {
  readonly #context: FrontierContext;
  readonly #schedule: HostSchedule;
  readonly #leases: HostLeases;
  #lagMs = 0;
  #stopRenewal: (() => void) | null = null;
  #stopAccount: (() => void) | null = null;

  constructor(context: FrontierContext, schedule: HostSchedule, leases: HostLeases) {
    this.#context = context;
    this.#schedule = schedule;
    this.#leases = leases;
  }

  /** Once, when the store is open. */
  start(): void {
    this.#startRenewal();
    const { capabilities } = this.#context.store;
    if (capabilities.durable !== 'none' || capabilities.shared) this.#startAccount();
  }

  stop(): void {
    this.#stopRenewal?.();
    this.#stopAccount?.();
  }

  /** Renews leases that would run out. */
  #startRenewal(): void {
    const { clock, settings, budget, counts, guard } = this.#context;
    const everyMs = Math.floor(settings.leaseTtlMs / HEARTBEATS_PER_LEASE);
    const expectedMs = clock.nowMs() + everyMs;
    this.#stopRenewal = clock.after(everyMs, () => {
      const nowMs = clock.nowMs();
      this.#lagMs = Math.max(nowMs - expectedMs, Math.floor(this.#lagMs / 2));
      this.#schedule.noteLag(this.#lagMs);
      for (const host of this.#schedule.all()) {
        if (host.leaseEndMs - nowMs < settings.leaseTtlMs - everyMs / 2) this.#schedule.touch(host);
      }
      this.#startRenewal();
      const commit = this.#schedule.hasChanges ? this.#leases.commit() : null;
      Promise.all([commit, budget.save(nowMs), counts.read()]).catch(guard.fail);
    });
  }

  /** Keeps the running time: a process that is killed loses only what has passed since. */
  #startAccount(): void {
    const { clock, budget, counts, guard } = this.#context;
    this.#stopAccount = clock.after(ACCOUNT_EVERY_MS, () => {
      this.#startAccount();
      const others = budget.othersAtWork() > 0 ? counts.read() : null;
      Promise.all([budget.saveTime(clock.nowMs()), others]).catch(guard.fail);
    });
  }
}
