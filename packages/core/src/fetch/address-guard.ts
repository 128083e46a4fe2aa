// Whether a URL's address may be reached at all: public unicast addresses, and the ranges that an operator opened. The
// guard checks the scheme, the port and every address of the name, and returns the one address to connect to, so that
// the name is not looked up again in between. It fails closed: what it cannot read, it refuses.

import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { hostKeyOf } from '@mannerly/frontier/internal';
import PQueue from 'p-queue';
import { keepLatest } from '../keep-latest.js';
import { assessAddress, parseRange, type Range } from './address-ranges.js';
import { failureDetail } from './failure-code.js';
import {
  DNS_DEADLINE_MS,
  DNS_FAILURE_TTL_MS,
  DNS_TTL_MS,
  MAX_DNS_ADDRESSES,
  MAX_DNS_NAMES,
  MAX_SYSTEM_LOOKUPS,
} from './limits.js';

/** Resolves names to addresses. An operator or a test may use it instead of the system's resolver. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type GuardAnswer =
  | { readonly kind: 'go'; readonly address: string; readonly family: 4 | 6 }
  | {
      readonly kind: 'refused';
      readonly failure: 'address-forbidden' | 'port-forbidden' | 'scheme-unsupported' | 'dns';
      /** For people. */
      readonly detail: string;
    };

export interface AddressGuard {
  /** Never rejects. */
  check(url: URL): Promise<GuardAnswer>;
  /**
   * No connection to this address of the URL's name could be made: `check` prefers the others until they fail too.
   * Never rejects.
   * @returns Whether the name has another address that has not failed.
   */
  avoid(url: URL, address: string): Promise<boolean>;
}

export interface AddressGuardOptions {
  /** Addresses and CIDR ranges that are allowed on every port although they are not public. */
  readonly allowAddresses: readonly string[];
  /** Ports allowed in addition to 80 and 443. */
  readonly ports: readonly number[] | 'any';
  /** Names to addresses; `null`: the system's resolver. */
  readonly resolve: Resolve | null;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

type Refusal = Extract<GuardAnswer, { kind: 'refused' }>;
type Go = Exclude<GuardAnswer, Refusal>;
/** `isAllowed`: all of the name's addresses lie in allowed ranges. IPv4 comes first: it works nearly everywhere. */
type NameVerdict =
  | Refusal
  | { readonly kind: 'go'; readonly addresses: readonly [Go, ...Go[]]; readonly isAllowed: boolean };

interface KnownName {
  readonly verdict: Promise<NameVerdict>;
  /** Infinite while the look-up is under way. */
  untilMs: number;
  /** Addresses that could not be connected to. */
  readonly failed: Set<string>;
}

/**
 * By default it allows only public unicast addresses, on ports 80 and 443. A name is refused when *any* of its
 * addresses is forbidden: an honest name has no reason to mix them. The first IPv4 address is used; without one, or if
 * it fails, the next address. Names are looked up once for all callers, and their verdicts are kept for a bounded time
 * and in bounded number.
 * @throws MannerlyError `option-invalid` for an invalid range.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { nowMs } = options;
  const allowedRanges = options.allowAddresses.map(parseRange);
  const ports = options.ports === 'any' ? null : new Set([80, 443, ...options.ports]);
  const lookUp = options.resolve ?? limitLookUps(lookUpInSystem);
  /** Ordered by last use. */
  const names = new Map<string, KnownName>();
  const startLookUp = (hostname: string, failed: Set<string>): KnownName => {
    const verdict = lookUpInTime(lookUp, hostname).then(
      (addresses) => {
        entry.untilMs = nowMs() + DNS_TTL_MS;
        for (const address of failed) if (!addresses.includes(address)) failed.delete(address);
        return assessName(hostname, addresses, allowedRanges);
      },
      (error: unknown) => {
        entry.untilMs = nowMs() + DNS_FAILURE_TTL_MS;
        return refused('dns', failureDetail(error));
      },
    );
    const entry = { verdict, untilMs: Number.POSITIVE_INFINITY, failed };
    return entry;
  };
  const nameOf = (hostname: string): KnownName => {
    const cached = names.get(hostname);
    const isFresh = cached !== undefined && cached.untilMs > nowMs();
    const entry = isFresh ? cached : startLookUp(hostname, cached?.failed ?? new Set());
    keepLatest(names, hostname, entry, MAX_DNS_NAMES);
    return entry;
  };
  return {
    async check({ protocol, port, hostname }) {
      if (!/^https?:$/.test(protocol)) {
        return refused('scheme-unsupported', `only http and https are fetched, not ${protocol}`);
      }
      const isUsualPort = port === '' || ports === null || ports.has(Number(port));
      if (!isUsualPort && allowedRanges.length === 0) return refusedPort(port);
      // The URL parser has turned every notation of an IPv4 address into dotted decimal, and put IPv6 into brackets.
      const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : isIPv4(hostname) ? hostname : null;
      const name = literal === null ? nameOf(hostname) : null;
      const verdict = name === null ? assessName(hostname, [literal ?? ''], allowedRanges) : await name.verdict;
      if (verdict.kind === 'refused') return verdict;
      if (!isUsualPort && !verdict.isAllowed) return refusedPort(port);
      return verdict.addresses.find(({ address }) => name?.failed.has(address) !== true) ?? verdict.addresses[0];
    },

    async avoid({ hostname }, failedAddress) {
      const name = names.get(hostname);
      const verdict = await name?.verdict;
      if (name === undefined || verdict?.kind !== 'go') return false;
      name.failed.add(failedAddress);
      const hasOther = verdict.addresses.some(({ address }) => !name.failed.has(address));
      if (!hasOther) name.failed.clear();
      return hasOther;
    },
  };
}

function assessName(hostname: string, addresses: readonly string[], allowedRanges: readonly Range[]): NameVerdict {
  if (addresses.length > MAX_DNS_ADDRESSES) return refused('dns', `${hostname} has ${addresses.length} addresses`);
  const found: { 4: Go[]; 6: Go[] } = { 4: [], 6: [] };
  let isAllowed = true;
  for (const address of addresses) {
    const verdict = assessAddress(String(address), allowedRanges);
    if (verdict.kind === 'forbidden')
      return refused('address-forbidden', `${hostname} is ${address}: ${verdict.range}`);
    isAllowed &&= verdict.kind === 'allowed';
    found[verdict.family].push({ kind: 'go', address, family: verdict.family });
  }
  const [first, ...others] = [...found[4], ...found[6]];
  if (first === undefined) return refused('dns', `${hostname} has no address`);
  return { kind: 'go', addresses: [first, ...others], isAllowed };
}

function refused(failure: Refusal['failure'], detail: string): Refusal {
  return { kind: 'refused', failure, detail };
}

function refusedPort(port: string): Refusal {
  return refused('port-forbidden', `port ${port} is not 80, 443 or one that was opened`);
}

/** The resolver may be the user's. @throws What it throws; an Error if it is late, or answers with something else. */
async function lookUpInTime(lookUp: Resolve, hostname: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DNS_DEADLINE_MS} ms`)), DNS_DEADLINE_MS);
  });
  try {
    const addresses = await Promise.race([timeout, (async () => lookUp(hostname))()]);
    if (!Array.isArray(addresses)) throw new Error('the resolver gave no list of addresses');
    return addresses;
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
    const ended = answer.catch(() => undefined);
    lastByDomain.set(domain, ended);
    try {
      return await answer;
    } finally {
      if (lastByDomain.get(domain) === ended) lastByDomain.delete(domain);
    }
  };
}
