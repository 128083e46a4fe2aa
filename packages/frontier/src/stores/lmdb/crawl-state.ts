// What one client knows of the crawl in the file, and the begin and end of its transactions: what other processes have
// written is read before the first verb, and what the verbs have changed is written after the last.

import type { HostKey } from '../../store.js';
import type { Environment } from './environment.js';
import { Fingerprints } from './fingerprints.js';
import type { Host } from './host.js';
import { HostEntries } from './host-entries.js';
import { HostTable } from './host-table.js';
import { type Counts, DEAD, listHolders, readCounts, writeCounts } from './meta.js';

/** Of one client. */
export class CrawlState {
  /** As of the running transaction, or the last one. */
  counts: Counts;
  /** This client's number among the holders. */
  holder = DEAD;
  readonly tables: Environment;
  readonly hosts: HostTable;
  readonly entries: HostEntries;
  readonly fingerprints: Fingerprints;
  #holders: number[] | null = null;
  #isChanged = false;

  /**
   * Reads what is known, so that the first transaction is short. Outside of a transaction.
   *
   * @param seenBudgetBytes - Memory for fingerprints.
   */
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

  /** The start of a transaction: first what other processes have written meanwhile (A1). */
  begin(): void {
    this.#isChanged = false;
    if (!this.#catchUp()) return;
    const { tableFrom } = this.counts;
    this.fingerprints.catchUp(this.counts, true);
    this.#isChanged = this.counts.tableFrom !== tableFrom;
  }

  /** The end of a transaction. @returns Whether there is anything to commit. */
  end(now: number): boolean {
    const isAnyHostChanged = this.hosts.flush();
    if (!isAnyHostChanged && !this.#isChanged) return false;
    this.fingerprints.flush(this.counts);
    this.counts.generation += 1;
    this.counts.latestMs = now;
    writeCounts(this.tables.meta, this.counts);
    return true;
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

  /** @returns Whether another process has written since this client's last transaction. */
  #catchUp(): boolean {
    const counts = readCounts(this.tables.meta);
    if (counts.generation === this.counts.generation) return false;
    this.counts = counts;
    this.hosts.clear();
    this.#holders = null;
    return true;
  }
}
