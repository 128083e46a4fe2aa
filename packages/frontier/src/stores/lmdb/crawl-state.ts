// What one client knows of the crawl in the file, and its transactions: what other processes have written is read
// before the first verb, and what the verbs have changed is written after the last.

import type { HostKey } from '../../store.js';
import type { Environment } from './environment.js';
import { Fingerprints } from './fingerprints.js';
import type { Host } from './host.js';
import { HostEntries } from './host-entries.js';
import { HostTable } from './host-table.js';
import { type Counts, DEAD, listHolders, readCounts, writeCounts } from './meta.js';

export class CrawlState {
  /** As of the running transaction, or the last one. */
  counts: Counts;
  /** This client's number among the holders. */
  holder = DEAD;
  /** Milliseconds. It is set in the first transaction. */
  clock: () => number = () => 0;
  readonly tables: Environment;
  readonly hosts: HostTable;
  readonly entries: HostEntries;
  readonly fingerprints: Fingerprints;
  #holders: number[] | null = null;
  #isChanged = false;

  /** Reads the fingerprints, up to a budget of memory, so that the first transaction is short. */
  constructor(tables: Environment, seenBudgetBytes: number) {
    this.tables = tables;
    this.hosts = new HostTable(tables);
    this.entries = new HostEntries(tables);
    this.fingerprints = new Fingerprints(tables, seenBudgetBytes);
    this.counts = readCounts(tables.meta);
    this.fingerprints.catchUp(this.counts, false);
    // The first transaction looks again.
    this.counts.generation = -1;
  }

  /** The store's clock, milliseconds. One that was set back stands still until it has caught up. */
  now(): number {
    return Math.max(this.counts.latestMs, this.clock());
  }

  /** One transaction. It is undone when a verb throws. */
  transact(verbs: () => void): void {
    this.tables.write(() => {
      this.#begin();
      verbs();
      return this.#end();
    });
  }

  /** To be called when a verb wrote something else than hosts. */
  changed(): void {
    this.#isChanged = true;
  }

  /** The counts as of now, outside of a transaction; hosts in memory are of now, or forgotten. */
  freshCounts(): Counts {
    const counts = readCounts(this.tables.meta);
    if (counts.generation !== this.counts.generation) {
      this.hosts.clear();
      this.#holders = null;
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

  /** The host of that key, made where there is none. */
  hostOf(key: HostKey): Host {
    const present = this.hosts.find(key);
    if (present !== undefined) return present;
    this.counts.hosts += 1;
    return this.hosts.create(key, this.counts.hosts);
  }

  /** First what other processes have written meanwhile (A1). */
  #begin(): void {
    this.#isChanged = false;
    const counts = this.freshCounts();
    if (counts.generation === this.counts.generation) return;
    this.counts = counts;
    const { tableFrom } = counts;
    this.fingerprints.catchUp(counts, true);
    this.#isChanged = counts.tableFrom !== tableFrom;
  }

  /** @returns Whether there is anything to commit. */
  #end(): boolean {
    const isAnyHostChanged = this.hosts.flush();
    if (!isAnyHostChanged && !this.#isChanged) return false;
    this.fingerprints.flush(this.counts);
    this.counts.generation += 1;
    this.counts.latestMs = this.now();
    writeCounts(this.tables.meta, this.counts);
    return true;
  }
}
