// What one client knows of the crawl in the file, and the brackets of its transactions: what others have done meanwhile is
// seen before the first verb, and what the verbs have changed is written after the last.

import type { HostKey, NewEntry } from '../../store.js';
import { type Counts, decodeCounts, encodeCounts, noCounts } from './counts.js';
import type { Environment } from './environment.js';
import { listHolders } from './holders.js';
import { HostRows } from './host-rows.js';
import type { HostState } from './host-state.js';
import { DEAD, HostTable } from './host-table.js';
import { Inbox } from './inbox.js';
import { SeenFingerprints } from './seen-fingerprints.js';

const COUNTS = Buffer.from('counts');
/** Entries that one transaction folds beside as many as it adds. */
const FOLDED_AT_ONCE = 2_048;

/** Of one client. */
export class CrawlView {
  /** As of the transaction that runs, or the last one. */
  counts: Counts = noCounts();
  /** This client's number among the holders. */
  holder = DEAD;
  readonly tables: Environment;
  readonly hosts: HostTable;
  readonly rows: HostRows;
  readonly inbox: Inbox;
  readonly seen: SeenFingerprints;
  /** Generation that what is in memory belongs to. */
  #generation = -1;
  #holders: number[] | null = null;
  #isChanged = false;
  /** Entries this transaction has added to the log. */
  #added = 0;

  /** @param seenBudgetBytes - Bytes of fingerprints in memory. */
  constructor(tables: Environment, seenBudgetBytes: number) {
    this.tables = tables;
    this.inbox = new Inbox(tables);
    this.hosts = new HostTable(tables, this.inbox);
    this.rows = new HostRows(tables);
    this.seen = new SeenFingerprints(tables, seenBudgetBytes);
  }

  /** Outside of a transaction: reads what is known, so that the first transaction need not take long over it. */
  preload(): void {
    const counts = this.freshCounts();
    this.seen.catchUp(counts, false);
    this.inbox.catchUp(counts);
  }

  /** The start of a transaction: what other processes have done meanwhile comes first (A1). */
  begin(): void {
    this.#isChanged = false;
    this.#added = 0;
    if (!this.#readCounts()) return;
    this.hosts.clear();
    this.inbox.unsettleAll();
    this.#holders = null;
    const { tableFrom } = this.counts;
    this.seen.catchUp(this.counts, true);
    this.inbox.catchUp(this.counts);
    this.#isChanged = this.counts.tableFrom !== tableFrom;
  }

  /** The end of a transaction. Answers whether there is anything to keep. */
  end(now: number): boolean {
    if (this.#added > 0) this.#foldSome(now);
    const isAnyHostChanged = this.hosts.flush();
    if (!isAnyHostChanged && !this.#isChanged) return false;
    this.seen.flush(this.counts);
    this.inbox.flush(this.counts);
    this.inbox.removeIfFolded(this.counts);
    this.counts.generation += 1;
    this.counts.latestMs = now;
    this.#generation = this.counts.generation;
    this.tables.meta.putSync(COUNTS, encodeCounts(this.counts));
    return true;
  }

  /** To be called when a verb wrote beside the queues. */
  changed(): void {
    this.#isChanged = true;
  }

  /** The counts as of now, outside of a transaction. */
  freshCounts(): Counts {
    const bytes = this.tables.meta.getBinary(COUNTS);
    return bytes === undefined ? noCounts() : decodeCounts(bytes);
  }

  /** Outside of a transaction: what is in memory is of now, or forgotten. */
  freshen(): Counts {
    const counts = this.freshCounts();
    if (counts.generation !== this.#generation) {
      this.hosts.clear();
      this.#holders = null;
      this.inbox.catchUp(counts);
    }
    return counts;
  }

  /** The numbers under which leases may stand. */
  holders(): readonly number[] {
    this.#holders ??= [DEAD, ...listHolders(this.tables.meta).map(({ number }) => number)];
    return this.#holders;
  }

  /** To be called when a client was added or removed. */
  holdersChanged(): void {
    this.#holders = null;
    this.#isChanged = true;
  }

  /** The host of that key, made where there is none, in memory alone until it is folded or kept. `isBrief`: for an entry that is added. */
  hostOf(key: HostKey, isBrief = false): HostState {
    const present = isBrief ? this.hosts.findBriefly(key) : this.hosts.find(key);
    if (present !== undefined) return present;
    this.counts.hosts += 1;
    return this.hosts.create(key, this.counts.hosts, isBrief);
  }

  /** Appends an entry to the log; `dueAt` is where it puts its host in the time index, `null`: where that is. */
  log(host: HostState, entry: NewEntry, readyAt: number, dueAt: number | null): void {
    const { lane = null, priority, body } = entry;
    const key = host.isKept || this.inbox.keyOf(host.number) !== null ? null : host.key;
    this.inbox.add({ host: host.number, key, lane, priority, readyAt, dueAt, body }, host.key, this.counts);
    this.#added += 1;
    if (dueAt !== null) this.hosts.setDueByLog(host, dueAt);
    if (readyAt === 0) this.inbox.settle(host.number, host.key);
  }

  /** Appends an entry that is ready at once, without looking at its host, where the log says enough of it; `false`: nothing was done. */
  logSettled({ host, lane, priority, body }: NewEntry): boolean {
    if (!this.inbox.addSettled(host, lane ?? null, priority, body, this.counts)) return false;
    this.#added += 1;
    return true;
  }

  /** What the log has of a host goes into its rows: to be called before anything but an add happens to it. */
  fold(host: HostState, now: number): void {
    this.inbox.unsettle(host.number);
    this.#fold(host, now);
  }

  #fold(host: HostState, now: number): void {
    const places = this.inbox.placesOf(host.number, host.foldedTo);
    if (places.length === 0) return;
    this.hosts.keep(host);
    for (const place of places) {
      const { lane, priority, body, readyAt } = this.inbox.read(place, host.key);
      this.rows.add(host, lane, priority, body, readyAt, now);
    }
    host.foldedTo = this.inbox.end(this.counts);
    this.inbox.folded(host.number);
    this.hosts.changed(host);
  }

  /** A part of a folding, where one is due. */
  #foldSome(now: number): void {
    for (let left = FOLDED_AT_ONCE + this.#added; left > 0; ) {
      const next = this.inbox.nextToFold(this.counts);
      if (next === null) return;
      // The transaction ends here: those that nobody else asks for need not be remembered.
      const host = this.hosts.passing(next.host);
      this.#fold(host, now);
      // Many hosts in a row: what is known of their rows would be more than it saves.
      host.known = null;
      left -= next.records;
    }
  }

  /** Answers whether another process has written. */
  #readCounts(): boolean {
    const bytes = this.tables.meta.getBinary(COUNTS);
    if (bytes === undefined || bytes.readDoubleBE(0) === this.#generation) return false;
    this.counts = decodeCounts(bytes);
    this.#generation = this.counts.generation;
    return true;
  }
}
