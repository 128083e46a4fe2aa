// What a licence makes of a page that has come, in the crawl and when it is replayed from an archive.

import { excludedByLicense } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import type { FoundLicense } from './licenses.js';

/** The page says its licence, and what that does not let us keep is not kept. `null`: none is named. */
export function applyLicense(page: PageInCrawl, license: FoundLicense | null): void {
  if (license === null || license.document === null) return;
  const { document, outcome, element, price, fetchedAtMs, digest, effect } = license;
  page.license = { document, fetchedAtMs, digest, outcome, element, price };
  if (effect === 'none') return;
  page.exclusion = excludedByLicense(page.exclusion, effect === 'prohibited', licenseText(license));
}

/** What a licence asks, by which document and element, and for which purpose. Never throws. */
export function licenseText({ outcome, price, document, element, purpose }: FoundLicense): string {
  const asked = price === null ? outcome : `${outcome} ${price}`;
  return `${asked}: ${[document, element].filter((each) => each !== null).join(' ')}, for ${purpose}`;
}
