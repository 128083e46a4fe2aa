// Whether what sitemaps and feeds say of changes is true, host by host: two counters of what they said and what was
// found, as beta distributions that begin at one half (recrawl 8.3).

import { HostRecords, type RecordStore } from './host-records.js';
import type { Lastmod, Lastmods } from './lastmod.js';
import { MAX_SHAPE, TRUSTED_LASTMOD } from './limits.js';

/** What is said of a page since its last visit, and how far that has proved true: 0 to 1. */
export interface Claim {
  readonly says: 'changed' | 'unchanged';
  readonly trust: number;
  /** When it changed last, by what is said. */
  readonly lastmod: Lastmod;
}

/** How far each kind of claim of a host has proved true, and how often it was looked at. */
export interface LastmodRecord {
  readonly changed: number;
  readonly changedTrue: number;
  readonly unchanged: number;
  readonly unchangedTrue: number;
}

const UNKNOWN: LastmodRecord = { changed: 0, changedTrue: 0, unchanged: 0, unchangedTrue: 0 };

/** Dates, and their trust. Promises reject with what the store throws. */
export class LastmodTrust {
  readonly #records: HostRecords<LastmodRecord>;

  constructor(store: RecordStore) {
    this.#records = new HostRecords(store, 'lastmod/', UNKNOWN);
  }

  /** What is said of a page that was visited at a time; `null`: nothing, or it may mean both. */
  async claim(url: string, lastmods: Lastmods, visitedAtMs: number): Promise<Claim | null> {
    const lastmod = lastmods.of(url);
    if (lastmod === null) return null;
    const says = lastmod.fromMs > visitedAtMs ? 'changed' : lastmod.toMs <= visitedAtMs ? 'unchanged' : null;
    return says === null ? null : { says, trust: (await this.of(new URL(url).host))[says], lastmod };
  }

  /** How far the claims of a host are trusted. */
  async of(host: string): Promise<Record<Claim['says'], number>> {
    await this.#records.load(host);
    const { changed, changedTrue, unchanged, unchangedTrue } = this.#records.of(host);
    return {
      changed: (changedTrue + 1) / (changed + 2),
      unchanged: (unchangedTrue + 1) / (unchanged + 2),
    };
  }

  /** A page was visited of which something was said. */
  async compared(url: string, { says }: Claim, hasChanged: boolean): Promise<void> {
    const { host } = new URL(url);
    await this.#records.load(host);
    const known = this.#records.of(host);
    const isTrue = hasChanged === (says === 'changed');
    // Old habits are forgotten, as those of pages are.
    const factor = known[says] >= MAX_SHAPE ? 0.5 : 1;
    await this.#records.write(host, {
      ...known,
      [says]: factor * known[says] + 1,
      [`${says}True`]: factor * known[`${says}True`] + (isTrue ? 1 : 0),
    });
  }
}

/** Days between a change and the visit that saw it, where a trusted claim dates it; `undefined`: none does. */
export function datedDays(claim: Claim | null, visitedAtMs: number, atMs: number): number | undefined {
  if (claim === null || claim.says === 'unchanged' || claim.trust < TRUSTED_LASTMOD) return undefined;
  const { fromMs, toMs } = claim.lastmod;
  const changedAtMs = (Math.max(fromMs, visitedAtMs) + Math.min(toMs, atMs)) / 2;
  return changedAtMs <= atMs ? (atMs - changedAtMs) / 86_400_000 : undefined;
}
