// The result of a crawl by several processes that were killed and stopped, by the log of the web they asked and the
// faults alone.

/** One exchange as the web saw it; milliseconds of this process's clock. */
export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly life: string;
  readonly startMs: number;
  endMs: number;
}

/** What was done to a process, or to the server (`life` is `null`). */
export interface Fault {
  readonly kind: 'kill' | 'stop' | 'server';
  readonly life: string | null;
  readonly atMs: number;
  /** `Infinity` for a kill: whatever of it arrives later was on its way. */
  untilMs: number;
}

/** What is found. */
export interface Judged {
  readonly exchanges: number;
  /** Requests whose host was asked by another process before. */
  readonly handOvers: number;
  readonly missing: readonly string[];
  /** Asked again although nothing had happened to who asked before. */
  readonly wronglyTwice: readonly string[];
  readonly twice: number;
  readonly early: readonly string[];
  readonly overlapping: readonly string[];
}

/**
 * An answer may be unread so long, milliseconds: the handler of the test blocks its process for two seconds, and one
 * that is killed or stopped meanwhile has not had it.
 */
const UNREAD_MS = 4_000;
/** From the end of an exchange until its page is committed, milliseconds, on a busy machine. */
const COMMITTED_MS = 10_000;
/**
 * No request of anybody for so long, milliseconds: all stood still, as behind a stopped process that has the write lock
 * of a file.
 */
const STILL_MS = 5_000;

/** What every host is judged by. */
export interface Measure {
  readonly pagesPerHost: number;
  /** The Crawl-delay that its robots.txt asks for. */
  readonly delayMs: number;
  /**
   * What is kept before anybody can know that: of a process that was struck while it read robots.txt for the first
   * time, no one has heard.
   */
  readonly untoldMs: number;
}

/** Judges. Pure. */
export function judged(
  { pagesPerHost, delayMs, untoldMs }: Measure,
  log: readonly Asked[],
  faults: readonly Fault[],
  names: readonly string[],
): Judged {
  const early: string[] = [];
  const overlapping: string[] = [];
  const missing: string[] = [];
  const wronglyTwice: string[] = [];
  let handOvers = 0;
  let twice = 0;
  const ofAll = [...faults.filter(({ kind }) => kind === 'server'), ...standstills(log)];
  const struck = ({ life, startMs, endMs }: Asked): boolean =>
    faults.some((fault) => fault.life === life && fault.atMs <= endMs + UNREAD_MS && fault.untilMs >= startMs);
  const uncommitted = ({ life, startMs, endMs }: Asked): boolean =>
    [...ofAll, ...faults.filter((fault) => fault.life === life)].some(
      (fault) => fault.atMs <= endMs + COMMITTED_MS && fault.untilMs + COMMITTED_MS >= startMs,
    );
  const wakings = wakingsOf(log, faults);
  for (const name of names) {
    const own = log.filter(({ host }) => host === name).sort((a, b) => a.startMs - b.startMs);
    const looked = own.filter((asked) => !wakings.has(asked));
    for (const [at, next] of looked.entries()) {
      const last = looked[at - 1];
      if (last === undefined) continue;
      if (last.life !== next.life) handOvers += 1;
      const isStruck = struck(last);
      if (next.startMs < last.endMs && !isStruck)
        overlapping.push(`${name}: ${next.path} by ${next.life} while ${last.path}`);
      const gapMs = next.startMs - (isStruck ? last.startMs : last.endMs);
      const isTold = looked.slice(0, at).some((asked) => asked.path !== '/robots.txt' || !struck(asked));
      if (gapMs < (isTold ? delayMs : untoldMs))
        early.push(
          `${name}: ${next.path} by ${next.life} ${gapMs.toFixed(1)} ms after ${last.path} by ${last.life}${isStruck ? ' (struck)' : ''}`,
        );
    }
    for (let number = 0; number < pagesPerHost; number += 1) {
      const path = number === 0 ? '/' : `/${number}`;
      const times = own.filter((asked) => asked.path === path);
      if (times.length === 0) missing.push(name + path);
      if (times.length > 1) twice += 1;
      if (times.slice(0, -1).some((asked) => !uncommitted(asked)))
        wronglyTwice.push(
          `${name}${path}: ${times.map(({ life, startMs }) => `${life} at ${startMs.toFixed(0)}`).join(', ')}`,
        );
    }
  }
  return { exchanges: log.length, handOvers, missing, wronglyTwice, twice, early, overlapping };
}

/**
 * The first request of a process after each of its stops. It may have been stopped between its last look at the clock
 * and the system call that sends, a gap that nothing can close; whatever it asks after that it has looked at again.
 */
function wakingsOf(log: readonly Asked[], faults: readonly Fault[]): Set<Asked> {
  const firsts = faults
    .filter(({ kind }) => kind === 'stop')
    .map(({ life, untilMs }) => log.find((asked) => asked.life === life && asked.startMs >= untilMs));
  return new Set(firsts.filter((first) => first !== undefined));
}

/** Times in which no one asked anybody. */
function standstills(log: readonly Asked[]): Pick<Fault, 'atMs' | 'untilMs'>[] {
  const starts = log.map(({ startMs }) => startMs).sort((a, b) => a - b);
  return starts.flatMap((untilMs, at) => {
    const atMs = starts[at - 1] ?? untilMs;
    return untilMs - atMs > STILL_MS ? [{ atMs, untilMs }] : [];
  });
}
