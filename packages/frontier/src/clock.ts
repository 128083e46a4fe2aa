// The frontier's only source of time. Everything that waits uses it, so that a test can supply its own clock.

import { uptime } from 'node:os';

/** Wall-clock time and timers. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /**
   * Calls `fn` once after `ms` milliseconds, possibly 1 ms early like Node's timers: read the clock again.
   *
   * @returns Cancels the call. It is safe to call it twice, or after `fn` was called.
   */
  after(ms: number, fn: () => void): () => void;
  /**
   * Like `after`, for a check that only finds what something else has changed. A virtual clock may leave out checks
   * between which nothing happens. @default `after`
   */
  checkAfter?(ms: number, fn: () => void): () => void;
}

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time forward and calls each timer at its own time, in order, including timers set in the meantime. */
  advance(ms: number): void;
  /** Moves to a time; a time in the past has no effect. */
  advanceTo(atMs: number): void;
  /** The time of the earliest timer; `null`: no timers. */
  nextTimerAt(): number | null;
}

/** The longest delay that the platform's timers take, milliseconds. */
const MAX_TIMER_MS = 2_147_483_647;

interface PlatformTime {
  /** Epoch milliseconds; may be set forward and back. */
  readonly wallMs: () => number;
  /** Milliseconds since some time. They never decrease, and may leave out the time in which the machine slept. */
  readonly monotonicMs: () => number;
  /** Seconds since the machine started, sleep included; whole seconds on some platforms. */
  readonly uptimeS: () => number;
}

/** Milliseconds between two checks whether the machine slept, and the least time that counts as sleep. */
const SLEEP_CHECK_INTERVAL_MS = 1_000;
const MIN_SLEEP_MS = 3_000;

/** The platform's time as it elapses, starting from the wall clock's time. */
export function elapsedTime({ wallMs, monotonicMs, uptimeS }: PlatformTime): () => number {
  /** Increases by the time for which the machine sleeps. */
  const sleepMs = (): number => {
    try {
      return uptimeS() * 1_000 - monotonicMs();
    } catch {
      return 0;
    }
  };
  let checkedAtMs = monotonicMs();
  let offsetMs = wallMs() - checkedAtMs;
  let sleptMs = sleepMs();
  return () => {
    const elapsedMs = monotonicMs();
    if (elapsedMs - checkedAtMs > SLEEP_CHECK_INTERVAL_MS) {
      checkedAtMs = elapsedMs;
      const slept = sleepMs();
      if (slept - sleptMs > MIN_SLEEP_MS) offsetMs += slept - sleptMs;
      if (slept > sleptMs) sleptMs = slept;
    }
    return Math.floor(offsetMs + elapsedMs);
  };
}

const realNow = performance.now;
const nowMs = elapsedTime({
  wallMs: Date.now,
  monotonicMs: () => performance.now(),
  // With a test's fake time there is no sleep.
  uptimeS: () => (performance.now === realNow ? uptime() : Number.NaN),
});

/**
 * The platform's clock. Setting the wall clock, forward or back, does not affect it: spacing, running time and waits
 * follow elapsed time. After the machine has slept, it catches up. Its timers keep the process alive until they are
 * cancelled. Never throws.
 */
export function systemClock(): Clock {
  return {
    nowMs,
    after(ms, fn) {
      const timer = setTimeout(fn, Math.min(Math.max(0, ms), MAX_TIMER_MS));
      return () => clearTimeout(timer);
    },
  };
}

/** A clock for tests. @param startMs - Epoch milliseconds. @default 1_700_000_000_000. Never throws. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let now = startMs;
  const timers = new Set<{ readonly atMs: number; readonly fn: () => void }>();
  /** Among timers of the same time, the one set first, because a set keeps the order of insertion. */
  const earliest = () => {
    let found: { readonly atMs: number; readonly fn: () => void } | null = null;
    for (const timer of timers) if (found === null || timer.atMs < found.atMs) found = timer;
    return found;
  };
  const advanceTo = (atMs: number) => {
    for (let timer = earliest(); timer !== null && timer.atMs <= atMs; timer = earliest()) {
      timers.delete(timer);
      now = Math.max(now, timer.atMs);
      timer.fn();
    }
    now = Math.max(now, atMs);
  };
  return {
    nowMs: () => now,
    after(ms, fn) {
      const timer = { atMs: now + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => advanceTo(now + ms),
    advanceTo,
    nextTimerAt: () => earliest()?.atMs ?? null,
  };
}
