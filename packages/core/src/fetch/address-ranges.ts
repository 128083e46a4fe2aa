// Which addresses are public, and the ranges of an operator: those that are opened (`network.allowAddresses`), and
// those that requests leave from (`identity.egress`).

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalidOption, MannerlyError } from '../errors.js';
import { MAX_EGRESS_RANGES } from './limits.js';

/** `allowed`: on every port, since it lies in a range that was opened. `range`: `loopback`, `private`, … */
export type AddressVerdict =
  | { readonly kind: 'allowed' | 'public'; readonly family: 4 | 6 }
  | { readonly kind: 'forbidden'; readonly range: string };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = readonly [network: Address, prefix: number];

/** Public by registration, but a cloud machine reaches its own provider there: the host agent of Azure. */
const METADATA: Range = ipaddr.parseCIDR('168.63.129.16/32');
/** All global unicast addresses assigned so far; the rest is special or unassigned (IANA IPv6 address space). */
const GLOBAL_UNICAST: Range = ipaddr.parseCIDR('2000::/3');
/** Ranges that no one in particular owns. */
const NON_PUBLIC_RANGES = new Set([
  'unspecified',
  'broadcast',
  'multicast',
  'linkLocal',
  'loopback',
  'private',
  'uniqueLocal',
  'carrierGradeNat',
  'ipv4Mapped',
]);

/** An address or a range such as "127.0.0.0/8". @throws MannerlyError `option-invalid` */
export function parseRange(text: string): Range {
  const range = rangeOf(String(text));
  if (range !== null) return range;
  throw new MannerlyError(
    'option-invalid',
    `expected \`network.allowAddresses\` to hold addresses and ranges such as "127.0.0.0/8", got ${JSON.stringify(text)}`,
    { hint: 'For example "192.0.2.7", "192.0.2.0/24", "2001:db8::7" or "2001:db8::/32".' },
  );
}

/** A single address is a range of one. `null`: neither, or in an ambiguous notation. */
function rangeOf(text: string): Range | null {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  const range = bits === undefined ? `${address}/${family === 4 ? 32 : 128}` : text;
  // An octal or a typing error: "/0008" could be meant as "/8" or as "/0".
  const isPlain = !address.includes('%') && !/^0\d/.test(bits ?? '');
  return family !== 0 && isPlain && ipaddr.isValidCIDR(range) ? ipaddr.parseCIDR(range) : null;
}

/** Forms with another address inside (mapped, tunnelled) are not public; in an allowed range, both are checked. */
export function assessAddress(text: string, allowedRanges: readonly Range[]): AddressVerdict {
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

/** @throws MannerlyError `option-invalid`: too many ranges, invalid ones, ones with host bits, or not public */
export function checkEgressRanges(ranges: readonly string[]): readonly string[] {
  const count = ranges.length;
  if (count > MAX_EGRESS_RANGES) throw invalidOption('identity.egress', `at most ${MAX_EGRESS_RANGES} ranges`, count);
  ranges.forEach((range, index) => {
    const fault = faultOf(range);
    if (fault !== null) throw invalidOption(`identity.egress[${index}]`, fault, range);
  });
  return ranges;
}

/**
 * Whether sites would look for an address of this machine in the list and not find it. An address that is not public is
 * translated on the way, and to which one is unknown here.
 * @param ranges - As `checkEgressRanges` returns them.
 */
export function isUnlisted(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const own = ipaddr.process(address);
  if (NON_PUBLIC_RANGES.has(own.range())) return false;
  return !ranges.some((range) => contains(ipaddr.parseCIDR(range), own));
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

function faultOf(text: string): string | null {
  const range = text.includes('/') ? rangeOf(text) : null;
  if (range === null) return 'a range such as "192.0.2.0/28"';
  const [address, bits] = range;
  if (NON_PUBLIC_RANGES.has(address.range())) return 'a range of public addresses';
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = family.networkAddressFromCIDR(text).toString();
  return network === address.toString() ? null : `a range without host bits, such as "${network}/${bits}"`;
}
