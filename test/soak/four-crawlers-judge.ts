// Judges a crawl by several processes that were killed and stopped, from the web's log and the faults alone.

/** One exchange as the web saw it; milliseconds of this process's clock. */
export interface CrewExchange {
  readonly host: string;
  readonly path: string;
  readonly life: string;
  readonly startMs: number;
  endMs: number;
}

/** A fault of a process, or of the server (`life` is `null`). */
export interface Fault {
  readonly kind: 'kill' | 'stop' | 'server';
  readonly life: string | null;
  readonly atMs: number;
  /** `Infinity` for a kill: requests that arrive later were in flight. */
  untilMs: number;
}

/** The findings. */
export interface CrewVerdict {
  readonly exchanges: number;
  /** Requests to a host whose last request came from another process. */
  readonly handOvers: number;
  readonly missing: readonly string[];
  /** Pages requested again although no fault had hit the first process. */
  readonly unexcusedRepeats: readonly string[];
  readonly repeated: number;
  readonly early: readonly string[];
  readonly overlapping: readonly string[];
}

/**
 * How long an answer may be unread, milliseconds: the test's handler blocks its process for two seconds, and a process
 * that is killed or stopped meanwhile has not read it.
 */
const UNREAD_MS = 4_000;
/** The most milliseconds from the end of an exchange until its page is committed, on a busy machine. */
const COMMITTED_MS = 10_000;
/**
 * After this many milliseconds without any request, all processes stood still, as they do while a stopped one has the
 * write lock of a file.
 */
const STILL_MS = 5_000;

/** The rules for every host. */
export interface Measure {
  readonly pagesPerHost: number;
  /** The Crawl-delay that its robots.txt asks for. */
  readonly delayMs: number;
  /**
   * The interval before the Crawl-delay can be known: if a process was hit while it read robots.txt for the first time,
   * no process knows it.
   */
  readonly untoldMs: number;
}

/** Judges a log. Pure. */
export function judgeCrew(
  { pagesPerHost, delayMs, untoldMs }: Measure,
  log: readonly CrewExchange[],
  faults: readonly Fault[],
  names: readonly string[],
): CrewVerdict {
  const early: string[] = [];
  const overlapping: string[] = [];
  const missing: string[] = [];
  const unexcusedRepeats: string[] = [];
  let handOvers = 0;
  let repeated = 0;
  const ofAll = [...faults.filter(({ kind }) => kind === 'server'), ...standstills(log)];
  const wasHit = ({ life, startMs, endMs }: CrewExchange): boolean =>
    faults.some((fault) => fault.life === life && fault.atMs <= endMs + UNREAD_MS && fault.untilMs >= startMs);
  const uncommitted = ({ life, startMs, endMs }: CrewExchange): boolean =>
    [...ofAll, ...faults.filter((fault) => fault.life === life)].some(
      (fault) => fault.atMs <= endMs + COMMITTED_MS && fault.untilMs + COMMITTED_MS >= startMs,
    );
  const firstAfterStop = firstRequestsAfterStops(log, faults);
  for (const name of names) {
    const own = log.filter(({ host }) => host === name).sort((a, b) => a.startMs - b.startMs);
    const checked = own.filter((exchange) => !firstAfterStop.has(exchange));
    for (const [at, next] of checked.entries()) {
      const last = checked[at - 1];
      if (last === undefined) continue;
      if (last.life !== next.life) handOvers += 1;
      const isHit = wasHit(last);
      if (next.startMs < last.endMs && !isHit)
        overlapping.push(`${name}: ${next.path} by ${next.life} while ${last.path}`);
      const gapMs = next.startMs - (isHit ? last.startMs : last.endMs);
      const isDelayKnown = checked
        .slice(0, at)
        .some((exchange) => exchange.path !== '/robots.txt' || !wasHit(exchange));
      if (gapMs < (isDelayKnown ? delayMs : untoldMs))
        early.push(
          `${name}: ${next.path} by ${next.life} ${gapMs.toFixed(1)} ms after ${last.path} by ${last.life}${isHit ? ' (struck)' : ''}`,
        );
    }
    for (let number = 0; number < pagesPerHost; number += 1) {
      const path = number === 0 ? '/' : `/${number}`;
      const times = own.filter((exchange) => exchange.path === path);
      if (times.length === 0) missing.push(name + path);
      if (times.length > 1) repeated += 1;
      if (times.slice(0, -1).some((exchange) => !uncommitted(exchange)))
        unexcusedRepeats.push(
          `${name}${path}: ${times.map(({ life, startMs }) => `${life} at ${startMs.toFixed(0)}`).join(', ')}`,
        );
    }
  }
  return { exchanges: log.length, handOvers, missing, unexcusedRepeats, repeated, early, overlapping };
}

/**
 * The first request of a process after each of its stops. It may have been stopped between its last check of the clock
 * and the system call that sends, which cannot be prevented. Its later requests check the clock again.
 */
function firstRequestsAfterStops(log: readonly CrewExchange[], faults: readonly Fault[]): Set<CrewExchange> {
  const firsts = faults
    .filter(({ kind }) => kind === 'stop')
    .map(({ life, untilMs }) => log.find((exchange) => exchange.life === life && exchange.startMs >= untilMs));
  return new Set(firsts.filter((first) => first !== undefined));
}

/** Periods without any request. */
function standstills(log: readonly CrewExchange[]): Pick<Fault, 'atMs' | 'untilMs'>[] {
  const starts = log.map(({ startMs }) => startMs).sort((a, b) => a - b);
  return starts.flatMap((untilMs, at) => {
    const atMs = starts[at - 1] ?? untilMs;
    return untilMs - atMs > STILL_MS ? [{ atMs, untilMs }] : [];
  });
}
