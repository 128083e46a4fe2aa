// Resolves names to addresses: one look-up at a time for each name. Answers are kept for a bounded time and in bounded
// number.

import { lookup } from 'node:dns/promises';
import { hostKeyOf } from '@mannerly/frontier/internal';
import PQueue from 'p-queue';
import { keepLatest } from '../keep-latest.js';
import { DNS_DEADLINE_MS, DNS_FAILURE_TTL_MS, DNS_TTL_MS, MAX_DNS_NAMES, MAX_SYSTEM_LOOKUPS } from './limits.js';

/** Resolves names to addresses. An operator or a test may use it instead of the system's resolver. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type AddressAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failed'; readonly detail: string };

/**
 * The names of one crawl, with a verdict on their addresses. Never rejects, and all callers share one look-up.
 *
 * @param resolve - `null`: the system's resolver.
 * @param nowMs - Epoch milliseconds.
 * @param toVerdict - Called once for each answer. Never throws.
 */
export function createAddressBook<Verdict>(
  resolve: Resolve | null,
  nowMs: () => number,
  toVerdict: (hostname: string, answer: AddressAnswer) => Verdict,
): (hostname: string) => Promise<Verdict> {
  const lookUp = resolve ?? limitLookUps(lookUpInSystem);
  interface Entry {
    readonly verdict: Promise<Verdict>;
    /** Epoch milliseconds; infinite while the look-up is under way. */
    untilMs: number;
  }
  /** Ordered by last use. */
  const entries = new Map<string, Entry>();
  const startLookUp = (hostname: string): Entry => {
    const verdict = withDeadline(lookUp, hostname).then((answer) => {
      entry.untilMs = nowMs() + (answer.kind === 'failed' ? DNS_FAILURE_TTL_MS : DNS_TTL_MS);
      return toVerdict(hostname, answer);
    });
    const entry: Entry = { verdict, untilMs: Number.POSITIVE_INFINITY };
    return entry;
  };
  return (hostname) => {
    const cached = entries.get(hostname);
    const entry = cached === undefined || cached.untilMs <= nowMs() ? startLookUp(hostname) : cached;
    keepLatest(entries, hostname, entry, MAX_DNS_NAMES);
    return entry.verdict;
  };
}

const TIMED_OUT = Symbol('late');

/** The resolver may be the user's, so what it throws becomes an answer. */
async function withDeadline(lookUp: Resolve, hostname: string): Promise<AddressAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(resolve, DNS_DEADLINE_MS, TIMED_OUT);
  });
  try {
    const addresses = await Promise.race([timeout, (async () => lookUp(hostname))()]);
    if (addresses === TIMED_OUT) return { kind: 'failed', detail: `no answer within ${DNS_DEADLINE_MS} ms` };
    if (!Array.isArray(addresses)) return { kind: 'failed', detail: 'the resolver gave no list of addresses' };
    return { kind: 'addresses', addresses };
  } catch (error) {
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function lookUpInSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/**
 * Bounds the look-ups of another resolver: a few at once, and one at a time for names of one registrable domain.
 *
 * The system's resolver uses the few threads that also serve files and decompression. A name server that does not
 * answer occupies one of them for many seconds, and its operator can make up any number of host names. Never throws.
 */
export function limitLookUps(lookUp: Resolve): Resolve {
  const queue = new PQueue({ concurrency: MAX_SYSTEM_LOOKUPS });
  /** The last look-up of each domain, until it is over. */
  const lastByDomain = new Map<string, Promise<unknown>>();
  return async (hostname) => {
    // A name without a registrable domain is its own domain.
    const domain = hostKeyOf(`http://${hostname}/`, 'domain') ?? hostname;
    const deadlineAt = performance.now() + DNS_DEADLINE_MS;
    const previous = lastByDomain.get(domain);
    const answer = (async () => {
      await previous;
      return queue.add(() => {
        // Its caller has given up.
        if (performance.now() >= deadlineAt) throw new Error(`the names of ${domain} take too long to look up`);
        return lookUp(hostname);
      });
    })();
    const ended = answer.then(
      () => undefined,
      () => undefined,
    );
    lastByDomain.set(domain, ended);
    try {
      return await answer;
    } finally {
      if (lastByDomain.get(domain) === ended) lastByDomain.delete(domain);
    }
  };
}
