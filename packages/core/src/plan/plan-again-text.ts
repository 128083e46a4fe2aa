// The plan of a recrawl as text for people: what is due, what it would come to, and the order of each host.

import type { PlannedVisit, PlannedVisits, RecrawlPlan } from '../recrawl/recrawl-plan.js';
import { type Column, iso, plural, printable, tableText } from '../report/table.js';
import { MAX_PLAN_ROWS, MAX_SHOWN_VISITS } from './limits.js';

const COLUMNS: readonly Column<PlannedVisits>[] = [
  ['host', 'left', ({ host }) => printable(host, 60)],
  ['known', 'right', ({ known }) => known],
  ['due', 'right', ({ due }) => due],
  ['visits\nplanned', 'right', ({ visits }) => visits],
];

export function planAgainText(plan: RecrawlPlan): string {
  const { known, due, visits, sitemaps, freshNow, freshAfter, changed, bytesSaved, nextDueAtMs, hosts } = plan;
  if (known === 0) return 'Nothing is known to crawl again: no visit was kept, or all pages are gone.';
  const shown = hosts.slice(0, MAX_PLAN_ROWS);
  const next = nextDueAtMs === null ? '' : ` The next one is due at ${iso(nextDueAtMs)}.`;
  const first = sitemaps === 0 ? '' : `, after ${plural(sitemaps, 'sitemap')}`;
  return [
    tableText(COLUMNS, shown),
    ...(hosts.length > shown.length ? [`… and ${hosts.length - shown.length} more hosts.`] : []),
    '',
    `Of ${plural(known, 'known page')} ${due} ${due === 1 ? 'is' : 'are'} due, and ${visits} would be visited${first}.${next}`,
    `Expected to be as they were visited: ${percent(freshNow)} of the pages now, ${percent(freshAfter)} after the run.`,
    `Expected of the visits: ${changed.toFixed(1)} changed pages, ${bytesSaved} bytes not transferred.`,
    ...shown.flatMap(({ host, visits: of, first: pages }) =>
      pages.length === 0
        ? []
        : ['', `${printable(host, 60)}, the first of ${of}:`, ...pages.slice(0, MAX_SHOWN_VISITS).map(visitLine)],
    ),
  ].join('\n');
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}

function visitLine({ url, value, changesPerDay, lastVisitMs }: PlannedVisit): string {
  const rate = `a change in ${(1 / changesPerDay).toFixed(1)} days`;
  return `  ${value.toFixed(2)}  ${printable(url, 100)} (${rate}, visited ${iso(lastVisitMs)})`;
}
