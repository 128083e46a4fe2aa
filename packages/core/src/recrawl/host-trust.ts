// How far a host is trusted, as one small record of each kind in the store: read once, kept in memory while in use,
// written when it changes.
//
// Dates: how often sitemaps and feeds were right about changes. What counts is how much more often pages change that
// they report than others, so that random dates weigh nothing (docs/decisions/0039-sitemaps-before-the-choice.md).
//
// Validators: a site may send one ETag for different documents, a new one each time, or the time of delivery as
// Last-Modified. Now and then a known page is requested without conditions, and the response is compared with what the
// validators said (recrawl 7).

import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { decodeIfJson, type RecordStore, writeJson } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import type { Lastmod, Lastmods } from './lastmod.js';
import {
  DAY_MS,
  MAX_DELIVERY_DATE_MS,
  MAX_HOST_RECORDS,
  MAX_SHAPE,
  MAX_VISITS_BETWEEN_PROBES,
  MIN_COMPARED_COVERAGE,
  MIN_TRUSTED_LASTMOD,
  MIN_VISITS_FOR_VERDICT,
  UNTRUSTED_MS,
} from './limits.js';
import type { PageVisit } from './page-visit.js';

/**
 * The records of one kind: numbers by their names. Promises reject with what the store throws.
 * @param initial - For an unknown host, and for numbers that a record lacks; one with another value is ignored.
 */
