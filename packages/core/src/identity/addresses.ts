// The addresses from which a crawler sends requests: the list that its operator publishes (JAFAR; identity 9), and
// their names, looked up as sites do (identity 10).

import ipaddr from 'ipaddr.js';
import type { PublishedFault } from './check-published.js';
import { MAX_NAMED_ADDRESSES } from './limits.js';

/** The name that the first address of a range should have: `crawl-192-0-2-0.bot.example`. */
export function expectedName(range: string, domain: string): string {
  const [address = ''] = range.split('/');
  return `crawl-${address.replaceAll(/[.:]+/g, '-').replace(/-$/, '')}.${domain}`;
}

export function addressList(ranges: readonly string[], nowMs: number): string {
  const prefixes = ranges.map((range) => (range.includes(':') ? { ipv6Prefix: range } : { ipv4Prefix: range }));
  return `${JSON.stringify({ creationTime: new Date(nowMs).toISOString(), prefixes }, null, 2)}\n`;
}

/** A resolver of names, such as a `Resolver` of node:dns/promises. */
export interface NameLookup {
  reverse(address: string): Promise<string[]>;
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/** Checks every address of small ranges, and the first and last ones of larger ones. Never rejects. */
export async function checkNames(
  ranges: readonly string[],
  domain: string,
  lookup: NameLookup,
): Promise<readonly PublishedFault[]> {
  const faults: PublishedFault[] = [];
  const addresses = ranges.flatMap(addressesOf).slice(0, MAX_NAMED_ADDRESSES);
  for (const address of addresses) {
    const names = await lookup.reverse(address).catch(() => []);
    const ownNames = names
      .map((name) => name.replace(/\.$/, '').toLowerCase())
      .filter((name) => name.endsWith(`.${domain}`));
    const found = await Promise.all(ownNames.map((name) => addressesNamed(name, address, lookup)));
    if (found.some((each) => each.some((one) => isSame(one, address)))) continue;
    const [name] = ownNames;
    const detail =
      name === undefined
        ? `it has no name under ${domain}: set its PTR, such as ${expectedName(`${address}/32`, domain)}`
        : `its name ${name} does not lead back to it: set its A or AAAA`;
    faults.push({ code: 'address-unnamed', url: address, detail });
  }
  return faults;
}

function addressesNamed(name: string, address: string, lookup: NameLookup): Promise<string[]> {
  const found = address.includes(':') ? lookup.resolve6(name) : lookup.resolve4(name);
  return found.catch(() => []);
}

/** All addresses of a range of at most 16; else its first and last. */
function addressesOf(range: string): string[] {
  const [first, bits] = ipaddr.parseCIDR(range);
  const bytes = first.toByteArray();
  const hostBits = 8 * bytes.length - bits;
  const family = first.kind() === 'ipv6' ? ipaddr.IPv6 : ipaddr.IPv4;
  if (hostBits > 4) return [first.toString(), family.broadcastAddressFromCIDR(range).toString()];
  const addressAt = (add: number) => ipaddr.fromByteArray(bytes.with(-1, (bytes.at(-1) ?? 0) + add)).toString();
  return Array.from({ length: 1 << hostBits }, (_, add) => addressAt(add));
}

function isSame(one: string, other: string): boolean {
  return ipaddr.isValid(one) && ipaddr.parse(one).toString() === ipaddr.parse(other).toString();
}
