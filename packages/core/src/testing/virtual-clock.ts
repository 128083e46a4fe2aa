// Time that passes only when nothing else is left to do: a day of waiting takes as long as the work in it. It replaces
// the timers of the platform, so that the frontier, the second lock, timeouts and a test's own timers use the same
// time.
//
// A step is one timer. Before the next step, everything that a timer started has to finish: promises, files that are
// read or written, and the work of `standStill`. So a run over the same fakes takes the same steps at the same times.
// Checks that a crawl repeats, for orders say, are left out while nothing else happens.

// Elsewhere loaded on first use: the platform does not report that a module is loading, so time would pass.
import '../licensing/page-licenses.js';
import '../page/html.js';
import '../page/sitemap.js';
import '../recrawl/recrawl-plan.js';
import '../recrawl/recrawl.js';
import { createHook } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Clock } from '@mannerly/frontier';
import type { Clock as FakeClock } from '@sinonjs/fake-timers';
import { checkOptions } from '../call-options.js';
import { MannerlyError } from '../errors.js';
import { wrapPdfReads } from '../page/pdf-text.js';
import {
  MAX_STILL_MS,
  MAX_TIMER_MS,
  MAX_VIRTUAL_MS,
  MAX_VIRTUAL_STEPS,
  REAL_GRACE_MS,
  REAL_LOAD_MS,
  REAL_WORK_MS,
  VIRTUAL_START_MS,
} from './limits.js';

/** How a virtual clock is set up. */
export interface VirtualClockOptions {
  /** Its start, epoch milliseconds. @default 1 January 2026, 00:00 UTC */
  readonly startMs?: number;
  /** Steps (timers) that one `finish` or `advance` may take, 1 or more. @default 5,000,000 */
  readonly maxSteps?: number;
  /** Virtual milliseconds that one `finish` may take, 1 or more. @default 400 days */
  readonly maxMs?: number;
}

/** A clock that moves by itself, from one timer to the next, during `advance` and `finish`. */
export interface VirtualClock extends Clock {
  /**
   * Lets milliseconds pass. Rejects with MannerlyError `clock-stuck` after too many steps; with the error of a timer.
   */
  advance(ms: number): Promise<void>;
  /**
   * Lets time pass until a promise is settled, and settles in the same way. Rejects with MannerlyError `clock-stuck` if
   * no timer is left and the promise is pending, and if a bound of the clock is reached; with the error of a timer.
   */
  finish<T>(promise: Promise<T>): Promise<T>;
  /**
   * Stops time until `work` is over, for what a handler or a sink does in the real world, such as a database query.
   * Files do not need it. After 30 real seconds the clock is stuck.
   */
  standStill<T>(work: () => Promise<T>): Promise<T>;
  /** Restores the platform's timers. Safe to call twice. Code that still waits for this clock waits forever. */
  end(): void;
}

// The timers of the platform, saved before they are replaced.
const { setImmediate: realImmediate, setTimeout: realTimeout } = globalThis;
const realNow = performance.now.bind(performance);

/** What is replaced. Promises, `process.nextTick` and `setImmediate` are not: they do not wait. */
const FAKED_TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

/**
 * Creates the clock, which replaces the platform's timers and `Date` until `end`. Only one can exist at a time.
 *
 * @example
 * ```ts
 * const clock = createVirtualClock();
 * const waited = new Promise((resolve) => setTimeout(resolve, 86_400_000));
 * await clock.finish(waited); // at once
 * clock.end();
 * ```
 * @throws MannerlyError `clock-unavailable` if the timers are already replaced, or without `@sinonjs/fake-timers`.
 */
export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  checkOptions('createVirtualClock', options, { startMs: 'number', maxSteps: 'number', maxMs: 'number' });
  const { startMs = VIRTUAL_START_MS, maxSteps = MAX_VIRTUAL_STEPS, maxMs = MAX_VIRTUAL_MS } = options;
  return new ReplacedClock(startMs, maxSteps, maxMs);
}

/** A call of `checkAfter`. */
interface Check {
  readonly atMs: number;
  readonly fn: () => void;
  cancel: () => void;
}

/** Its methods are fields, so that they may be called without the clock. */
class ReplacedClock implements VirtualClock {
  readonly #fake: FakeClock;
  readonly #maxSteps: number;
  readonly #maxMs: number;
  readonly #work = new RealWork();
  #hasEnded = false;
  /** Checks that wait until something else happens. */
  readonly #checks = new Set<Check>();
  /** Whether the last timer was a check. */
  #isChecking = false;
  /** The amount of work that time stands still for. */
  #stillCount = 0;
  /** Requests of the platform that do not end and are no longer waited for. */
  #ignored = 0;

