// The addresses from which a crawler's requests come, as its operator names them in `identity.egress`.

import ipaddr from 'ipaddr.js';
import { invalidOption } from '../errors.js';
import { MAX_EGRESS_RANGES } from './limits.js';

/** Ranges of which no one can say whose they are. */
const SHARED = new Set([
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
 * @throws MannerlyError `option-invalid` for too many, and what is no range, has host bits, or is not public.
 */
export function checkedEgress(ranges: readonly string[]): readonly string[] {
  const count = ranges.length;
  if (count > MAX_EGRESS_RANGES) throw invalidOption('identity.egress', `at most ${MAX_EGRESS_RANGES} ranges`, count);
  ranges.forEach((range, index) => {
    const fault = faultOf(range);
    if (fault !== null) throw invalidOption(`identity.egress[${index}]`, fault, range);
  });
  return ranges;
}

/**
 * Whether sites would look for an address of this machine in the list, and not find it. An address that is not public
 * is translated on the way: to which one is not known here.
 *
 * @param ranges - As `checkedEgress` returns them.
 */
export function isUnlisted(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const own = ipaddr.process(address);
  if (SHARED.has(own.range())) return false;
  return !ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === own.kind() && own.match(network, bits);
  });
}

function faultOf(range: string): string | null {
  // Four numbers, or the notation of IPv6: others are read in more than one way.
  if (!/^(\d+\.\d+\.\d+\.\d+|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i.test(range) || !ipaddr.isValidCIDR(range)) {
    return 'a range such as "192.0.2.0/28"';
  }
  const [address] = ipaddr.parseCIDR(range);
  if (SHARED.has(address.range())) return 'a range of public addresses';
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = family.networkAddressFromCIDR(range).toString();
  return network === address.toString()
    ? null
    : `a range without host bits, such as "${network}/${range.split('/')[1]}"`;
}
