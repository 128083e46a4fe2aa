// How much a crawl may do: what a user may say of it, checked and filled in.

import { MannerlyError } from '../errors.js';
import { MAX_DEPTH, MAX_MINUTES, MAX_PAGES } from './limits.js';
import { integerIn, numberIn } from './option-value.js';

/** How much. One of `pages` and `minutes` is required; all count over the whole crawl, restarts included. */
export type BoundsOptions = OptionalBounds & ({ readonly pages: number } | { readonly minutes: number });

interface OptionalBounds {
  /** Pages asked for and answered, whatever the status; redirects and retries do not count. 1 to 1e9. */
  readonly pages?: number;
  /** Running time in minutes, more than 0. */
  readonly minutes?: number;
  /** Links between a seed and a page. 0 to 1000. @default 16 */
  readonly depth?: number;
  /** Decoded bytes of bodies, 1 or more; what is in flight when it is reached comes to its end. @default none */
  readonly bytes?: number;
  /** Pages of one host, 1 to 1e9. @default none beyond `pages` */
  readonly pagesPerHost?: number;
  /** Decoded bytes of one host's bodies, 1 or more; the answer that reaches it is kept whole. @default none */
  readonly bytesPerHost?: number;
  /** Minutes of running time from the first request to a host, more than 0. @default none */
  readonly minutesPerHost?: number;
  /**
   * URLs queued at a time, 1 to 1e9. Links past it are dropped as `frontier-full`, and told; there may be room for them when
   * another page names them later. @default 10,000,000
   */
  readonly queuedUrls?: number;
}

/** Bounds with every field filled in; `null`: none. */
export interface Bounds {
  readonly pages: number | null;
  readonly minutes: number | null;
  readonly depth: number;
  readonly pagesPerHost: number | null;
  readonly bytes: number | null;
  readonly bytesPerHost: number | null;
  readonly minutesPerHost: number | null;
  readonly queuedUrls: number | null;
}

/** What `bounds` may say. */
export const BOUNDS_KEYS: readonly (keyof OptionalBounds)[] = [
  'pages',
  'minutes',
  'bytes',
  'depth',
  'pagesPerHost',
  'bytesPerHost',
  'minutesPerHost',
  'queuedUrls',
];

/** What is used where nothing is said. */
export const BOUNDS_DEFAULTS = Object.freeze({ depth: 16 });

/**
 * Checks the bounds and fills them in.
 *
 * @throws MannerlyError `bounds-missing`, `option-invalid`.
 */
export function resolveBounds(bounds: BoundsOptions | undefined): Bounds {
  if (bounds === undefined || (bounds.pages === undefined && bounds.minutes === undefined)) {
    throw new MannerlyError('bounds-missing', 'a crawl needs `bounds.pages` or `bounds.minutes`', {
      hint: 'Say how much is enough, for instance bounds: { pages: 200 }.',
    });
  }
  const whole = (name: keyof OptionalBounds, greatest: number): number | null =>
    bounds[name] === undefined ? null : integerIn(`bounds.${name}`, bounds[name], 1, greatest);
  const minutes = (name: 'minutes' | 'minutesPerHost'): number | null =>
    bounds[name] === undefined ? null : numberIn(`bounds.${name}`, bounds[name], Number.MIN_VALUE, MAX_MINUTES);
  return {
    pages: whole('pages', MAX_PAGES),
    minutes: minutes('minutes'),
    depth: integerIn('bounds.depth', bounds.depth ?? BOUNDS_DEFAULTS.depth, 0, MAX_DEPTH),
    pagesPerHost: whole('pagesPerHost', MAX_PAGES),
    bytes: whole('bytes', Number.MAX_SAFE_INTEGER),
    bytesPerHost: whole('bytesPerHost', Number.MAX_SAFE_INTEGER),
    minutesPerHost: minutes('minutesPerHost'),
    queuedUrls: whole('queuedUrls', MAX_PAGES),
  };
}
