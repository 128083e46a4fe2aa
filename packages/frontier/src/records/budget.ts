// How much of the bounds of the whole crawl is used: pages, bytes, running minutes, over restarts and processes. Each
// process writes its own account (`processes.ts`) and adds up all accounts. It writes the account right before the
// commit that says the pages are done, and every second. So a killed process loses at most what its last commit did not
// report, and never makes the crawl larger than its bound. To make the bound on pages exact, each part says how many
// pages it was granted, and a process takes a share of the rest before it hands out more. Pages that were granted to a
// dead process and not used are free again once it has been silent for long enough. Bytes and minutes of other
// processes are known as of their last second.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import {
  ACCOUNT_KEY,
  type Account,
  type Granted,
  grantSize,
  readAccount,
  remainingPages,
  retainedGrant,
} from './account.js';
import {
  LOW_GRANT_PAGES,
  MAX_ACCOUNT_AGE_MS,
  MAX_GONE_PARTS,
  MAX_PARTS_PER_MERGE,
  PART_GONE_MS,
  PART_SILENT_MS,
} from './limits.js';
import type { PartRecords } from './processes.js';

/** The bounds of a crawl; `null`: no bound. */
export interface Bounds {
  readonly pages: number | null;
  /** Running time, milliseconds. */
  readonly runningMs: number | null;
  /** Decoded bytes of bodies. */
  readonly bytes: number | null;
}

export interface UsedUp {
  readonly pages: number;
  readonly runningMs: number;
  readonly bytes: number;
}

/** Another part as last read. */
interface Other {
  readonly account: Account;
  /** When its beat last changed, by our clock. */
  readonly changedAtMs: number;
}

export interface BudgetOptions {
  readonly bounds: Bounds;
  readonly records: PartRecords;
  /** `false`: the account is only read, never written. */
  readonly isPart: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The name of its record. @default the key of the crawl's own account */
  readonly key?: string;
}

