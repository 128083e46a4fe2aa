// Which addresses may be reached at all: public unicast ones, and the ranges that an operator opened.
// Forms that carry another address inside (mapped, translated, tunnelled) are never public in their own right; where an
// operator opens such a range, the address inside is judged as well.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MannerlyError } from '../errors.js';

/** What is said of one address. */
export type AddressVerdict =
  /** Reached on every port: it lies in a range that was opened. */
  | { readonly kind: 'opened'; readonly family: 4 | 6 }
  | { readonly kind: 'public'; readonly family: 4 | 6 }
  /** `range` names what it is: `loopback`, `private`, `linkLocal`, … */
  | { readonly kind: 'forbidden'; readonly range: string };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [network: Address, prefix: number];

/** Public by registration, but a machine's own cloud answers there: the host agent of Azure. */
const METADATA: readonly Range[] = [ipaddr.parseCIDR('168.63.129.16/32')];
/**
 * All global unicast addresses assigned so far; everything outside is special or unassigned (IANA IPv6 address space).
 */
const GLOBAL_UNICAST: Range = ipaddr.parseCIDR('2000::/3');

/**
 * Reads address ranges.
 *
 * @param ranges - CIDR notation, such as `127.0.0.0/8` or `::1/128`.
 * @returns A judge of addresses in text form.
 * @throws MannerlyError `option-invalid` for what is no range.
 */
export function createAddressJudge(ranges: readonly string[]): (address: string) => AddressVerdict {
  const opened = ranges.map(parseRange);
  return (text) => judge(text, opened);
}

function parseRange(text: string): Range {
  if (typeof text === 'string' && isIP(text.replace(/\/\d{1,3}$/, '')) !== 0 && ipaddr.isValidCIDR(text)) {
    return ipaddr.parseCIDR(text);
  }
  throw new MannerlyError(
    'option-invalid',
    `expected \`network.allowAddresses\` to hold ranges such as "127.0.0.0/8", got ${JSON.stringify(text)}`,
    { hint: 'A single address is a range as well: "192.0.2.7/32" or "2001:db8::7/128".' },
  );
}

function judge(text: string, opened: readonly Range[]): AddressVerdict {
  // Plain notation only: what the platform does not see as an address, it would look up as a name, past this guard.
  // A zone identifier names an interface of this machine.
  if (isIP(text) === 0 || text.includes('%')) return { kind: 'forbidden', range: 'not an address' };
  const address = ipaddr.parse(text);
  const family = address.kind() === 'ipv4' ? 4 : 6;
  const inner = embeddedAddress(address);
  if (opened.some((range) => contains(range, address))) {
    const within = inner === null ? null : judge(inner.toString(), opened);
    return within?.kind === 'forbidden' ? within : { kind: 'opened', family };
  }
  const range = specialRange(address);
  if (range === null) return { kind: 'public', family };
  return { kind: 'forbidden', range: inner === null ? range : `${range} (${inner.toString()})` };
}

/** `null` for public unicast. */
function specialRange(address: Address): string | null {
  if (METADATA.some((range) => contains(range, address))) return 'metadata';
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address)) return null;
  return embeddedAddress(address) === null ? 'unassigned' : 'ipv4Compatible';
}

function contains([network, prefix]: Range, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}

/** The IPv4 address inside an IPv6 form, which a gateway would connect to; `null` where there is none. */
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
    // ::a.b.c.d (RFC 4291 §2.5.5.1); :: and ::1 are ranges of their own.
    case 'unicast':
      return bytes.slice(0, 12).every((byte) => byte === 0) ? at(12) : null;
    default:
      return null;
  }
}
