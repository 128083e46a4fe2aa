// Names to addresses: one look-up at a time for each name, kept for a bounded time and in bounded number. It judges
// nothing.

import { lookup } from 'node:dns/promises';
import { hostKeyOf } from '@mannerly/frontier/internal';
import { parseUrl } from '../parse-url.js';
import { DNS_DEADLINE_MS, DNS_FAILURE_TTL_MS, DNS_TTL_MS, MAX_DNS_NAMES, MAX_SYSTEM_LOOKUPS } from './limits.js';

/** Names to addresses: what an operator or a test may use instead of the system's resolver. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The result of a look-up. */
export type AddressAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failed'; readonly detail: string };

/** Looks names up. */
export interface AddressBook {
  /** Never rejects. All callers get the same promise while the look-up is under way or its answer is fresh. */
  addressesOf(hostname: string): Promise<AddressAnswer>;
}

/**
 * Makes an address book. `resolve`: `null` for the system's resolver. `nowMs` gives epoch milliseconds. Never throws.
 */
export function createAddressBook(resolve: Resolve | null, nowMs: () => number): AddressBook {
  const lookUp = resolve ?? queued(askSystem);
  /** In the order of their last use. `untilMs`: epoch milliseconds; infinite while the look-up is under way. */
  const entries = new Map<string, { readonly answer: Promise<AddressAnswer>; untilMs: number }>();
  return {
    addressesOf(hostname) {
      let entry = entries.get(hostname);
      if (entry === undefined || entry.untilMs <= nowMs()) {
        const fresh = { answer: withDeadline(lookUp, hostname), untilMs: Number.POSITIVE_INFINITY };
        fresh.answer.then(({ kind }) => {
          fresh.untilMs = nowMs() + (kind === 'failed' ? DNS_FAILURE_TTL_MS : DNS_TTL_MS);
        }, undefined);
        entry = fresh;
      }
      entries.delete(hostname);
      entries.set(hostname, entry);
      const [oldest] = entries.keys();
      if (entries.size > MAX_DNS_NAMES && oldest !== undefined) entries.delete(oldest);
      return entry.answer;
    },
  };
}

async function withDeadline(lookUp: Resolve, hostname: string): Promise<AddressAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<AddressAnswer>((resolve) => {
    timer = setTimeout(resolve, DNS_DEADLINE_MS, { kind: 'failed', detail: `no answer within ${DNS_DEADLINE_MS} ms` });
  });
  try {
    return await Promise.race([deadline, settled(lookUp, hostname)]);
  } finally {
    clearTimeout(timer);
  }
}

/** A resolver may be a user's: what it throws is an answer like any other. */
async function settled(lookUp: Resolve, hostname: string): Promise<AddressAnswer> {
  try {
    const addresses = await lookUp(hostname);
    if (!Array.isArray(addresses)) return { kind: 'failed', detail: 'the resolver gave no list of addresses' };
    return { kind: 'addresses', addresses };
  } catch (error) {
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

async function askSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

interface Waiting {
  readonly domain: string;
  /** `performance.now()` after which its caller has given up. */
  readonly untilAt: number;
  readonly start: () => void;
  readonly giveUp: () => void;
}

/**
 * Bounds the look-ups of another resolver: few at once, and one at a time for the names of one registrable domain.
 *
 * The system's resolver works in the few threads that files and decompression share. A name server that does not answer
 * occupies one of them for many seconds, and its operator can make up as many host names as they like.
 *
 * @param lookUp - May hang; its place is taken until it ends.
 * @throws Never.
 */
export function queued(lookUp: Resolve): Resolve {
  /** In order of arrival. Bounded by the requests in flight, and those given up since a place was last free. */
  let waiting: Waiting[] = [];
  const busy = new Set<string>();
  const startNext = (): void => {
    const nowAt = performance.now();
    const late = waiting.filter(({ untilAt }) => untilAt <= nowAt);
    if (late.length > 0) waiting = waiting.filter(({ untilAt }) => untilAt > nowAt);
    for (const one of late) one.giveUp();
    while (busy.size < MAX_SYSTEM_LOOKUPS) {
      const at = waiting.findIndex(({ domain }) => !busy.has(domain));
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) return;
      busy.add(next.domain);
      next.start();
    }
  };
  return (hostname) =>
    new Promise((resolve, reject) => {
      const domain = domainOf(hostname);
      const start = (): void => {
        Promise.resolve(lookUp(hostname))
          .then(resolve, reject)
          .finally(() => {
            busy.delete(domain);
            startNext();
          });
      };
      const giveUp = (): void => reject(new Error(`the names of ${domain} take too long to look up`));
      waiting.push({ domain, untilAt: performance.now() + DNS_DEADLINE_MS, start, giveUp });
      startNext();
    });
}

/** A name that has no registrable domain stands for itself. */
function domainOf(hostname: string): string {
  const url = parseUrl(`http://${hostname}/`);
  return url === null ? hostname : (hostKeyOf(url.href, 'domain') ?? hostname);
}
