// The frontier's only source of time. Everything that waits uses it, so that a test can bring a clock of its own.

/** Wall-clock time and timers. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /**
   * Calls `fn` once after `ms` milliseconds, perhaps 1 ms early as Node's timers do: read the clock again.
   *
   * @returns Cancels the call; safe to call twice, and after it was made.
   */
  after(ms: number, fn: () => void): () => void;
}

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time forward, calling each timer at its own time, in order, those set meanwhile included. */
  advance(ms: number): void;
  /** Moves to a time; one that has passed changes nothing. */
  advanceTo(atMs: number): void;
  /** The time of the earliest timer; `null` without timers. */
  nextTimerAt(): number | null;
}

/** The longest delay that the platform's timers take, milliseconds. */
const TIMER_MAX_MS = 2_147_483_647;

/** The platform's clock. Its timers keep the process alive until they are cancelled. Never throws. */
export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, Math.min(Math.max(0, ms), TIMER_MAX_MS));
      return () => clearTimeout(timer);
    },
  };
}

/** A clock for tests. @param startMs - Epoch milliseconds. @default 1_700_000_000_000. Never throws. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let now = startMs;
  const timers = new Set<{ readonly atMs: number; readonly fn: () => void }>();
  /** Of the same time, the one set first: a set keeps the order of insertion. */
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