  constructor(startMs: number, maxSteps: number, maxMs: number) {
    this.#maxSteps = maxSteps;
    this.#maxMs = maxMs;
    this.#fake = replaceTimers(startMs, (work) => this.standStill(work));
  }

  readonly nowMs = (): number => this.#fake.now;

  readonly after = (ms: number, fn: () => void): (() => void) => {
    const timer = this.#fake.setTimeout(fn, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => this.#fake.clearTimeout(timer);
  };

  readonly checkAfter = (ms: number, fn: () => void): (() => void) => {
    const check: Check = { atMs: this.#fake.now + ms, cancel: () => void this.#checks.delete(check), fn };
    if (this.#isChecking) this.#checks.add(check);
    else this.#arm(check);
    return () => check.cancel();
  };

  readonly advance = async (ms: number): Promise<void> => {
    const untilMs = this.#fake.now + ms;
    let hasArrived = false;
    // A timer with a longer delay fires at once.
    const goOn = (): void => {
      hasArrived = !(untilMs > this.#fake.now);
      if (!hasArrived) this.#fake.setTimeout(goOn, Math.min(untilMs - this.#fake.now, MAX_TIMER_MS));
    };
    this.#fake.setTimeout(goOn, Math.min(ms, MAX_TIMER_MS));
    await this.#step(() => hasArrived, Number.POSITIVE_INFINITY);
    await this.#settle();
  };

  readonly finish = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.#step(() => isSettled, this.#fake.now + this.#maxMs);
    return promise;
  };

  readonly standStill = async <T>(work: () => Promise<T>): Promise<T> => {
    this.#stillCount += 1;
    try {
      return await work();
    } finally {
      this.#stillCount -= 1;
    }
  };

  readonly end = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#work.end();
    restoreTimers(this.#fake);
  };

  /** Goes from timer to timer until it is over. */
  async #step(isDone: () => boolean, untilMs: number): Promise<void> {
    const fromMs = this.#fake.now;
    for (let steps = 0; ; steps += 1) {
      await this.#settle();
      if (isDone()) return;
      if (this.#fake.countTimers() === 0 && !(await this.#settlesByItself(isDone))) {
        const hint = 'a promise is never settled, or work outside of this process runs without `clock.standStill`';
        throw stuck(`no timer is left at ${this.#date()}, but the awaited promise is not settled`, hint);
      }
      if (isDone()) return;
      if (steps >= this.#maxSteps) {
        const days = ((this.#fake.now - fromMs) / 86_400_000).toFixed(3);
        const fired = `${steps} timers have fired in ${days} days of virtual time`;
        const hint = 'bound the crawl (`bounds.pages`, `bounds.minutes`), or raise `maxSteps`';
        throw stuck(`${fired}, and the awaited promise is not settled at ${this.#date()}`, hint);
      }
      this.#isChecking = false;
      this.#fake.next();
      if (!this.#isChecking) for (const check of this.#checks) this.#arm(check);
      if (this.#fake.now > untilMs) {
        const days = (this.#maxMs / 86_400_000).toFixed(3);
        const hint = 'bound the crawl (`bounds.minutes`, `maxIdleMs`), or raise `maxMs`';
        throw stuck(`it is not over after ${days} days of virtual time, at ${this.#date()}`, hint);
      }
    }
  }

  #arm(check: Check): void {
    this.#checks.delete(check);
    check.cancel = this.after(check.atMs - this.#fake.now, () => {
      this.#isChecking = true;
      check.fn();
    });
  }

  #date(): string {
    return new Date(this.#fake.now).toISOString();
  }

  /** Waits for promises first, then for turns of the loop, files and work of `standStill`. */
  async #settle(): Promise<void> {
    await realTurn();
    let sinceMs: number | null = null;
    for (let turns = 0; this.#stillCount > 0 || this.#hasWork(); turns += 1) {
      sinceMs ??= realNow();
      if (this.#stillCount > 0 && realNow() - sinceMs > MAX_STILL_MS) {
        const hint = 'the work of `clock.standStill` does not end; it must not wait for virtual time';
        throw stuck(`time has stood still at ${this.#date()} for ${MAX_STILL_MS / 1_000} real seconds`, hint);
      }
      if (this.#stillCount === 0 && realNow() - sinceMs > REAL_WORK_MS) this.#ignored = this.#work.count();
      // A turn is enough for most work; a slower file is not worth a busy loop.
      await (turns < 100 ? realTurn() : new Promise((resolve) => realTimeout(resolve, 1)));
    }
  }

  /** Whether the platform is doing work that ends. */
  #hasWork(): boolean {
    const work = this.#work.count();
    this.#ignored = Math.min(this.#ignored, work);
    return work > this.#ignored;
  }

  /** Whether something happens although no timer is left: real work that cannot be observed. */
  async #settlesByItself(isDone: () => boolean): Promise<boolean> {
    const untilMs = realNow() + REAL_GRACE_MS;
    while (realNow() < untilMs) {
      await new Promise((resolve) => realTimeout(resolve, 1));
      if (isDone() || this.#fake.countTimers() > 0) return true;
    }
    return false;
  }
}

function stuck(message: string, hint: string): MannerlyError {
  return new MannerlyError('clock-stuck', message, { hint });
}

/** A turn of the real event loop: promises and ticks have run when it is over. */
function realTurn(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** The library is loaded here, so that only users who test need to install it. */
function replaceTimers(startMs: number, standStill: VirtualClock['standStill']): FakeClock {
  const require = createRequire(import.meta.url);
  let library: typeof import('@sinonjs/fake-timers');
  try {
    library = require('@sinonjs/fake-timers');
  } catch (cause) {
    throw new MannerlyError('clock-unavailable', '@sinonjs/fake-timers cannot be loaded', {
      hint: 'Install it: npm install --save-dev @sinonjs/fake-timers.',
      cause,
    });
  }
  let fake: FakeClock;
  try {
    fake = library.install({ now: startMs, toFake: [...FAKED_TIMERS], shouldClearNativeTimers: true });
  } catch (cause) {
    const who = 'by another virtual clock that has not ended, or by the test runner';
    throw new MannerlyError('clock-unavailable', `the timers of this process have already been replaced, ${who}`, {
      hint: 'First call `end` of the virtual clock, or `vi.useRealTimers()` if the test runner has replaced them.',
      cause,
    });
  }
  const startedMs = performance.now();
  performance.now = () => startedMs + fake.now - startMs;
  // Copies of robots.txt are hashed off the main thread, which the platform does not report.
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  crypto.subtle.digest = (...args) => standStill(() => digest(...args));
  wrapPdfReads(standStill);
  // Also replaces what was imported by name from `node:timers/promises`.
  syncBuiltinESMExports();
  return fake;
}

function restoreTimers(fake: FakeClock): void {
  fake.uninstall();
  wrapPdfReads(null);
  // The prototype has the platform's.
  Reflect.deleteProperty(performance, 'now');
  Reflect.deleteProperty(crypto.subtle, 'digest');
  syncBuiltinESMExports();
}

const WORK_RESOURCES = /^(?:Immediate|FSReq|CloseReq|FileHandleCloseReq|GetAddrInfo|TCPConnect|PipeConnect)/;
/** Node.js 26 no longer lists most requests for files. Hooks see them, but make every promise slower. */
const HIDES_FILES = Number.parseInt(process.versions.node, 10) >= 26;
const FILE_RESOURCES = /^(?:FSREQ|FILEHANDLECLOSEREQ)/;
/** Open while a thread answers: with a TypeScript loader such as tsx, a thread resolves every `import()`. */
const PORT = 'MessagePort';
/**
 * Work of the platform that ends by itself and takes no virtual time, until `end`: turns of the loop, files, names,
 * connections, and modules that another thread loads.
 */
class RealWork {
  /** Requests for files, by the platform's ids. */
  readonly #files = new Set<number>();
  /** Ports to threads that are no work: they were open before, or stay open. */
  #idlePorts = portsIn(process.getActiveResourcesInfo());
  /** Since when there are others, by the machine's clock; `null`: there are none. */
  #portsSinceMs: number | null = null;
  readonly #hook = createHook({
    init: (id, type) => void (FILE_RESOURCES.test(type) && this.#files.add(id)),
    after: (id) => void this.#files.delete(id),
    destroy: (id) => void this.#files.delete(id),
  });

  constructor() {
    if (HIDES_FILES) this.#hook.enable();
  }

  count(): number {
    const active = process.getActiveResourcesInfo();
    return (
      this.#files.size + active.filter((name) => WORK_RESOURCES.test(name)).length + this.#busyPorts(portsIn(active))
    );
  }

  #busyPorts(open: number): number {
    if (open > this.#idlePorts) this.#portsSinceMs ??= realNow();
    else this.#portsSinceMs = null;
    const isLong = this.#portsSinceMs !== null && realNow() - this.#portsSinceMs > REAL_LOAD_MS;
    if (isLong || open < this.#idlePorts) this.#idlePorts = open;
    return open - this.#idlePorts;
  }

  end(): void {
    this.#hook.disable();
  }
}

function portsIn(active: readonly string[]): number {
  return active.filter((name) => name === PORT).length;
}
