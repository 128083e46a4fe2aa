// Links that a server confirmed lately. A server that comes back as another one (after a restart, a fail-over, from a
// copy) may have forgotten its last seconds. Then those links are added again.

import type { AddOutcome, NewEntry } from '../../store.js';
import type { ServerNotice } from './server-store.js';

/** Milliseconds for which a confirmed link is kept: the longest time that a server may forget without loss. */
export const CONFIRMED_MS = 10_000;
/** Links that are kept at most, of all shards together. */
const CONFIRMED_MOST = 32_768;

/** The links of one client to one server. Times are milliseconds of a clock that never steps. */
export class ConfirmedLinks {
  /** How often another server answered than before. */
  rollbacks = 0;
  /** When the server was first seen, as it says. Another value: another server. `null`: it has not answered yet. */
  since: string | null = null;
  readonly #most: number;
  #links: { readonly entry: NewEntry; readonly atMs: number }[] = [];
  /** Links in front of it are too old. */
  #first = 0;

  /** @param shards - Shards of the crawl; each may have an equal share of the links. */
  constructor(shards: number) {
    this.#most = Math.ceil(CONFIRMED_MOST / shards);
  }

  /** Notes which server answered. @returns What to add again, if it is another one than before; else `null`. */
  answered(since: string): readonly NewEntry[] | null {
    if (this.since === since) return null;
    const isFirst = this.since === null;
    const kept = this.#links.slice(this.#first);
    this.since = since;
    this.#links = [];
    this.#first = 0;
    if (isFirst) return null;
    this.rollbacks += 1;
    return kept.map(({ entry }) => entry);
  }

  /** Keeps those that were queued. What is queued although it is known would be there twice, and is left out. */
  note(entries: readonly NewEntry[], outcomes: readonly AddOutcome[], nowMs: number): void {
    const links = this.#links;
    for (const [at, entry] of entries.entries()) {
      if (outcomes[at] === 'new' && entry.dedupe !== false) links.push({ entry, atMs: nowMs });
    }
    const isOld = (at: number) => links[at]!.atMs <= nowMs - CONFIRMED_MS || links.length - at > this.#most;
    while (this.#first < links.length && isOld(this.#first)) this.#first += 1;
    // A cut moves what is left, so it is made for many at once.
    if (2 * this.#first > links.length) {
      links.splice(0, this.#first);
      this.#first = 0;
    }
  }
}

/** What an operator should know of it. `again`: links that were added again; `lost`: those of them that were gone. */
export function rolledBack(server: string, again: number, lost: number): ServerNotice {
  return {
    kind: 'rolled-back',
    message:
      `another ${server} answers than before (it restarted, another one took over, or its clock was set forward): it ` +
      `may have forgotten its last seconds. ${again} links of the last ${CONFIRMED_MS / 1_000} s were added again, ${lost} of them were lost. Hosts ` +
      'wait until every lease that may be lost has ended.',
  };
}
