// What a licence that robots.txt names makes of a page: it is not requested, or waits for the document.

import type { PageWork } from '@mannerly/frontier';
import { licenseText } from '../licensing/apply-license.js';
import type { LicenseAnswer } from '../licensing/licenses.js';
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
