// The frontier's only source of time. Everything that waits asks this, so that a test can hand in a clock of its own.

/** Wall-clock time and timers. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /**
   * Calls `fn` once after `ms` milliseconds, perhaps a little early (Node's timers may fire 1 ms too soon): whoever
   * waits for a time reads the clock again.
   *
   * @returns Cancels the call; safe to call twice, and after it was made.
   */
  after(ms: number, fn: () => void): () => void;
}

/** A clock that stands still until it is told to move. */
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

/**
 * The platform's clock. A timer that is not cancelled keeps the process alive, as the platform's do.
 *
 * @throws Never.
 */
export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, Math.min(Math.max(0, ms), TIMER_MAX_MS));
      return () => clearTimeout(timer);
    },
  };
}

/**
 * A clock for tests.
 *
 * @param startMs - Epoch milliseconds it begins with. @default 1_700_000_000_000
 * @throws Never.
 */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let now = startMs;
  let order = 0;
  const timers = new Map<number, { readonly atMs: number; readonly fn: () => void }>();
  const earliest = () => {
    let found: number | null = null;
    for (const [id, timer] of timers) {
      if (found === null || timer.atMs < timers.get(found)!.atMs) found = id;
    }
    return found;
  };
  const advanceTo = (atMs: number) => {
    for (let id = earliest(); id !== null; id = earliest()) {
      const timer = timers.get(id)!;
      if (timer.atMs > atMs) break;
      timers.delete(id);
      now = Math.max(now, timer.atMs);
      timer.fn();
    }
    now = Math.max(now, atMs);
  };
  return {
    nowMs: () => now,
    after(ms, fn) {
      order += 1;
      const id = order;
      timers.set(id, { atMs: now + Math.max(0, ms), fn });
      return () => {
        timers.delete(id);
      };
    },
    advance: (ms) => advanceTo(now + ms),
    advanceTo,
    nextTimerAt() {
      const id = earliest();
      return id === null ? null : timers.get(id)!.atMs;
    },
  };
}
