// How much of the whole crawl's bounds is used: pages, bytes, running minutes; restarts and other processes included.
// Each process keeps an account of its own (`part-records.ts`) and adds up what all have. It is written right before the commit
// that says the pages are done, and every second: a process that is killed takes back at most what its last commit did not say,
// and never makes the crawl larger than its bound. Pages are granted (`page-grants.ts`), so that the bound holds to the page;
// bytes and minutes of other processes are known as of their last second.

import type { CrawlLock } from './crawl-lock.js';
import { GRANT_LOW, PART_SILENT_MS } from './limits.js';
import { type Granted, grantOf, keptOf, pagesLeft } from './page-grants.js';
import type { PartRecords } from './part-records.js';

/** The bounds of a crawl; `null` where there is none. */
export interface Bounds {
  readonly pages: number | null;
  readonly pagesPerHost: number | null;
  /** Decoded bytes of one host's bodies. */
  readonly bytesPerHost: number | null;
  /** The crawl's running time since the first request to a host, milliseconds. */
  readonly runningPerHostMs: number | null;
  /** Running time, milliseconds. */
  readonly runningMs: number | null;
  /** Decoded bytes of bodies. */
  readonly bytes: number | null;
}

/** Where the record is kept: the store. */
export interface Records {
  readRecord(key: string): Promise<Uint8Array | null>;
  writeRecord(key: string, value: Uint8Array | null): Promise<void>;
}

/** The account of one crawl. */
export interface Budget {
  /** Reads what earlier runs and other processes used; the running time counts from here. */
  open(nowMs: number): Promise<void>;
  /** Whether `reserve` would say yes. */
  canReserve(): boolean;
  /** One page is handed out. @returns `false`: the bound leaves none, or none was granted yet. */
  reserve(): boolean;
  /** Asks for pages to hand out where few are left; waits for them only where none is. */
  prepare(): Promise<void>;
  /** Other processes that are at work, as of the last look. */
  othersAtWork(): number;
  /** Whether other processes have what is left of the pages: there may be more for us later. */
  isGrantedAway(): boolean;
  /** A page that was handed out is settled: it counts, or it is given back. */
  settle(counts: boolean): void;
  /** A page that counted does not: another holder will settle it. */
  takeBack(): void;
  /** Bytes received. */
  addBytes(bytes: number): void;
  /** Which bound is used up, by what is finished; pages in hand do not count yet. */
  reached(nowMs: number): 'pages' | 'minutes' | 'bytes' | null;
  /** Of the crawl. */
  pages(): number;
  /** Time in which the crawl ran, in one process or in several at once; pauses do not count. */
  runningMs(nowMs: number): number;
  /** The running time stands still from here, until `resume`. A second call changes nothing. */
  pause(nowMs: number): void;
  resume(nowMs: number): void;
  /** Writes our account, if pages or bytes have changed. */
  save(nowMs: number): Promise<void>;
  /** Writes our account, so that the running time is kept and we are seen to live, and reads the others'. */
  saveTime(nowMs: number): Promise<void>;
  /** Writes our account; the running time ends. */
  close(nowMs: number): Promise<void>;
}

/** What a part has in its record. */
interface Account {
  readonly pages: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** Pages done, in hand, and granted beyond; absent: those done. */
  readonly granted?: number;
  /** Grows while the process lives. */
  readonly beat?: number;
  /** Whether its process has ended by itself. */
  readonly isOver?: boolean;
}

/** Another part as we have seen it. */
interface Other {
  readonly account: Account;
  /** When its beat was last seen to move, by our clock. */
  readonly movedAtMs: number;
}

const KEY = 'budget';
const NOTHING: Account = { pages: 0, runningMs: 0, bytes: 0 };

/** What the account is made of. */
export interface BudgetParts {
  readonly bounds: Bounds;
  readonly records: PartRecords;
  readonly lock: CrawlLock;
  /** Whether we take part: otherwise the account is only looked into. */
  readonly isPart: boolean;
  readonly nowMs: () => number;
}

