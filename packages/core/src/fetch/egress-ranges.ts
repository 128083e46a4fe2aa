// The addresses that a crawler sends its requests from, as the operator lists them in `identity.egress`.

import ipaddr from 'ipaddr.js';
import { invalidOption } from '../errors.js';
import { MAX_EGRESS_RANGES } from './limits.js';

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

/**
 * Checks the option `identity.egress`: ranges such as `192.0.2.0/28`.
 *
 * @throws MannerlyError `option-invalid` for too many ranges, invalid ones, ones with host bits, or ones that are not
 * public.
 */
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
 *
 * @param ranges - As `checkEgressRanges` returns them.
 */
export function isUnlisted(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const own = ipaddr.process(address);
  if (NON_PUBLIC_RANGES.has(own.range())) return false;
  return !ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === own.kind() && own.match(network, bits);
  });
}

function faultOf(range: string): string | null {
  // Four numbers, or IPv6 notation: other notations are ambiguous.
  if (!/^(\d+\.\d+\.\d+\.\d+|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i.test(range) || !ipaddr.isValidCIDR(range)) {
    return 'a range such as "192.0.2.0/28"';
  }
  const [address] = ipaddr.parseCIDR(range);
  if (NON_PUBLIC_RANGES.has(address.range())) return 'a range of public addresses';
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = family.networkAddressFromCIDR(range).toString();
  return network === address.toString()
    ? null
    : `a range without host bits, such as "${network}/${range.split('/')[1]}"`;
}
