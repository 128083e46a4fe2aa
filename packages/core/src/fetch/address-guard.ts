// Whether a URL's address may be reached at all: public unicast addresses, and the ranges that an operator opened. The
// guard checks the scheme, the port and every address of the name, and returns the one address to connect to, so that
// the name is not looked up again in between. It fails closed: what it cannot read, it refuses.

import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MannerlyError } from '../errors.js';
import { type AddressAnswer, createAddressBook, type Resolve } from './address-book.js';
import { MAX_DNS_ADDRESSES } from './limits.js';

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

/**
 * Makes a guard.
 *
 * By default it allows only public unicast addresses, on ports 80 and 443. A name is refused when *any* of its
 * addresses is forbidden: an honest name has no reason to mix them. The first permitted IPv4 address is used, as the
 * family that works everywhere; without one, the first address.
 *
 * @throws MannerlyError `option-invalid` for an invalid range.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const allowedRanges = options.allowAddresses.map(parseRange);
  const toVerdict = (hostname: string, answer: AddressAnswer): NameVerdict =>
    assessAnswer(hostname, answer, allowedRanges);
  const verdictFor = createAddressBook(options.resolve, options.nowMs, toVerdict);
  const ports = options.ports === 'any' ? null : new Set([80, 443, ...options.ports]);
  return {
    async check({ protocol, port, hostname }) {
      if (!/^https?:$/.test(protocol)) {
        return refused('scheme-unsupported', `only http and https are fetched, not ${protocol}`);
      }
      const number = Number(port || (protocol === 'https:' ? 443 : 80));
      const isUsualPort = ports === null || ports.has(number);
      if (!isUsualPort && allowedRanges.length === 0) return refusedPort(number);
      // The URL parser has turned every notation of an IPv4 address into dotted decimal, and put IPv6 into brackets.
      const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : isIPv4(hostname) ? hostname : null;
      const verdict =
        literal === null ? await verdictFor(hostname) : toVerdict(literal, { kind: 'addresses', addresses: [literal] });
      if (verdict.kind === 'refused') return verdict;
      const { isAllowed, ...go } = verdict;
      return isUsualPort || isAllowed ? go : refusedPort(number);
    },
  };
}

type Refusal = Extract<GuardAnswer, { kind: 'refused' }>;
/** `isAllowed`: all of the name's addresses lie in allowed ranges. */
type NameVerdict = Refusal | (Exclude<GuardAnswer, Refusal> & { readonly isAllowed: boolean });

function assessAnswer(hostname: string, answer: AddressAnswer, allowedRanges: readonly Range[]): NameVerdict {
  if (answer.kind === 'failed') return refused('dns', answer.detail);
  const { addresses } = answer;
  if (addresses.length > MAX_DNS_ADDRESSES) return refused('dns', `${hostname} has ${addresses.length} addresses`);
  let chosen: { readonly address: string; readonly family: 4 | 6 } | null = null;
  let isAllowed = true;
  for (const address of addresses) {
    const verdict = assessAddress(String(address), allowedRanges);
    if (verdict.kind === 'forbidden')
      return refused('address-forbidden', `${hostname} is ${address}: ${verdict.range}`);
    isAllowed &&= verdict.kind === 'allowed';
    if (chosen === null || (chosen.family === 6 && verdict.family === 4)) chosen = { address, family: verdict.family };
  }
  if (chosen === null) return refused('dns', `${hostname} has no address`);
  return { kind: 'go', ...chosen, isAllowed };
}

function refused(failure: Refusal['failure'], detail: string): Refusal {
  return { kind: 'refused', failure, detail };
}

function refusedPort(port: number): Refusal {
  return refused('port-forbidden', `port ${port} is not 80, 443 or one that was opened`);
}

/** `allowed`: on every port, since it lies in a range of `allowAddresses`. `range`: `loopback`, `private`, … */
type AddressVerdict =
  | { readonly kind: 'allowed' | 'public'; readonly family: 4 | 6 }
  | { readonly kind: 'forbidden'; readonly range: string };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [network: Address, prefix: number];

/** Public by registration, but a cloud machine reaches its own provider there: the host agent of Azure. */
const METADATA: Range = ipaddr.parseCIDR('168.63.129.16/32');
/** All global unicast addresses assigned so far; the rest is special or unassigned (IANA IPv6 address space). */
const GLOBAL_UNICAST: Range = ipaddr.parseCIDR('2000::/3');

function parseRange(text: string): Range {
  const [address = '', bits] = String(text).split('/');
  const family = isIP(address);
  // A single address is a range of one.
  const range = bits === undefined ? `${address}/${family === 4 ? 32 : 128}` : String(text);
  // An octal or a typing error: "/0008" could be meant as "/8" or as "/0".
  const isPlain = !address.includes('%') && !/^0\d/.test(bits ?? '');
  if (family !== 0 && isPlain && ipaddr.isValidCIDR(range)) return ipaddr.parseCIDR(range);
  throw new MannerlyError(
    'option-invalid',
    `expected \`network.allowAddresses\` to hold addresses and ranges such as "127.0.0.0/8", got ${JSON.stringify(text)}`,
    { hint: 'For example "192.0.2.7", "192.0.2.0/24", "2001:db8::7" or "2001:db8::/32".' },
  );
}

/** Forms with another address inside (mapped, tunnelled) are not public; in an allowed range, both are checked. */
function assessAddress(text: string, allowedRanges: readonly Range[]): AddressVerdict {
  // Plain notation only: the platform would look up anything else as a name, past this guard. A zone identifier names
  // an interface of this machine.
  if (isIP(text) === 0 || text.includes('%')) return { kind: 'forbidden', range: 'not an address' };
  const address = ipaddr.parse(text);
  const family = address.kind() === 'ipv4' ? 4 : 6;
  const inner = embeddedAddress(address);
  if (allowedRanges.some((range) => contains(range, address))) {
    const within = inner === null ? null : assessAddress(inner.toString(), allowedRanges);
    return within?.kind === 'forbidden' ? within : { kind: 'allowed', family };
  }
  const range = specialRange(address);
  if (range === null) return { kind: 'public', family };
  return { kind: 'forbidden', range: inner === null ? range : `${range} (${inner.toString()})` };
}

/** `null` for public unicast. */
function specialRange(address: Address): string | null {
  if (contains(METADATA, address)) return 'metadata';
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address)) return null;
  return embeddedAddress(address) === null ? 'unassigned' : 'ipv4Compatible';
}

function contains([network, prefix]: Range, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}

/** The IPv4 address inside an IPv6 form, to which a gateway would connect; `null` if there is none. */
function embeddedAddress(address: Address): ipaddr.IPv4 | null {
  if (address instanceof ipaddr.IPv4) return null;
  const bytes = address.toByteArray();
  const at = (start: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(start, start + 4));
  switch (address.range()) {
    // ::ffff:a.b.c.d (RFC 4291 §2.5.5.2), ::ffff:0:a.b.c.d (RFC 2765) and 64:ff9b::/96 (RFC 6052): the last four bytes.
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return at(12);
    // 2002:aabb:ccdd::/48 (RFC 3056)
    case '6to4':
      return at(2);
    // The client's address, all bits inverted (RFC 4380 §4)
    case 'teredo':
      return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff));
    // ::a.b.c.d (RFC 4291 §2.5.5.1); :: and ::1 have ranges of their own.
    case 'unicast':
      return bytes.slice(0, 12).every((byte) => byte === 0) ? at(12) : null;
    default:
      return null;
  }
}
