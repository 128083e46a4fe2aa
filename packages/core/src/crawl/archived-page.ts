// A page as the archive keeps it: what its handler was about to see, beside the exchange itself.

import type { JsonValue, PageWork } from '@mannerly/frontier';
import type { ArchivedPage } from '../archive/visit.js';
import type { FetchedPage } from '../page/page.js';
import type { Stages } from './stages.js';

/**
 * Gathers what is known of a page.
 *
 * @param isForBrowser - Whether its handler sees, or was to see, what a browser makes of it.
 * @throws What the store threw that knows the site's tdmrep.json.
 */
export async function archivedPage(
  { companions, nowMs }: Pick<Stages, 'companions' | 'nowMs'>,
  work: PageWork,
  page: FetchedPage,
  isForBrowser: boolean,
): Promise<ArchivedPage> {
  const { record, signals } = work;
  const { reserved, policy } = await companions.tdmFor(work.url);
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
      judgedAtMs: nowMs(),
      ...(isForBrowser ? { isRendered: true } : {}),
    },
  };
}
