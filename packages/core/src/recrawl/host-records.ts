// What is known about each host, as one small record in the store: read once, kept in memory while in use, written when
// it changes. One of them tells how often sitemaps and feeds were right about changes. What counts is how much more
// often pages change that they report than others, so that random dates weigh nothing
// (docs/decisions/0039-sitemaps-before-the-choice.md).

import { decodeIfJson, type RecordStore, writeJson } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import type { Lastmod, Lastmods } from './lastmod.js';
import { MAX_HOST_RECORDS, MAX_SHAPE, MIN_COMPARED_COVERAGE, MIN_TRUSTED_LASTMOD } from './limits.js';

/**
 * The records of one kind: numbers by their names. Promises reject with what the store throws.
 *
 * @param initial - For an unknown host; a record that lacks one of its numbers is ignored.
 */
export function createHostRecords<T extends Readonly<Record<keyof T, number>>>(
  store: RecordStore,
  prefix: string,
  initial: T,
) {
  const hosts = new Map<string, T>();
  const names = Object.keys(initial) as (keyof T)[];
  const of = async (host: string): Promise<T> => {
    if (!hosts.has(host)) {
      const stored = decodeIfJson<T>(await store.readRecord(prefix + host));
      const isComplete = stored !== null && names.every((name) => Number.isFinite(stored[name]));
      if (!hosts.has(host)) keepLatest(hosts, host, isComplete ? stored : initial, MAX_HOST_RECORDS);
    }
    return hosts.get(host) ?? initial;
  };
  return {
    of,
    /**
     * @param updateRecord - Returns the next record from the last one. Runs without waiting in between, so that each
     * update counts once.
     */
    async update(host: string, updateRecord: (known: T) => T): Promise<void> {
      await of(host);
      const known = hosts.get(host) ?? initial;
      const next = updateRecord(known);
      if (JSON.stringify(known) === JSON.stringify(next)) return;
      keepLatest(hosts, host, next, MAX_HOST_RECORDS);
      await writeJson(store, prefix + host, next);
    },
  };
}

/** What a sitemap or feed says about a page since its last visit. */
export interface Claim {
  readonly kind: 'changed' | 'unchanged';
  /** How often such claims have proved true for pages of its host, 0 to 1. */
  readonly trust: number;
  /** How much it counts in the value of a visit, 0 to 1. */
  readonly weight: number;
  /** The share of the time since the last visit that the claim covers. */
  readonly coverage: number;
  /** When the page changed last, by this claim. */
  readonly lastmod: Lastmod;
}

export const NO_CLAIMS = { changed: 0, changedTrue: 0, unchanged: 0, unchangedTrue: 0 };
/** How often each kind of claim of a host was checked, and how often it proved true. */
type LastmodRecord = Readonly<typeof NO_CLAIMS>;

/**
 * How much the claims of a host are trusted, each kind separately, and their combined weight, 0 to 1: the means of two
 * beta distributions, and their sum less 1. Initially as if three of four had been true: one half.
 */
export function trustOf({ changed, changedTrue, unchanged, unchangedTrue }: LastmodRecord) {
  const [ofChanged, ofUnchanged] = [(changedTrue + 3) / (changed + 4), (unchangedTrue + 3) / (unchanged + 4)];
  return { changed: ofChanged, unchanged: ofUnchanged, weight: Math.max(0, ofChanged + ofUnchanged - 1) };
}

/** The record after visiting a page with a claim. Older observations fade, as for pages. */
export function afterClaim(known: LastmodRecord, kind: Claim['kind'], hasChanged: boolean): LastmodRecord {
  const factor = known[kind] >= MAX_SHAPE ? 0.5 : 1;
  return {
    ...known,
    [kind]: factor * known[kind] + 1,
    [`${kind}True`]: factor * known[`${kind}True`] + (hasChanged === (kind === 'changed') ? 1 : 0),
  };
}

export type LastmodTrust = ReturnType<typeof createLastmodTrust>;

/** The trust in dates. Promises reject with what the store throws. */
export function createLastmodTrust(store: RecordStore) {
  const records = createHostRecords(store, 'lastmod/', NO_CLAIMS);
  const of = async (host: string): Promise<ReturnType<typeof trustOf>> => trustOf(await records.of(host));
  return {
    of,
    /** The claim about a page that was visited at a time; `null`: none, or an ambiguous one. */
    async claim(url: string, lastmods: Lastmods, visitedAtMs: number, nowMs: number): Promise<Claim | null> {
      const lastmod = lastmods.of(url);
      if (lastmod === null) return null;
      const kind = lastmod.fromMs > visitedAtMs ? 'changed' : lastmod.toMs <= visitedAtMs ? 'unchanged' : null;
      const sinceMs = Math.max(1, nowMs - visitedAtMs);
      const coverage = kind === 'changed' ? 1 : Math.min(1, (lastmod.readAtMs - visitedAtMs) / sinceMs);
      if (kind === null || coverage <= 0) return null;
      const trust = await of(new URL(url).host);
      return { kind, trust: trust[kind], weight: coverage * trust.weight, coverage, lastmod };
    },
    /** A page with a claim was visited. A claim read long before the visit proves nothing. */
    async addComparison(url: string, { kind, coverage }: Claim, hasChanged: boolean): Promise<void> {
      if (coverage < MIN_COMPARED_COVERAGE) return;
      await records.update(new URL(url).host, (known) => afterClaim(known, kind, hasChanged));
    },
  };
}

/** Days between a change and the visit that saw it, dated by a trusted claim; `undefined`: there is none. */
export function changeAgeDays(claim: Claim | null, visitedAtMs: number, atMs: number): number | undefined {
  if (claim === null || claim.kind === 'unchanged' || claim.trust < MIN_TRUSTED_LASTMOD) return undefined;
  const { fromMs, toMs } = claim.lastmod;
  const changedAtMs = (Math.max(fromMs, visitedAtMs) + Math.min(toMs, atMs)) / 2;
  return changedAtMs <= atMs ? (atMs - changedAtMs) / 86_400_000 : undefined;
}
