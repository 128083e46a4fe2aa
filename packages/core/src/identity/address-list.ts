// The addresses from which a crawler's requests come, as its operator publishes them (JAFAR; identity 9).

/** The name that the first address of a range should have: `crawl-192-0-2-0.bot.example`. */
export function expectedName(range: string, domain: string): string {
  const [address = ''] = range.split('/');
  return `crawl-${address.replaceAll(/[.:]+/g, '-').replace(/-$/, '')}.${domain}`;
}

/** The list as it is served. */
export function addressList(ranges: readonly string[], nowMs: number): string {
  const prefixes = ranges.map((range) => (range.includes(':') ? { ipv6Prefix: range } : { ipv4Prefix: range }));
  return `${JSON.stringify({ creationTime: new Date(nowMs).toISOString(), prefixes }, null, 2)}\n`;
}
