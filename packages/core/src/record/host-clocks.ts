// What hosts' clocks showed at the last requests for pages that have no word yet: it goes into their decision. Bounded.

import type { HostClockReading, RequestRecord } from '../report/decision.js';
import { MAX_UNDECIDED_REQUESTS } from './limits.js';

/** Readings that wait for the word about their page. */
export interface HostClocks {
  request(record: RequestRecord): void;
  /** What is remembered of a URL's last request, once. */
  take(url: string): { readonly clock?: HostClockReading };
}

/** Makes the memory of one run. Never throws. */
export function createHostClocks(): HostClocks {
  const readings = new Map<string, HostClockReading>();
  return {
    request({ url, purpose, host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs }) {
      if (purpose === 'robots' || purpose === 'handler' || purpose === 'subresource') return;
      readings.delete(url);
      readings.set(url, { host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs, untilMs: null });
      const oldest = readings.keys().next();
      if (readings.size > MAX_UNDECIDED_REQUESTS && !oldest.done) readings.delete(oldest.value);
    },
    take(url) {
      const clock = readings.get(url);
      readings.delete(url);
      return clock === undefined ? {} : { clock };
    },
  };
}
