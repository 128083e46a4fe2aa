// What a recrawl and an archive agree on: a request is conditional only if the archive has what a 304 would refer to,
// and after many revisits the payload is written again.

import type { ArchivedResponse, CrawlArchive } from '../archive/crawl-archive.js';
import type { ArchivedExchange } from '../archive/exchange-records.js';
import { MAX_FULL_AGE_MS } from './limits.js';
import type { ArchivedVisitPlace, PageVisit } from './page-visit.js';

export type OriginalFinder = Pick<CrawlArchive, 'originalOf'>;

/** What an archive is told about an exchange. `original`: `null` if the request must have no conditions. */
export type ArchiveMode = Pick<ArchivedExchange, 'original' | 'isFull'>;

/**
 * How the next exchange of a page is archived. @param isConditional - Whether it could be conditional.
 * @param onLost - Called with the name of a file that no longer has the last answer.
 */
export async function archiveMode(
  archive: OriginalFinder | null,
  before: PageVisit | null,
  isConditional: boolean,
  { nowMs, maxChain, onLost }: { nowMs: number; maxChain: number; onLost: (filename: string) => void },
): Promise<ArchiveMode> {
  if (archive === null) return {};
  const archived = before?.archived ?? null;
  if (before === null || archived === null) return { original: null };
  const isFull = archived.revisits >= maxChain || nowMs - archived.fullAtMs >= MAX_FULL_AGE_MS;
  if (isFull || !isConditional) return { original: null, isFull };
  const original = await archive.originalOf(before.url, archived);
  if (original === null) onLost(archived.filename);
  return { original };
}

export function archivedPlace(
  { place, isFull }: ArchivedResponse,
  before: PageVisit | null,
  atMs: number,
): ArchivedVisitPlace {
  const { fullAtMs, revisits } = before?.archived ?? { fullAtMs: atMs, revisits: 0 };
  return isFull ? { ...place, fullAtMs: atMs, revisits: 0 } : withOneMoreRevisit({ ...place, fullAtMs, revisits });
}

export function withOneMoreRevisit(place: ArchivedVisitPlace): ArchivedVisitPlace {
  return { ...place, revisits: place.revisits + 1 };
}
