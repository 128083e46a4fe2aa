// How much a crawl may do: what a caller may say of it, checked and filled in.

import { MINUTES_MOST, PAGES_MOST } from '../limits.js';
import { knownKeys, numberIn, wholeIn } from '../option-value.js';
import type { Bounds } from '../records/budget.js';

/** How much, over the whole crawl, restarts included. An absent bound is none. */
export interface FrontierBounds {
  /** Settled pages that count. 1 … 1e9 */
  readonly pages?: number;
  /** Pages of one host. 1 … 1e9 */
  readonly pagesPerHost?: number;
  /** Decoded bytes of one host's bodies, its robots.txt among them; the answer that reaches it is kept whole. ≥ 1 */
  readonly bytesPerHost?: number;
  /** Running time of the crawl since the first request to a host. > 0 */
  readonly minutesPerHost?: number;
  /** Running time, from `open` to `close`. > 0 */
  readonly minutes?: number;
  /** Decoded bytes of bodies. ≥ 1 */
  readonly bytes?: number;
}

/** Checks bounds; `null`: none. @throws FrontierError `option-invalid` */
export function resolveBounds(bounds: FrontierBounds): Bounds {
  knownKeys('bounds.', bounds, ['pages', 'pagesPerHost', 'bytesPerHost', 'minutesPerHost', 'minutes', 'bytes']);
  const whole = (key: keyof FrontierBounds, most: number) => {
    const value = bounds[key];
    return value === undefined ? null : wholeIn(`bounds.${key}`, value, 1, most);
  };
  const runningMs = (key: keyof FrontierBounds) => {
    const value = bounds[key];
    return value === undefined ? null : 60_000 * numberIn(`bounds.${key}`, value, Number.MIN_VALUE, MINUTES_MOST);
  };
  return Object.freeze({
    pages: whole('pages', PAGES_MOST),
    pagesPerHost: whole('pagesPerHost', PAGES_MOST),
    bytesPerHost: whole('bytesPerHost', Number.MAX_SAFE_INTEGER),
    runningPerHostMs: runningMs('minutesPerHost'),
    runningMs: runningMs('minutes'),
    bytes: whole('bytes', Number.MAX_SAFE_INTEGER),
  });
}
