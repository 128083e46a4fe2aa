// The system's resolver works in the few threads that files and decompression share, and a name server that does not answer
// holds one of them for many seconds. So look-ups pass through lanes: few at once, and one at a time for the names of one
// registrable domain, because whoever runs a silent name server can name as many hosts as they like.

import { hostKeyOf } from '@mannerly/frontier/internal';
import { parseUrl } from '../parse-url.js';
import { DNS_DEADLINE_MS, MAX_SYSTEM_LOOKUPS } from './limits.js';

/** Names to addresses. */
type LookUp = (hostname: string) => Promise<readonly string[]>;

interface Waiting {
  readonly domain: string;
  /** `performance.now()` after which nobody waits for it any more. */
  readonly untilAt: number;
  readonly start: () => void;
  readonly giveUp: () => void;
}

/**
 * A resolver that keeps another one to the lanes. Whoever waits is not told of it: the caller's own deadline counts.
 *
 * @param ask - May hang for as long as it likes: its lane is taken until it ends.
 * @throws Never.
 */
export function inLanes(ask: LookUp): LookUp {
  /** In order of arrival. Bounded by the requests in flight and what they gave up since a lane was last free. */
  let waiting: Waiting[] = [];
  const busy = new Set<string>();
  const startNext = (): void => {
    const nowAt = performance.now();
    const late = waiting.filter(({ untilAt }) => untilAt <= nowAt);
    if (late.length > 0) waiting = waiting.filter(({ untilAt }) => untilAt > nowAt);
    for (const one of late) one.giveUp();
    while (busy.size < MAX_SYSTEM_LOOKUPS) {
      const at = waiting.findIndex(({ domain }) => !busy.has(domain));
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) return;
      busy.add(next.domain);
      next.start();
    }
  };
  return (hostname) =>
    new Promise((resolve, reject) => {
      const domain = domainOf(hostname);
      const start = (): void => {
        Promise.resolve(ask(hostname))
          .then(resolve, reject)
          .finally(() => {
            busy.delete(domain);
            startNext();
          });
      };
      waiting.push({
        domain,
        untilAt: performance.now() + DNS_DEADLINE_MS,
        start,
        giveUp: () => reject(new Error(`the names of ${domain} take too long to look up`)),
      });
      startNext();
    });
}

/** A name that has no registrable domain stands for itself. */
function domainOf(hostname: string): string {
  const url = parseUrl(`http://${hostname}/`);
  return url === null ? hostname : (hostKeyOf(url.href, 'domain') ?? hostname);
}
