// Why a crawl fetched nothing, or only its first page: by the reasons of its report, with what can be done.

import type { CrawlReport } from './crawl-report.js';
import { splitOutcomes } from './outcome-counts.js';
import { explainReason } from './reasons.js';
import { sumOf } from './table.js';

/** The number of fetched pages, without failed ones, redirects, sitemaps and companion files. @throws Never */
export function fetchedPages({ outcomes }: Pick<CrawlReport, 'outcomes'>): number {
  const { redirect: _, companion: __, sitemap: ___, ...pages } = outcomes['fetched'] ?? {};
  return sumOf(pages);
}

/** Whether no page was fetched, not even by other processes of the crawl: their pages have no outcome here. */
export function hasFetchedNoPage(report: Pick<CrawlReport, 'pages' | 'outcomes'>): boolean {
  const urls = Object.values(splitOutcomes(report.outcomes).decided).reduce((sum, reasons) => sum + sumOf(reasons), 0);
  return fetchedPages(report) === 0 && report.pages <= urls;
}

/**
 * Why a crawl fetched at most one page: a line, followed by a line for each reason.
 * @returns `null` if it fetched more, was stopped, or ended by a bound or before this run after a page.
 */
export function whyNothingFetched(
  report: Pick<CrawlReport, 'pages' | 'state' | 'alreadyFinished' | 'outcomes'>,
): string | null {
  const { state, alreadyFinished, outcomes } = report;
  const pages = fetchedPages(report);
  const hasEnded = alreadyFinished || state === 'bounded';
  if (pages > 1 || (pages === 0 && !hasFetchedNoPage(report)) || state === 'stopped' || (hasEnded && pages > 0))
    return null;
  const head = pages === 0 ? 'No page was fetched:' : 'Only one page was fetched:';
  const reasons = Object.entries(outcomes).flatMap(([status, counts]) =>
    Object.entries(counts).filter(([reason]) => status !== 'fetched' || reason === 'no-handler'),
  );
  if (reasons.length === 0)
    return pages === 0 ? null : `${head} it has no link that may be followed, or its handler follows no links.`;
  return [head, ...reasons.map(([reason, count]) => reasonLine(reason, count))].join('\n');
}

export function reasonLine(reason: string, count: number): string {
  return `  ${reason} (${count}): ${explainReason(reason)}`;
}