function createHostRecords<T extends Readonly<Record<keyof T, number>>>(
  store: RecordStore,
  prefix: string,
  initial: T,
) {
  const hosts = new Map<string, T>();
  /** Hosts whose records are written by `close`. */
  const unwritten = new Map<string, true>();
  const names = Object.keys(initial) as (keyof T)[];
  const of = async (host: string): Promise<T> => {
    if (!hosts.has(host)) {
      const stored = { ...initial, ...decodeIfJson<T>(await store.readRecord(prefix + host)) };
      const isValid = names.every((name) => Number.isFinite(stored[name]));
      if (!hosts.has(host)) keepLatest(hosts, host, isValid ? stored : initial, MAX_HOST_RECORDS);
    }
    return hosts.get(host) ?? initial;
  };
  /** @param next - The next record from the last one. Nothing happens in between, so that each update counts once. */
  const update = async (host: string, next: (known: T) => T): Promise<void> => {
    await of(host);
    const before = hosts.get(host) ?? initial;
    const after = next(before);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    keepLatest(hosts, host, after, MAX_HOST_RECORDS);
    await writeJson(store, prefix + host, after);
  };
  /** Changes a record in memory. It is not worth a write before `close`. */
  const note = (host: string, next: T): void => {
    keepLatest(hosts, host, next, MAX_HOST_RECORDS);
    keepLatest(unwritten, host, true, MAX_HOST_RECORDS);
  };
  const close = async (): Promise<void> => {
    for (const host of unwritten.keys()) await writeJson(store, prefix + host, await of(host));
  };
  return { of, update, note, close };
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
type LastmodRecord = Readonly<typeof NO_CLAIMS>;

/**
 * How much the claims of a host are trusted, each kind separately, and their combined weight, 0 to 1: the means of two
 * beta distributions, and their sum less 1. Initially as if three of four had been true: one half.
 */
export function trustOf(claims: LastmodRecord) {
  const changed = (claims.changedTrue + 3) / (claims.changed + 4);
  const unchanged = (claims.unchangedTrue + 3) / (claims.unchanged + 4);
  return { changed, unchanged, weight: Math.max(0, changed + unchanged - 1) };
}

/** The record after visiting a page with a claim. Older observations fade, as for pages. */
export function afterClaim(known: LastmodRecord, kind: Claim['kind'], hasChanged: boolean): LastmodRecord {
  const factor = known[kind] >= MAX_SHAPE ? 0.5 : 1;
  const isTrue = hasChanged === (kind === 'changed') ? 1 : 0;
  return { ...known, [kind]: factor * known[kind] + 1, [`${kind}True`]: factor * known[`${kind}True`] + isTrue };
}

export type LastmodTrust = ReturnType<typeof createLastmodTrust>;

/** The trust in dates. Promises reject with what the store throws. */
export function createLastmodTrust(store: RecordStore) {
  const records = createHostRecords(store, 'lastmod/', NO_CLAIMS);
  const of = async (host: string) => trustOf(await records.of(host));
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
  return changedAtMs <= atMs ? (atMs - changedAtMs) / DAY_MS : undefined;
}

/** What is known about the validators of one host. Kept in the store. */
interface HostValidators {
  /**
   * No conditional request before this time, since its ETag stayed the same when the page changed. Epoch milliseconds.
   */
  readonly untrustedUntilMs: number;
  /** Consecutive visits with a new ETag but the same content. */
  readonly restless: number;
  /** Consecutive visits whose Last-Modified was the time of delivery. */
  readonly deliveryDates: number;
  /** Conditional visits since the last one that was made without conditions. */
  readonly visits: number;
}

export function createValidatorRecords(store: RecordStore) {
  const trusted: HostValidators = { untrustedUntilMs: 0, restless: 0, deliveryDates: 0, visits: 0 };
  return createHostRecords(store, 'validators/', trusted);
}

export interface ComparedVisit {
  readonly headers: HeaderLines;
  /** Whether conditions were left out to check the validators. */
  readonly isProbe: boolean;
  readonly hasChanged: boolean;
  readonly atMs: number;
}

type ValidatorListener = (
  code: 'validator-lies' | 'validator-restless',
  url: string,
  detail: string,
  atMs: number,
) => void;

export type ValidatorTrust = ReturnType<typeof createValidatorTrust>;

/**
 * The validators of the hosts of one run. Promises reject with what the store throws.
 * @param verify - The share of visits without conditions, 0 to 1.
 */
export function createValidatorTrust(store: RecordStore, verify: number, warn: ValidatorListener) {
  const records = createValidatorRecords(store);
  /** One in this many conditional visits of a host is made without conditions; 0: none is. */
  const probeInterval = verify === 0 ? 0 : Math.min(MAX_VISITS_BETWEEN_PROBES, Math.round(1 / verify));
  return {
    /** The possible conditions that may be sent. `isProbe`: none are sent, so that the answer can be compared. */
    async selectConditions(url: string, conditions: Record<string, string>, nowMs: number) {
      const { host } = new URL(url);
      if (Object.keys(conditions).length === 0) return { conditions, isProbe: false };
      const known = await records.of(host);
      const usable = usableConditions(conditions, known, nowMs);
      if (Object.keys(usable).length === 0) return { conditions: usable, isProbe: false };
      const visits = known.visits + 1;
      const isProbe = probeInterval > 0 && visits >= probeInterval;
      records.note(host, { ...known, visits: isProbe ? 0 : visits });
      return { conditions: isProbe ? {} : usable, isProbe };
    },
    addComparison({ url, etag: earlier }: PageVisit, visit: ComparedVisit): Promise<void> {
      const { headers, isProbe, hasChanged, atMs } = visit;
      const etag = headerValue(headers, 'etag');
      const isSameTag = etag !== null && etag === earlier;
      return records.update(new URL(url).host, (known) => {
        let { untrustedUntilMs, restless } = known;
        if (isProbe && hasChanged && isSameTag) {
          untrustedUntilMs = atMs + UNTRUSTED_MS;
          warn('validator-lies', url, `the ETag is ${etag} as before, and the content is another`, atMs);
        }
        if (earlier !== null && etag !== null && !hasChanged) {
          restless = isSameTag ? 0 : Math.min(MIN_VISITS_FOR_VERDICT, restless + 1);
          const detail = `the ETag is new at each of ${MIN_VISITS_FOR_VERDICT} visits of pages that are as they were`;
          if (restless === MIN_VISITS_FOR_VERDICT && known.restless < MIN_VISITS_FOR_VERDICT)
            warn('validator-restless', url, detail, atMs);
        }
        return {
          ...known,
          untrustedUntilMs,
          restless,
          deliveryDates: deliveryDatesAfter(known.deliveryDates, headers),
        };
      });
    },
    /** Keeps the counts for the next run. */
    close: records.close,
    /** The age of a change since the last visit, by an honest Last-Modified; `undefined`: unknown. */
    async changeAgeDays(url: string, headers: HeaderLines, sinceDays: number): Promise<number | undefined> {
      const { deliveryDates } = await records.of(new URL(url).host);
      const modifiedAgoMs = modifiedMsAgo(headers);
      if (!(modifiedAgoMs > MAX_DELIVERY_DATE_MS) || deliveryDates >= MIN_VISITS_FOR_VERDICT) return undefined;
      return modifiedAgoMs / DAY_MS < sinceDays ? modifiedAgoMs / DAY_MS : undefined;
    },
  };
}

/** The conditions that are meaningful at this host. */
export function usableConditions(
  conditions: Readonly<Record<string, string>>,
  { untrustedUntilMs, restless, deliveryDates }: HostValidators,
  nowMs: number,
): Record<string, string> {
  if (nowMs < untrustedUntilMs) return {};
  const uselessVisits: Readonly<Record<string, number>> = {
    'if-none-match': restless,
    'if-modified-since': deliveryDates,
  };
  return Object.fromEntries(
    Object.entries(conditions).filter(([name]) => (uselessVisits[name] ?? 0) < MIN_VISITS_FOR_VERDICT),
  );
}

/** Milliseconds from Last-Modified to Date; not a number if one of them is missing. */
function modifiedMsAgo(headers: HeaderLines): number {
  const [modifiedMs, dateMs] = ['last-modified', 'date'].map((name) => Date.parse(headerValue(headers, name) ?? ''));
  return (dateMs as number) - (modifiedMs as number);
}

function deliveryDatesAfter(before: number, headers: HeaderLines): number {
  const modifiedAgoMs = modifiedMsAgo(headers);
  if (Number.isNaN(modifiedAgoMs)) return before;
  return Math.abs(modifiedAgoMs) <= MAX_DELIVERY_DATE_MS ? Math.min(MIN_VISITS_FOR_VERDICT, before + 1) : 0;
}
