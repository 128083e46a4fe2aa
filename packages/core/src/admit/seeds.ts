// Seeds: the URLs a crawl starts from, at depth 0, ahead of everything found later.

import type { NewUrl } from '@mannerly/frontier';

/** Priority of the seeds: before links (4), after the files requested with robots.txt (0). */
const SEED_PRIORITY = 2;

/** The seeds as candidates for admission. @throws Never */
export function seedUrls(seeds: readonly string[]): NewUrl[] {
  return seeds.map((url) => ({ url, depth: 0, via: 'seed', priority: SEED_PRIORITY }));
}
