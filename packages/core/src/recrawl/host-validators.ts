// Whether the validators of a host are honest. A site may send one ETag for different documents, a new one each time,
// or the time of delivery as Last-Modified. Now and then a known page is requested without conditions, and the response
// is compared with what the validators said (recrawl 7).

import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import type { RecordStore } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import { createHostRecords } from './host-records.js';
import {
  DAY_MS,
  MAX_DELIVERY_DATE_MS,
  MAX_HOST_RECORDS,
  MAX_VISITS_BETWEEN_PROBES,
  MIN_VISITS_FOR_VERDICT,
  UNTRUSTED_MS,
} from './limits.js';
import type { PageVisit } from './page-visit.js';

/** What is known about the validators of one host. Kept in the store. */
export interface HostValidators {
  /**
   * No conditional request before this time, since its ETag stayed the same when the page changed. Epoch milliseconds.
   */
  readonly untrustedUntilMs: number;
  /** Consecutive visits with a new ETag but the same content. */
  readonly restless: number;
  /** Consecutive visits whose Last-Modified was the time of delivery. */
  readonly deliveryDates: number;
}

const TRUSTED_VALIDATORS: HostValidators = { untrustedUntilMs: 0, restless: 0, deliveryDates: 0 };

export function createValidatorRecords(store: RecordStore) {
  return createHostRecords(store, 'validators/', TRUSTED_VALIDATORS);
}

export interface ComparedVisit {
  readonly headers: HeaderLines;
  /** Whether conditions were left out to check the validators. */
  readonly isProbe: boolean;
  readonly hasChanged: boolean;
  readonly atMs: number;
}

type ValidatorWarning = 'validator-lies' | 'validator-restless';

type ValidatorListener = (code: ValidatorWarning, url: string, detail: string, atMs: number) => void;

export type ValidatorTrust = ReturnType<typeof createValidatorTrust>;

/**
 * The validators of the hosts of one run. Promises reject with what the store throws.
 *
 * @param verify - The share of visits without conditions, 0 to 1.
 */
export function createValidatorTrust(store: RecordStore, verify: number, warn: ValidatorListener) {
  const records = createValidatorRecords(store);
  /** One in this many conditional visits of a host is made without conditions; 0: none is. */
  const probeInterval = verify === 0 ? 0 : Math.min(MAX_VISITS_BETWEEN_PROBES, Math.round(1 / verify));
  /** Conditional visits of each host in this run. */
  const visitCounts = new Map<string, number>();
  const validatorsAfterVisit = (known: HostValidators, before: PageVisit, visit: ComparedVisit): HostValidators => {
    const { headers, isProbe, hasChanged, atMs } = visit;
    const { url } = before;
    const etag = headerValue(headers, 'etag');
    const isSameTag = etag !== null && etag === before.etag;
    let { untrustedUntilMs, restless } = known;
    if (isProbe && hasChanged && isSameTag) {
      untrustedUntilMs = atMs + UNTRUSTED_MS;
      warn('validator-lies', url, `the ETag is ${etag} as before, and the content is another`, atMs);
    }
    if (before.etag !== null && etag !== null && !hasChanged) {
      restless = isSameTag ? 0 : Math.min(MIN_VISITS_FOR_VERDICT, restless + 1);
      const detail = `the ETag is new at each of ${MIN_VISITS_FOR_VERDICT} visits of pages that are as they were`;
      if (restless === MIN_VISITS_FOR_VERDICT && known.restless < MIN_VISITS_FOR_VERDICT)
        warn('validator-restless', url, detail, atMs);
    }
    return { untrustedUntilMs, restless, deliveryDates: deliveryDatesAfter(known.deliveryDates, headers) };
  };
  return {
    /** The possible conditions that may be sent. `isProbe`: none are sent, so that the answer can be compared. */
    async selectConditions(url: string, conditions: Record<string, string>, nowMs: number) {
      const { host } = new URL(url);
      if (Object.keys(conditions).length === 0) return { conditions, isProbe: false };
      const usable = usableConditions(conditions, await records.of(host), nowMs);
      if (Object.keys(usable).length === 0) return { conditions: usable, isProbe: false };
      const visits = (visitCounts.get(host) ?? 0) + 1;
      keepLatest(visitCounts, host, visits, MAX_HOST_RECORDS);
      const isProbe = probeInterval > 0 && visits % probeInterval === 0;
      return { conditions: isProbe ? {} : usable, isProbe };
    },
    addComparison(before: PageVisit, visit: ComparedVisit): Promise<void> {
      return records.update(new URL(before.url).host, (known) => validatorsAfterVisit(known, before, visit));
    },
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
  const useless = [
    ...(restless >= MIN_VISITS_FOR_VERDICT ? ['if-none-match'] : []),
    ...(deliveryDates >= MIN_VISITS_FOR_VERDICT ? ['if-modified-since'] : []),
  ];
  return Object.fromEntries(Object.entries(conditions).filter(([name]) => !useless.includes(name)));
}

/** Milliseconds from Last-Modified to Date; not a number if one of them is missing. */
function modifiedMsAgo(headers: HeaderLines): number {
  const modifiedMs = Date.parse(headerValue(headers, 'last-modified') ?? '');
  return Date.parse(headerValue(headers, 'date') ?? '') - modifiedMs;
}

function deliveryDatesAfter(before: number, headers: HeaderLines): number {
  const modifiedAgoMs = modifiedMsAgo(headers);
  if (Number.isNaN(modifiedAgoMs)) return before;
  return Math.abs(modifiedAgoMs) <= MAX_DELIVERY_DATE_MS ? Math.min(MIN_VISITS_FOR_VERDICT, before + 1) : 0;
}
