// A plan as text for people: a line for each host, how long the crawl will take and what will end it; for a recrawl,
// what is due and the expected result.

import type { PlannedVisit, PlannedVisits, RecrawlPlan } from '../recrawl/recrawl-plan.js';
import { reasonLine } from '../report/nothing-fetched.js';
import { type Column, durationText, iso, plural, printable, seconds, tableText } from '../report/table.js';
import type { PlannedBound } from './forecast.js';
import { MAX_LISTED_VISITS, MAX_PLAN_ROWS } from './limits.js';
import type { CrawlPlan, PlannedHost } from './plan-crawl.js';

const COLUMNS: readonly Column<PlannedHost>[] = [
  ['host', 'left', ({ host }) => printable(host, 60)],
  ['allowed', 'right', ({ allowed, wait }) => allowed ?? unknown(wait)],
  ['denied', 'right', ({ denied, wait }) => denied ?? unknown(wait)],
  ['out of\nscope', 'right', ({ outOfScope, wait }) => outOfScope ?? unknown(wait)],
  ['pages\nplanned', 'right', ({ allowed, pages }) => (allowed === null && pages > 0 ? `≤ ${pages}` : pages)],
  ['a request\nevery', 'right', ({ intervalMs }) => seconds(intervalMs)],
  ['set by', 'left', ({ intervalFrom }) => intervalFrom],
  ['takes', 'right', ({ tookMs }) => (tookMs === null ? '–' : durationText(tookMs))],
  ['to know', 'left', notes],
];

function unknown(wait: PlannedHost['wait']): string {
  return wait === null ? '?' : '–';
}

export function planText(plan: CrawlPlan): string {
  const { hosts, planningRequests, planningMs } = plan;
  return [
    ...hostTable(COLUMNS, hosts),
    '',
    ...estimateLines(plan),
    `To plan it, ${plural(planningRequests, 'request was', 'requests were')} made in ${durationText(planningMs)}: robots.txt and sitemaps only.`,
    ...(plan.isComplete
      ? []
      : ['The reading was stopped, or reached a bound of its own: the plan lacks what was not read.']),
  ].join('\n');
}

function hostTable<Row>(columns: readonly Column<Row>[], hosts: readonly Row[]): string[] {
  const more = hosts.length - MAX_PLAN_ROWS;
  return [
    tableText(columns, hosts.slice(0, MAX_PLAN_ROWS)),
    ...(more > 0 ? [`… and ${plural(more, 'more host')}.`] : []),
  ];
}

const BOUND_NAMES: Readonly<Record<PlannedBound, string>> = {
  pages: 'pages',
  minutes: 'minutes',
  pagesPerHost: 'pages of one host',
  minutesPerHost: 'minutes of one host',
};

function estimateLines(plan: CrawlPlan): string[] {
  const { range, firstBound, isOpenEnded } = plan;
  const { least, most } = range;
  const isRefused = plan.planningRequests === 0 && Object.keys(plan.outcomes['dropped'] ?? {}).length > 0;
  if (most.pages === 0 || isRefused) return nothingLines(plan);
  const lines =
    least.pages === most.pages
      ? [`The crawl will take about ${totalsText(most)}; ${ENDS[most.ends]}.`]
      : [
          `The crawl will take between ${durationText(least.durationMs)} and ${durationText(most.durationMs)}, or so:`,
          `  ${totalsText(least)}, if links lead to no other pages than seeds and sitemaps name; ${ENDS[least.ends]}.`,
          `  ${totalsText(most)}, if they lead to as many as the bounds allow; ${ENDS[most.ends]}.`,
        ];
  lines.push('Both assume that hosts answer as fast as they did now, and that nothing has to be retried.');
  if (isOpenEnded) lines.push('Links may lead to hosts that no seed or sitemap names; the plan does not include them.');
  if (firstBound === null) {
    if (most.ends === 'finished') lines.push('No bound is reached. Depth and bytes are not predicted.');
  } else {
    const { bound, host, atMs } = firstBound;
    const where = host === null ? '' : ` at ${printable(host, 60)}`;
    const when = firstBound.isAtMost ? 'if there are so many pages, ' : '';
    lines.push(`First bound: ${BOUND_NAMES[bound]}${where}, ${when}after ${durationText(atMs)}.`);
  }
  return lines;
}

