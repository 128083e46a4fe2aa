// The methods paragraph: what a paper says about a crawl, in plain sentences with the figures of this crawl.

import type { RunDeclaration } from '../decision.js';
import { droppedByBounds } from '../outcome-counts.js';
import { sumOf } from '../table.js';
import type { ReportData } from './gather-report.js';

const DIALECTS: Readonly<Record<string, string>> = {
  rfc9309: 'RFC 9309',
  google: "Google's published rules",
  '1996': 'the 1996 draft',
  '1994': 'the 1994 consensus',
};

const PLACES: Readonly<Record<string, string>> = {
  host: 'the hosts of its seeds',
  domain: 'the domains of its seeds',
  list: 'the hosts that we listed',
  surt: 'the URLs that begin as we listed (SURT)',
  any: 'any host',
};

export function methodsText(data: ReportData): string {
  const run = data.crawl.runs.at(-1);
  const ofRun =
    run === undefined ? [] : [boundsText(run), identityText(run), rulesText(run, data), ...paceTexts(run, data)];
  return [requestsText(data), ...ofRun, urlsText(data), auditText(data)].filter((text) => text !== '').join(' ');
}

function requestsText({ crawl, totals }: ReportData): string {
  const { startedAtMs, endedAtMs, seeds, seedCount } = crawl;
  const when = startedAtMs === null ? '' : ` between ${minute(startedAtMs)} and ${minute(endedAtMs ?? 0)}`;
  const from = seedCount === 1 ? seeds[0] : `${number(seedCount)} seed URLs`;
  // A polite fetch has no seeds.
  const what = seedCount === 0 ? 'requested single URLs' : `crawled from ${from}`;
  const signed = totals.signed === undefined ? '' : `; ${number(totals.signed)} signed`;
  const purposes = `${number(totals.pageRequests)} for pages, ${number(totals.robotsRequests)} for robots.txt${signed}`;
  const requests = `${plural(totals.requests, 'HTTP request')} (${purposes}) to ${plural(totals.hosts, 'host')}`;
  return `We ${what}${when}, making ${requests} and receiving ${size(totals.bytes)}.`;
}

function boundsText({ bounds }: RunDeclaration): string {
  if (bounds === undefined) return '';
  const { within, pages, depth, minutes } = bounds;
  const limits = [
    pages === null ? [] : plural(pages, 'page'),
    depth === null ? [] : `${plural(depth, 'link')} from a seed`,
    minutes === null ? [] : `${plural(minutes, 'minute')} of running time`,
  ].flat();
  return `The crawl could reach ${PLACES[within] ?? within}, and at most ${limits.join(', ')}.`;
}

function identityText({ versions, userAgent, tokens }: RunDeclaration): string {
  const token = `product ${tokens.length === 1 ? 'token' : 'tokens'} ${tokens.join(', ')}`;
  return `Requests were made by mannerly ${versions.mannerly} and identified themselves as "${userAgent}" (${token}).`;
}

function rulesText({ robots }: RunDeclaration, { totals, rules }: ReportData): string {
  const dialect = robots.dialect ?? 'rfc9309';
  const policy =
    robots.policy === undefined || robots.policy === 'declared' ? '' : ` under the policy "${robots.policy}"`;
  const excluded = plural(totals.outcomes.excluded, 'URL was', 'URLs were');
  const listed = rules.length === 0 ? '' : '; the lines that did so are listed with the copy of their file';
  return `The robots.txt of every authority was read as ${DIALECTS[dialect] ?? dialect} says${policy} before any other request to it, and nothing else was requested while it was unreachable. ${excluded} excluded by their sites${listed}.`;
}

function paceTexts({ pace }: RunDeclaration, { hosts, pauses }: ReportData): string[] {
  const maximum = pace.maxMs === null ? '' : `, ${seconds(pace.maxMs)} at most`;
  const ifLonger = pace.factor === 0 ? '' : ` (${pace.factor} times its duration where this is longer${maximum})`;
  const texts = [
    `A host got one request at a time, each beginning at least ${seconds(pace.minMs)} after the end of the one before${ifLonger}.`,
  ];
  const own = hosts.filter((host) => host.crawlDelayMs !== null || host.requestIntervalMs !== null).length;
  if (own > 0)
    texts.push(
      `${plural(own, 'host')} required a pace of ${own === 1 ? 'its' : 'their'} own (Crawl-delay or Request-rate), which was kept where it was slower.`,
    );
  if (pauses.length > 0) {
    const kept = pauses.every(({ isObeyed }) => isObeyed) ? 'all of them were kept' : 'not all of them were kept';
    texts.push(`Answers required ${plural(pauses.length, 'pause')} (429, 503, Retry-After, failures); ${kept}.`);
  }
  const tightest = hosts.flatMap(({ tightest: each }) => each ?? []);
  const [nearest] = tightest.sort((a, b) => a.gapMs - a.requiredGapMs - (b.gapMs - b.requiredGapMs));
  if (nearest !== undefined)
    texts.push(
      `The request that came nearest to its limit began ${seconds(nearest.gapMs)} after the end of its host's last request, where ${seconds(nearest.requiredGapMs)} were required.`,
    );
  return texts;
}

/** Every URL that was found, counted once. */
function urlsText({ totals: { found, outcomes }, bounds }: ReportData): string {
  if (found === 0) return '';
  const byBounds = droppedByBounds(bounds);
  const dropped = `left out by our own settings${byBounds === '' ? '' : ` (${byBounds})`}`;
  const each = [
    [outcomes.fetched, 'fetched'],
    [outcomes.excluded, 'excluded by their sites'],
    [outcomes.dropped, dropped],
    [outcomes.failed, 'not obtained because of errors'],
    [outcomes.held, 'still queued when the crawl ended'],
  ] as const;
  const parts = each.flatMap(([urls, how]) =>
    urls > 0 ? [`${number(urls)} ${urls === 1 ? 'was' : 'were'} ${how}`] : [],
  );
  return `Of ${plural(found, 'URL')} that we found, ${parts.join(', ')}.`;
}

function auditText({ audit, totals }: ReportData): string {
  if (totals.requests === 0) return '';
  const judged = `An independent audit of the request log (mannerly audit) judged ${plural(audit.requests, 'request')}`;
  const found = plural(sumOf(audit.counts), 'violation');
  const verdict = audit.passed
    ? `${judged}, all in it, and found no violation.`
    : `${judged} and found ${found}, listed in the report.`;
  // What a reader of the figures has to know, such as requests that the log lacks.
  return [verdict, ...audit.notes].join(' ');
}

function minute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function seconds(ms: number): string {
  if (ms >= 100_000) return `${number(Math.round(ms / 1_000))} s`;
  return `${(ms / 1_000).toFixed(ms >= 10_000 ? 1 : ms >= 100 || ms === 0 ? 2 : 3)} s`;
}

/** Bytes in the largest unit that leaves a digit before the decimal point. */
function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