/** The account of one crawl. Promises reject with what the records throw. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #isBounded: boolean;
  /** The name of its record. */
  readonly key: string;
  /** What was used up before the bounds began to count. */
  #baseline: UsedUp = { pages: 0, runningMs: 0, bytes: 0 };
  #sinceMs = 0;
  /** Our own counts, earlier runs of our part included. */
  readonly #own = { pages: 0, bytes: 0, inFlight: 0, granted: 0, beat: 0 };
  #lacksHosts = false;
  #others = new Map<string, Other>();
  #readAllAtMs = 0;
  #earlierRunningMs = 0;
  #openedAtMs: number | null = null;
  #pausedAtMs: number | null = null;
  /** Pauses of this run that have ended. */
  #pausedMs = 0;
  #isDirty = false;
  /** When we last wrote. After a long silence others take us for dead and our granted pages for free. */
  #writtenAtMs = 0;
  #requesting: Promise<void> | null = null;
  readonly #writes = new Set<Promise<unknown>>();
  /** Another process had the lock when we asked, so what is left is unknown. */
  #isRemainderUnknown = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#isBounded = options.bounds.pages !== null;
    this.key = options.key ?? ACCOUNT_KEY;
  }

  /** Reads what earlier runs and other processes used. The running time counts from now. */
  async open(nowMs: number): Promise<void> {
    const { isPart, records } = this.#options;
    if (isPart) {
      const { pages, bytes, beat, runningMs } = readAccount(await records.read(records.name(), this.key));
      Object.assign(this.#own, { pages, bytes, granted: pages, beat });
      this.#earlierRunningMs = runningMs;
    }
    await this.#readOthers(nowMs, true);
    this.#openedAtMs = nowMs;
    this.#writtenAtMs = nowMs;
    if (this.#pausedAtMs !== null) this.#pausedAtMs = nowMs;
  }

  // ── Pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether a page may be reserved. `false`: the bound leaves none, or none was granted yet. */
  canReserve(): boolean {
    return !this.#isBounded || (this.#taken < this.#own.granted && this.#countsAsAlive());
  }

  /** Reserves one page to hand out, if `canReserve`. */
  reserve(): void {
    this.#own.inFlight += 1;
  }

  /** Requests pages to hand out when few are left; waits for them only when none is left. */
  async prepare(): Promise<void> {
    const own = this.#taken;
    if (!this.#isBounded || !this.#options.isPart || this.#own.granted - own >= LOW_GRANT_PAGES) return;
    if (this.canReserve() && this.#remainingPages(this.#now()) === 0) return;
    this.#requesting ??= this.#requestGrant()
      .then((isAnswered) => {
        this.#isRemainderUnknown = isAnswered !== true;
      })
      .finally(() => {
        this.#requesting = null;
      });
    if (!this.canReserve()) await this.#requesting;
    else this.#requesting.catch(() => undefined);
  }

  /** Settles a page that was handed out: it counts, or it is released. */
  settle(countsAsPage: boolean): void {
    this.#own.inFlight -= 1;
    if (!countsAsPage) return;
    this.#own.pages += 1;
    this.#isDirty = true;
  }

  /** Uncounts a page: another holder will settle it. */
  uncountPage(): void {
    this.#own.pages -= 1;
    this.#isDirty = true;
  }

  pages(): number {
    return this.#own.pages + this.#usedByOthers('pages');
  }

  addBytes(bytes: number): void {
    this.#own.bytes += bytes;
    this.#isDirty = true;
  }

  used(nowMs: number): UsedUp {
    const bytes = this.#own.bytes + this.#usedByOthers('bytes');
    return { pages: this.pages(), runningMs: this.runningMs(nowMs), bytes };
  }

  /** When the present count began, epoch milliseconds; 0: at the start of the crawl. */
  get countSinceMs(): number {
    return this.#sinceMs;
  }

  /** From now on the bounds count only what is used up later. Earlier grants are free again. */
  countFrom(used: UsedUp, sinceMs: number): void {
    this.#baseline = used;
    this.#sinceMs = sinceMs;
  }

  /** Which bound is used up by finished work; pages in flight do not count yet. */
  reachedBound(nowMs: number): 'pages' | 'minutes' | 'bytes' | null {
    const { pages, bytes, runningMs } = this.#options.bounds;
    const before = this.#baseline;
    if (pages !== null && this.pages() - before.pages >= pages) return 'pages';
    if (bytes !== null && this.used(nowMs).bytes - before.bytes >= bytes) return 'bytes';
    return runningMs !== null && this.runningMs(nowMs) - before.runningMs >= runningMs ? 'minutes' : null;
  }

  // ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** How long the crawl ran, in one process or in several at once. Pauses do not count. */
  runningMs(nowMs: number): number {
    if (this.#openedAtMs === null) return this.#earlierRunningMs;
    const ownMs = Math.min(nowMs, this.#pausedAtMs ?? nowMs) - this.#openedAtMs - this.#pausedMs;
    return this.#earlierRunningMs + Math.max(0, ownMs);
  }

  /** Stops the running time until `resume`. A second call changes nothing. */
  pause(nowMs: number): void {
    this.#pausedAtMs ??= nowMs;
  }

  get isPaused(): boolean {
    return this.#pausedAtMs !== null;
  }

  resume(nowMs: number): void {
    if (this.#pausedAtMs !== null && this.#openedAtMs !== null) this.#pausedMs += Math.max(0, nowMs - this.#pausedAtMs);
    this.#pausedAtMs = null;
  }

  // ── Other processes ────────────────────────────────────────────────────────────────────────────────────────────────

  othersAlive(): number {
    return this.#others.size === 0 ? 0 : this.#grantedToOthers(this.#now()).alive;
  }

  /** How many other processes have no host to request pages from, and would take some of ours. */
  othersWithoutHosts(nowMs: number): number {
    const lacks = ({ account, changedAtMs }: Other) => account.lacksHosts && nowMs - changedAtMs < MAX_ACCOUNT_AGE_MS;
    return [...this.#others.values()].filter(lacks).length;
  }

  /** Whether other processes hold all pages that are left: there may be more for us later. */
  isGrantedAway(): boolean {
    if (!this.#isBounded || this.canReserve() || this.pages() >= this.#limit) return false;
    return this.#isRemainderUnknown || this.othersAlive() > 0 || !this.#countsAsAlive();
  }

  /** Writes our account if pages or bytes have changed. */
  async save(nowMs: number): Promise<void> {
    if (!this.#isDirty) return;
    this.#dropFreeGrant();
    await this.#write(nowMs);
  }

  /**
   * Writes our account, so that the running time is stored and others see that we are alive, and reads the others'.
   * @param lacksHosts - Whether others may release hosts for us.
   */
  async saveTime(nowMs: number, lacksHosts = false): Promise<void> {
    this.#lacksHosts = lacksHosts;
    const silentMs = nowMs - this.#writtenAtMs;
    await this.#readOthers(nowMs);
    await this.#ensureListed(silentMs);
    const used = this.#taken;
    const { alive } = this.#grantedToOthers(nowMs);
    this.#own.granted = used + retainedGrant(Math.max(0, this.#own.granted - used), this.#remainingPages(nowMs), alive);
    await this.#write(nowMs);
  }

  /** Parts whose processes have been gone for long, as last read, some at a time; none while they are few. */
  goneParts(nowMs: number): readonly string[] {
    const gone = [...this.#others].filter(([, { changedAtMs }]) => nowMs - changedAtMs >= PART_GONE_MS);
    return gone.length <= MAX_GONE_PARTS ? [] : gone.slice(0, MAX_PARTS_PER_MERGE).map(([part]) => part);
  }

  /** Whether the account of a part is unchanged since it was last read. */
  async isUnchanged(part: string): Promise<boolean> {
    const { beat } = readAccount(await this.#options.records.read(part, this.key));
    return beat === this.#others.get(part)?.account.beat;
  }

  async close(nowMs: number): Promise<void> {
    if (this.#openedAtMs === null) return;
    await this.#write(nowMs, true);
    this.#earlierRunningMs = this.runningMs(nowMs);
    this.#openedAtMs = null;
  }

  /** A server may have forgotten our part, or we were silent for so long that others have merged it. */
  async #ensureListed(silentMs: number): Promise<void> {
    const { isPart, records } = this.#options;
    if (!isPart || records.isListed()) return;
    if (silentMs >= PART_GONE_MS / 2)
      throw new FrontierError('store-failed', 'this process was silent for too long, so its account was closed', {
        hint: 'Start it again: the crawl continues.',
      });
    await records.addToList();
  }

  get #limit(): number {
    return this.#baseline.pages + (this.#options.bounds.pages ?? Number.MAX_SAFE_INTEGER / 2);
  }

  /** Pages that are done or in flight. */
  get #taken(): number {
    return this.#own.pages + this.#own.inFlight;
  }

  #now(): number {
    return this.#options.clock.nowMs();
  }

  #usedByOthers(field: 'pages' | 'bytes'): number {
    let sum = 0;
    for (const { account } of this.#others.values()) sum += account[field];
    return sum;
  }

  #countsAsAlive(): boolean {
    return this.#others.size === 0 || this.#now() - this.#writtenAtMs < PART_SILENT_MS / 2;
  }

  /** After a long silence, pages that others may have taken for free are no longer ours. */
  #dropFreeGrant(): void {
    if (!this.#countsAsAlive()) this.#own.granted = this.#taken;
  }

  #grantedToOthers(nowMs: number): Granted {
    let taken = 0;
    let alive = 0;
    for (const other of this.#others.values()) {
      const isAlive = other.account.beat > 0 && !hasEnded(other, nowMs);
      taken += isAlive ? Math.max(other.account.pages, other.account.granted) : other.account.pages;
      if (isAlive) alive += 1;
    }
    return { taken, alive };
  }

  /** Pages that are granted to no process, as last read. */
  #remainingPages(nowMs: number): number {
    const own = Math.max(this.#own.granted, this.#taken);
    return remainingPages(this.#limit, this.#grantedToOthers(nowMs), own);
  }

  /** Takes a share of what is left. @returns `null`: another process has the lock; `false`: our time ran out. */
  #requestGrant(): Promise<boolean | null> {
    return this.#options.records.lock.tryExclusively(async (holdsLock) => {
      await this.#readOthers(this.#now(), true);
      // If an older account arrived after the newer one, pages granted now would look free.
      while (this.#writes.size > 0) await Promise.allSettled(this.#writes);
      const before = this.#own.granted;
      const own = Math.max(before, this.#taken);
      this.#own.granted = own + grantSize(this.#remainingPages(this.#now()), this.othersAlive());
      if (this.#own.granted === before && this.#countsAsAlive()) return true;
      if (!holdsLock()) {
        this.#own.granted = before;
        return false;
      }
      await this.#write(this.#now());
      return true;
    });
  }

  /** Starts the write at once, so that it precedes the commit that reports the pages. */
  #write(nowMs: number, isOver = false): Promise<void> {
    this.#isDirty = false;
    this.#own.beat += 1;
    const account: Account = {
      pages: this.#own.pages,
      runningMs: this.runningMs(nowMs),
      bytes: this.#own.bytes,
      granted: isOver ? this.#own.pages : this.#own.granted,
      beat: this.#own.beat,
      isOver,
      lacksHosts: this.#lacksHosts && !isOver,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(account));
    const written = this.#options.records.write(this.key, bytes).then(() => {
      this.#writtenAtMs = nowMs;
    });
    this.#writes.add(written);
    return written.finally(() => this.#writes.delete(written));
  }

  /** Parts that have ended may be taken over again, so they are read before pages are granted, and now and then. */
  async #readOthers(nowMs: number, readsAll = nowMs - this.#readAllAtMs >= PART_SILENT_MS): Promise<void> {
    const { records, isPart } = this.#options;
    if (readsAll) this.#readAllAtMs = nowMs;
    const listed = await records.list();
    const names = listed.filter((name) => {
      const other = this.#others.get(name);
      return (!isPart || name !== records.name()) && (readsAll || other === undefined || !hasEnded(other, nowMs));
    });
    const accounts = await Promise.all(names.map((name) => records.read(name, this.key)));
    const others = new Map([...this.#others].filter(([name]) => listed.includes(name)));
    for (const [at, name] of names.entries()) {
      const account = readAccount(accounts[at] ?? null);
      const before = others.get(name);
      // Two reads may be under way at once, and the older one may end last.
      if (before === undefined || account.beat > before.account.beat) others.set(name, { account, changedAtMs: nowMs });
    }
    this.#others = others;
    this.#dropFreeGrant();
    // Processes that run at once share the same time. A process that joins knows what ran before it.
    const longestMs = Math.max(0, ...Array.from(others.values(), ({ account }) => account.runningMs));
    this.#earlierRunningMs += Math.max(0, longestMs - this.runningMs(this.#now()));
  }
}

/** Its process has ended normally, or has been silent for so long that it counts as dead. */
function hasEnded({ account, changedAtMs }: Other, nowMs: number): boolean {
  return account.isOver || nowMs - changedAtMs >= PART_SILENT_MS;
}