const ENDS: Readonly<Record<CrawlPlan['estimate']['ends'], string>> = {
  finished: 'then nothing is left within its bounds',
  pages: 'then its bound on pages is reached',
  minutes: 'then its bound on minutes is reached',
  waiting: 'then all remaining hosts have to wait',
};

function totalsText({ durationMs, pages, requests }: CrawlPlan['range']['least']): string {
  return `${durationText(durationMs)} for ${plural(pages, 'page')} in ${plural(requests, 'request')}`;
}

/** A crawl without a page: an estimate would hide that. */
function nothingLines({ hosts, outcomes }: CrawlPlan): string[] {
  if (hosts.some(({ wait }) => wait !== null))
    return ['The crawl would fetch no page now: its hosts have to wait, as the last column says.'];
  const others = Object.entries({ ...outcomes['dropped'], ...outcomes['failed'], ...outcomes['held'] });
  if (others.length > 0)
    return ['The crawl would fetch no page:', ...others.map(([reason, count]) => reasonLine(reason, count))];
  return ['The crawl would fetch no page: robots.txt disallows its seeds. mannerly robots <url> <url> shows the line.'];
}

function notes({ wait, hasHours, isCut, uncounted, sitemaps }: PlannedHost): string {
  const until = wait?.untilMs == null ? '' : ` until ${new Date(wait.untilMs).toISOString().slice(0, 16)}Z`;
  return [
    ...(wait === null ? [] : [`${wait.reason}${until}`]),
    ...(wait === null && sitemaps === 0 ? ['no sitemap'] : []),
    ...(hasHours ? ['keeps hours'] : []),
    ...(isCut && sitemaps > 0 ? ['more than the bounds allow'] : []),
    ...(uncounted > 0 ? [`${uncounted} not counted`] : []),
  ].join(', ');
}

const VISIT_COLUMNS: readonly Column<PlannedVisits>[] = [
  ['host', 'left', ({ host }) => printable(host, 60)],
  ['known', 'right', ({ known }) => known],
  ['due', 'right', ({ due }) => due],
  ['visits\nplanned', 'right', ({ visits }) => visits],
];

export function planAgainText(plan: RecrawlPlan): string {
  const { known, due, visits, sitemaps, freshNow, freshAfter, changed, bytesSaved, nextDueAtMs, hosts } = plan;
  if (known === 0) return 'There is nothing to crawl again: no visit was kept, or all pages are gone.';
  const next = nextDueAtMs === null ? '' : ` The next one is due at ${iso(nextDueAtMs)}.`;
  const first = sitemaps === 0 ? '' : `, after ${plural(sitemaps, 'sitemap')}`;
  return [
    ...hostTable(VISIT_COLUMNS, hosts),
    '',
    `Of ${plural(known, 'known page')} ${plural(due, 'is', 'are')} due, and ${visits} would be visited${first}.${next}`,
    `Expected to be unchanged since their visit: ${percent(freshNow)} of the pages now, ${percent(freshAfter)} after the run.`,
    `Expected of the visits: ${changed.toFixed(1)} changed pages, ${plural(bytesSaved, 'byte')} not transferred.`,
    ...hosts
      .slice(0, MAX_PLAN_ROWS)
      .flatMap(({ host, visits: of, first: pages }) =>
        pages.length === 0
          ? []
          : ['', `${printable(host, 60)}, the first of ${of}:`, ...pages.slice(0, MAX_LISTED_VISITS).map(visitLine)],
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
