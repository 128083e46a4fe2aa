// A page as the archive keeps it: what its handler sees of it, next to the exchange itself.

import type { JsonValue, PageWork } from '@mannerly/frontier';
import type { TdmReservation } from '@mannerly/robots/page';
import type { ArchivedPage } from '../archive/visit.js';
import type { FetchedPage } from '../page/page.js';

/**
 * Gathers what is known of a page. Never throws.
 *
 * @param tdm - What the site's tdmrep.json says of it.
 * @param isForBrowser - Whether its handler sees, or was to see, the page as a browser has it.
 */
export function archivedPage(
  work: PageWork,
  page: FetchedPage,
  { reserved, policy }: TdmReservation,
  isForBrowser: boolean,
  nowMs: number,
): ArchivedPage {
  const { record, signals } = work;
  return {
    keepsBody: page.exclusion.keepsBody,
    isHtml: page.kind === 'html',
    title: page.title,
    outlinks: page.links.map(({ url }) => url),
    visit: {
      host: work.lease.host,
      depth: record.depth,
      via: record.via,
      from: record.from,
      hops: record.hops,
      label: record.label,
      userData: record.userData,
      tries: record.tries,
      visit: record.visit ?? 0,
      signals: { ...signals } as unknown as JsonValue,
      tdm: { reserved, policy },
      judgedAtMs: nowMs,
      ...(isForBrowser ? { isRendered: true } : {}),
    },
  };
}
