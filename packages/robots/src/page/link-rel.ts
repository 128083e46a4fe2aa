// Whether one link of a page is taken, from its `rel` and from what the page says of all its links (page-level §4). The
// exclusion concerns this discovery only: the same URL found through another link, a sitemap or a seed is fetched.

import type { ResolvedPageOptions } from './page-options.js';

/** The fate of a link, with the reason word where it is left, and the words it is marked with where it is taken. */
export interface LinkVerdict {
  readonly isTaken: boolean;
  readonly reason: 'page-nofollow' | 'link-nofollow' | 'link-ugc' | 'link-sponsored' | null;
  readonly marks: readonly ('ugc' | 'sponsored')[];
}

/**
 * Decides about a link on `a`, `area` or `form` (page-level §4, DECISION L7).
 * @param rel - The words of `rel`, or the attribute as written.
 * @param followLinks - `PageEffects.followLinks` of the page.
 */
export function linkVerdict(
  rel: string | readonly string[],
  followLinks: boolean,
  options: ResolvedPageOptions,
): LinkVerdict {
  const words = (typeof rel === 'string' ? rel.split(/[\t\n\f\r ]+/) : rel).map((word) => word.toLowerCase());
  const marks = (['ugc', 'sponsored'] as const).filter((word) => words.includes(word));
  if (!followLinks) return { isTaken: false, reason: 'page-nofollow', marks };
  if (words.includes('nofollow') && !options.rel.nofollow) return { isTaken: false, reason: 'link-nofollow', marks };
  const left = marks.find((word) => !options.rel[word]);
  return left === undefined
    ? { isTaken: true, reason: null, marks }
    : { isTaken: false, reason: `link-${left}`, marks };
}