/** @throws Never; what the records throw passes through. */
export function createBudget({ bounds, records, lock, isPart, nowMs: now }: BudgetParts): Budget {
  /** Ours, earlier runs of our part included. */
  let pages = 0;
  let bytes = 0;
  let inFlight = 0;
  let granted = 0;
  let beat = 0;
  let others = new Map<string, Other>();
  let ranBeforeMs = 0;
  let openedAtMs: number | null = null;
  let pausedAtMs: number | null = null;
  /** Pauses that are over, of this run. */
  let pausedMs = 0;
  let isDirty = false;
  /** When others last heard of us: silent for long, we may be taken for dead, and what we were granted for free. */
  let heardAtMs = 0;
  let asking: Promise<void> | null = null;
  /** Another process was at it when we wanted to ask: nobody knows yet what is left. */
  let isPutOff = false;

  const limit = bounds.pages ?? Number.MAX_SAFE_INTEGER;
  const isBounded = bounds.pages !== null;
  const ownMs = (nowMs: number) =>
    openedAtMs === null ? 0 : Math.max(0, Math.min(nowMs, pausedAtMs ?? nowMs) - openedAtMs - pausedMs);
  const runningMs = (nowMs: number) => ranBeforeMs + ownMs(nowMs);
  const sum = (of: (account: Account) => number) =>
    [...others.values()].reduce((all, { account }) => all + of(account), 0);
  const allPages = () => pages + (others.size === 0 ? 0 : sum((account) => account.pages));
  const allBytes = () => bytes + (others.size === 0 ? 0 : sum((account) => account.bytes));
  const isHeard = () => others.size === 0 || now() - heardAtMs < PART_SILENT_MS / 2;
  const canReserve = () => !isBounded || (pages + inFlight < granted && isHeard());
  const isAlive = ({ account, movedAtMs }: Other, nowMs: number) =>
    account.isOver !== true && account.beat !== undefined && nowMs - movedAtMs < PART_SILENT_MS;

  const grants = (nowMs: number): Granted => {
    let taken = 0;
    let alive = 0;
    for (const other of others.values()) {
      const lives = isAlive(other, nowMs);
      taken += lives ? Math.max(other.account.pages, other.account.granted ?? 0) : other.account.pages;
      if (lives) alive += 1;
    }
    return { taken, alive };
  };
  const write = async (nowMs: number, isOver = false) => {
    isDirty = false;
    beat += 1;
    const account: Account = {
      pages,
      runningMs: runningMs(nowMs),
      bytes,
      granted: isOver ? pages : granted,
      beat,
      isOver,
    };
    await records.write(KEY, new TextEncoder().encode(JSON.stringify(account)));
    heardAtMs = nowMs;
  };
  const readOthers = async (nowMs: number) => {
    const seen = new Map<string, Other>();
    const names = (await records.list()).filter((name) => !isPart || name !== records.name());
    const accounts = await Promise.all(names.map((name) => records.read(name, KEY)));
    for (const [at, name] of names.entries()) {
      const account = readAccount(accounts[at] ?? null);
      const before = others.get(name);
      // Two looks may be under way at once, and the older one may come last.
      const isNews = before === undefined || (account.beat ?? 0) > (before.account.beat ?? 0);
      seen.set(name, isNews ? { account, movedAtMs: nowMs } : before);
    }
    for (const [name, other] of others) if (!seen.has(name)) seen.set(name, other);
    others = seen;
    // Processes that run at once run in the same time; whoever joined knows what ran before.
    const theirsMs = Math.max(0, ...[...others.values()].map(({ account }) => account.runningMs));
    ranBeforeMs += Math.max(0, theirsMs - runningMs(now()));
  };
  /** Takes a share of what is left, if no other process is at it. */
  const ask = () =>
    lock.tryExclusively(async (isStill) => {
      await readOthers(now());
      const { taken, alive } = grants(now());
      // What others may think free is ours no more.
      if (!isHeard()) granted = pages + inFlight;
      const own = Math.max(granted, pages + inFlight);
      const before = granted;
      granted = own + grantOf(pagesLeft(limit, { taken, alive }, own), alive);
      if (granted === before && isHeard()) return true;
      if (!isStill()) {
        granted = before;
        return false;
      }
      await write(now());
      return true;
    });

  return {
    async open(nowMs) {
      if (isPart) {
        const kept = readAccount(await records.read(records.name(), KEY));
        ({ pages, bytes } = kept);
        beat = kept.beat ?? 0;
        granted = pages;
        ranBeforeMs = kept.runningMs;
      }
      await readOthers(nowMs);
      openedAtMs = nowMs;
      heardAtMs = nowMs;
      if (pausedAtMs !== null) pausedAtMs = nowMs;
    },
    canReserve,
    reserve() {
      if (!canReserve()) return false;
      inFlight += 1;
      return true;
    },
    async prepare() {
      if (!isBounded || !isPart || granted - pages - inFlight >= GRANT_LOW) return;
      if (canReserve() && isExhausted()) return;
      asking ??= ask()
        .then((hasAsked) => {
          isPutOff = hasAsked !== true;
        })
        .finally(() => {
          asking = null;
        });
      if (!canReserve()) await asking;
      else asking.catch(() => undefined);
    },
    othersAtWork: () => (others.size === 0 ? 0 : grants(now()).alive),
    isGrantedAway: () =>
      isBounded && !canReserve() && allPages() < limit && (isPutOff || grants(now()).alive > 0 || !isHeard()),
    settle(counts) {
      inFlight -= 1;
      if (!counts) return;
      pages += 1;
      isDirty = true;
    },
    takeBack() {
      pages -= 1;
      isDirty = true;
    },
    addBytes(more) {
      bytes += more;
      isDirty = true;
    },
    reached(nowMs) {
      if (allPages() >= limit) return 'pages';
      if (bounds.bytes !== null && allBytes() >= bounds.bytes) return 'bytes';
      return bounds.runningMs !== null && runningMs(nowMs) >= bounds.runningMs ? 'minutes' : null;
    },
    pages: allPages,
    runningMs,
    pause(nowMs) {
      pausedAtMs ??= nowMs;
    },
    resume(nowMs) {
      if (pausedAtMs !== null && openedAtMs !== null) pausedMs += Math.max(0, nowMs - pausedAtMs);
      pausedAtMs = null;
    },
    async save(nowMs) {
      if (isDirty) await write(nowMs);
    },
    async saveTime(nowMs) {
      await readOthers(nowMs);
      const { taken, alive } = grants(nowMs);
      const used = pages + inFlight;
      const left = pagesLeft(limit, { taken, alive }, Math.max(granted, used));
      granted = used + keptOf(Math.max(0, granted - used), left, alive);
      await write(nowMs);
    },
    async close(nowMs) {
      if (openedAtMs === null) return;
      await write(nowMs, true);
      ranBeforeMs = runningMs(nowMs);
      openedAtMs = null;
    },
  };

  /** Whether the last look found nothing left to ask for. */
  function isExhausted(): boolean {
    return pagesLeft(limit, grants(now()), Math.max(granted, pages + inFlight)) === 0;
  }
}

/**
 * The parts whose processes have ended by themselves: whoever joins may go on under one of their names.
 *
 * @throws Never; what the records throw passes through.
 */
export async function partsOver(records: PartRecords, parts: readonly string[]): Promise<readonly string[]> {
  const over: string[] = [];
  for (const part of parts) if (readAccount(await records.read(part, KEY)).isOver === true) over.push(part);
  return over;
}

function readAccount(bytes: Uint8Array | null): Account {
  if (bytes === null) return NOTHING;
  return { ...NOTHING, ...(JSON.parse(new TextDecoder().decode(bytes)) as Partial<Account>) };
}
