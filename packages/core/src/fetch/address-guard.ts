// Whether a URL's address may be reached at all. The guard judges the scheme, every address of the name and the port,
// and returns the one address to connect to, so that the name is not looked up again between judging and connecting. It
// fails closed: what it cannot read, it refuses.

import { type AddressAnswer, createAddressBook, type Resolve } from './address-book.js';
import { type AddressVerdict, createAddressJudge } from './address-ranges.js';
import { MAX_DNS_ADDRESSES } from './limits.js';

/** What the guard says of a URL. */
export type GuardAnswer =
  | { readonly kind: 'go'; readonly address: string; readonly family: 4 | 6 }
  | {
      readonly kind: 'refused';
      readonly failure: 'address-forbidden' | 'port-forbidden' | 'scheme-unsupported' | 'dns';
      /** For people. */
      readonly detail: string;
    };

/** Judges URLs. */
export interface AddressGuard {
  /** Never rejects. */
  judge(url: URL): Promise<GuardAnswer>;
}

/** What a guard is made of. */
export interface AddressGuardOptions {
  /** CIDR ranges opened although they are not public, on every port. */
  readonly allowAddresses: readonly string[];
  /** Ports reached besides 80 and 443. */
  readonly ports: readonly number[] | 'any';
  /** Names to addresses; `null`: the system's resolver. */
  readonly resolve: Resolve | null;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Makes a guard.
 *
 * By default public unicast addresses only, on ports 80 and 443. A name is refused when *any* of its addresses is
 * forbidden: an honest name has no reason to mix them. Among permitted addresses the first IPv4 one is taken, as the
 * family that works everywhere, else the first.
 *
 * @throws MannerlyError `option-invalid` for a range that is none.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const judgeAddress = createAddressJudge(options.allowAddresses);
  const book = createAddressBook(options.resolve, options.nowMs);
  const ports = options.ports === 'any' ? null : new Set([80, 443, ...options.ports]);
  /** Verdicts about the answers of the book: an answer is judged once, and forgotten with it. */
  const judged = new WeakMap<AddressAnswer, NameVerdict>();

  const judgeName = async (hostname: string): Promise<NameVerdict> => {
    const answer = await book.addressesOf(hostname);
    const known = judged.get(answer);
    if (known !== undefined) return known;
    const verdict = judgeAnswer(hostname, answer, judgeAddress);
    judged.set(answer, verdict);
    return verdict;
  };

  return {
    async judge(url) {
      const schemePort = url.protocol === 'http:' ? 80 : url.protocol === 'https:' ? 443 : null;
      if (schemePort === null)
        return refused('scheme-unsupported', `only http and https are fetched, not ${url.protocol}`);
      const port = url.port === '' ? schemePort : Number(url.port);
      const isUsualPort = ports === null || ports.has(port);
      if (!isUsualPort && options.allowAddresses.length === 0) return refusedPort(port);
      const literal = literalAddress(url.hostname);
      const verdict =
        literal === null ? await judgeName(url.hostname) : judgeAnswer(literal, listOf(literal), judgeAddress);
      if (verdict.kind === 'refused') return verdict;
      return isUsualPort || verdict.isOpened ? verdict.go : refusedPort(port);
    },
  };
}

type Refusal = Extract<GuardAnswer, { kind: 'refused' }>;
type NameVerdict = Refusal | { readonly kind: 'go'; readonly go: GuardAnswer; readonly isOpened: boolean };

function judgeAnswer(
  hostname: string,
  answer: AddressAnswer,
  judgeAddress: (address: string) => AddressVerdict,
): NameVerdict {
  if (answer.kind === 'failed') return refused('dns', answer.detail);
  const { addresses } = answer;
  if (addresses.length === 0) return refused('dns', `${hostname} has no address`);
  if (addresses.length > MAX_DNS_ADDRESSES) return refused('dns', `${hostname} has ${addresses.length} addresses`);
  let taken: { readonly address: string; readonly family: 4 | 6 } | null = null;
  let isOpened = true;
  for (const address of addresses) {
    const verdict = judgeAddress(String(address));
    if (verdict.kind === 'forbidden') {
      return refused('address-forbidden', `${hostname} is ${address}: ${verdict.range}`);
    }
    isOpened &&= verdict.kind === 'opened';
    if (taken === null || (taken.family === 6 && verdict.family === 4)) taken = { address, family: verdict.family };
  }
  if (taken === null) return refused('dns', `${hostname} has no address`);
  return { kind: 'go', go: { kind: 'go', ...taken }, isOpened };
}

/** The URL parser has turned every notation of an IPv4 address into dotted decimal, and put IPv6 into brackets. */
function literalAddress(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : null;
}

function listOf(address: string): AddressAnswer {
  return { kind: 'addresses', addresses: [address] };
}

function refused(failure: Refusal['failure'], detail: string): Refusal {
  return { kind: 'refused', failure, detail };
}

function refusedPort(port: number): Refusal {
  return refused('port-forbidden', `port ${port} is not 80, 443 or one that was opened`);
}
