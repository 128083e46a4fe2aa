// Whatever a document or a sitemap contains, the process stays small: one after the other, up to their limits, each in
// a process of its own, compared with a crawl of one honest page on the same machine.

import { beforeAll, expect, it } from 'vitest';
import { GROWING_DOCUMENTS, GROWING_SITEMAPS } from '../support/hostile/growing-documents.js';
import type { HostileScenario } from '../support/hostile/scenario.js';
import { costText, honestPeakBytes, MAX_READ_BYTES, minCostOf } from './memory-of-bombs.js';

const MIB = 1024 * 1024;
/**
 * Measured: sitemaps 115 to 150 MB; pages full of markup up to 161, because garbage is not collected at once. Above
 * this the crawl is repeated.
 */
const USUAL_PEAK_BYTES = 170_000_000;
/** The limit above a crawl of one honest page, which takes about 85 MB. */
const MAX_EXTRA_BYTES = 115_000_000;
/** The limit of a sitemap, and 4 MiB. */
const MAX_SITEMAP_READ_BYTES = 54 * MIB;

let honestBytes = 0;
beforeAll(async () => {
  honestBytes = await honestPeakBytes();
}, 300_000);

it.each(GROWING_DOCUMENTS.map((scenario) => [scenario.name, scenario] as const))(
  '%s: little more than a crawl of an honest page, and 4 MiB more than the cap off the wire',
  { timeout: 900_000 },
  (_name, scenario) => staysWithin(scenario, MAX_READ_BYTES),
);

it.each(GROWING_SITEMAPS.map((scenario) => [scenario.name, scenario] as const))(
  '%s: little more than a crawl of an honest page, and 4 MiB more than the cap off the wire',
  { timeout: 900_000 },
  (_name, scenario) => staysWithin(scenario, MAX_SITEMAP_READ_BYTES),
);

async function staysWithin(scenario: HostileScenario, readBytes: number): Promise<void> {
  const cost = await minCostOf(scenario, USUAL_PEAK_BYTES);
  console.info(costText(scenario, cost));
  expect(cost.peakBytes).toBeLessThanOrEqual(honestBytes + MAX_EXTRA_BYTES);
  // The links of a page are requested as well, and each of those is such a page.
  const exchanges = Math.max(1, cost.pages.length);
  expect(cost.readBytes).toBeLessThanOrEqual(readBytes * exchanges);
}
