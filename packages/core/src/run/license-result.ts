// What a licence makes of a page: it is not requested, or, where only its response names the licence, not kept.

import type { PageWork } from '@mannerly/frontier';
import type { FoundLicense, LicenseAnswer } from '../licensing/licenses.js';
import { excludedByLicense } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import type { Run } from './run.js';
import { decided, settled, type WorkResult } from './work-result.js';

/** A licence that robots.txt names keeps a page from being requested, or is on its way; `null`: it does not. */
export function licenseResult(run: Run, work: PageWork, license: LicenseAnswer): WorkResult | null {
  if (license === null || license.effect === 'none') return null;
  if (license.effect === 'wait') return settled({ kind: 'returned', untilMs: license.untilMs, waits: 'authority' });
  const word =
    license.effect === 'held'
      ? ({ status: 'held', reason: 'license' } as const)
      : ({ status: 'excluded', reason: 'license-prohibits' } as const);
  return decided(run, work, { ...word, layer: 'page', detail: licenseText(license), isPage: false });
}

/** A page that has come: it says its licence, and what that does not let us keep is not kept. */
export function applyLicense(page: PageInCrawl, license: FoundLicense | null): void {
  if (license === null || license.document === null) return;
  const { document, outcome, element, price, fetchedAtMs, digest, effect } = license;
  page.license = { document, fetchedAtMs, digest, outcome, element, price };
  if (effect === 'none') return;
  page.exclusion = excludedByLicense(page.exclusion, effect === 'prohibited', licenseText(license));
}

/** What a licence asks, by which document and element, and for which purpose. */
function licenseText({ outcome, price, document, element, purpose }: FoundLicense): string {
  const asked = price === null ? outcome : `${outcome} ${price}`;
  return `${asked}: ${[document, element].filter((each) => each !== null).join(' ')}, for ${purpose}`;
}
