// How much a crawl may do: what a caller may say of it, checked and filled in.

import { MINUTES_MOST, PAGES_MOST } from '../limits.js';
import type { Bounds } from '../records/budget.js';
import { knownKeys, numberIn, wholeIn } from './option-value.js';

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
  const { pages, pagesPerHost, bytesPerHost, minutesPerHost, minutes, bytes } = bounds;
  const runningMs = (name: string, value: number | undefined) =>
    value === undefined ? null : 60_000 * numberIn(name, value, Number.MIN_VALUE, MINUTES_MOST);
  const byteCount = (name: string, value: number | undefined) =>
    value === undefined ? null : wholeIn(name, value, 1, Number.MAX_SAFE_INTEGER);
  return Object.freeze({
    pages: pages === undefined ? null : wholeIn('bounds.pages', pages, 1, PAGES_MOST),
    pagesPerHost: pagesPerHost === undefined ? null : wholeIn('bounds.pagesPerHost', pagesPerHost, 1, PAGES_MOST),
    bytesPerHost: byteCount('bounds.bytesPerHost', bytesPerHost),
    runningPerHostMs: runningMs('bounds.minutesPerHost', minutesPerHost),
    runningMs: runningMs('bounds.minutes', minutes),
    bytes: byteCount('bounds.bytes', bytes),
  });
}
