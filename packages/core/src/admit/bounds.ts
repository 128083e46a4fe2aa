// The bounds a URL can break before it is queued: how deep it lies, how many redirects led to it.
// Pages, minutes and pages per host are counted by the frontier, which knows what was fetched.

import { MAX_REDIRECT_HOPS } from './limits.js';

/** Within bounds, or which one is broken. */
export type BoundsAnswer =
  | { readonly kind: 'in' }
  | { readonly kind: 'out'; readonly reason: 'bound-depth' | 'redirect-limit' };

/** Judges depth and redirect hops. @throws Never */
export function withinBounds(candidate: { depth: number; hops: number }, bounds: { depth: number }): BoundsAnswer {
  if (candidate.depth > bounds.depth) return { kind: 'out', reason: 'bound-depth' };
  if (candidate.hops > MAX_REDIRECT_HOPS) return { kind: 'out', reason: 'redirect-limit' };
  return { kind: 'in' };
}
