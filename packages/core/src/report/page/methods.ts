// The methods paragraph: what a paper has to say of a crawl, in plain sentences with this crawl's own figures.

import type { RunPromise } from '../run-line.js';
import type { ReportData } from './report-data.js';

const DIALECTS: Readonly<Record<string, string>> = {
  rfc9309: 'RFC 9309',
  google: "Google's published rules",
  '1996': 'the 1996 draft',
  '1994': 'the 1994 consensus',
};

/** The paragraph. @throws Never */
export function methodsText(data: Omit<ReportData, 'methods'>): string {
  const { crawl, totals, audit, generator } = data;
  const run = crawl.runs.at(-1) ?? null;
  return [
    whatText(data),
    run === null ? '' : whoText(run, generator.mannerly),
    run === null ? '' : rulesText(run, data),
    run === null ? '' : paceText(run, data),
    leftAloneText(data),
    audit.passed
      ? `An independent audit of the request log (mannerly audit) judged all ${number(audit.requests)} requests and found no violation.`
      : totals.requests === 0
        ? ''
        : `An independent audit of the request log (mannerly audit) judged ${number(audit.requests)} requests and found ${number(violationsOf(data))} violations, which are listed in the report.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function whatText({ crawl, totals }: Omit<ReportData, 'methods'>): string {
  const begun =
    crawl.startedAtMs === null ? '' : ` between ${minute(crawl.startedAtMs)} and ${minute(crawl.endedAtMs ?? 0)}`;
  const from = crawl.seedCount === 1 ? `from ${crawl.seeds[0]}` : `from ${number(crawl.seedCount)} seed URLs`;
  return `We crawled ${from}${begun}, making ${plural(totals.requests, 'HTTP request')} (${number(totals.pageRequests)} for pages, ${number(totals.robotsRequests)} for robots.txt) to ${plural(totals.hosts, 'host')} and receiving ${size(totals.bytes)}.`;
}

function whoText({ versions, userAgent, tokens }: RunPromise, fallback: string): string {
  const tokenText = tokens.length === 1 ? `product token ${tokens[0]}` : `product tokens ${tokens.join(', ')}`;
  return `Requests were made by mannerly ${versions?.mannerly ?? fallback} and identified themselves as "${userAgent}" (${tokenText}).`;
}

function rulesText({ robots }: RunPromise, { totals, rules }: Omit<ReportData, 'methods'>): string {
  const read = DIALECTS[robots.dialect ?? 'rfc9309'] ?? robots.dialect;
  const policy =
    robots.policy === undefined || robots.policy === 'declared' ? '' : ` under the policy "${robots.policy}"`;
  const by = rules.length === 0 ? '' : `; the lines that did so are listed with the copy of the file they stand in`;
  return `The robots.txt of every authority was read as ${read} says${policy} before any other request to it, and nothing else was requested while it could not be had. ${plural(totals.outcomes.excluded, 'URL was', 'URLs were')} excluded at the directive of sites${by}.`;
}

function paceText({ pace }: RunPromise, { hosts, pauses }: Omit<ReportData, 'methods'>): string {
  const most = pace.maxMs === null ? '' : `, ${seconds(pace.maxMs)} at most`;
  const longerIf =
    pace.factor === 0 ? '' : ` (${pace.factor} times the duration of that one where this is longer${most})`;
  const least = `each request beginning at least ${seconds(pace.minMs)} after the end of the one before${longerIf}`;
  const longer = hosts.filter(
    ({ crawlDelayMs, requestIntervalMs }) => crawlDelayMs !== null || requestIntervalMs !== null,
  );
  const tightest = hosts.flatMap(({ tightest: each }) => (each === null ? [] : [each]));
  const nearest = tightest.reduce<(typeof tightest)[number] | null>(
    (least, each) =>
      least === null || each.gapMs - each.requiredGapMs < least.gapMs - least.requiredGapMs ? each : least,
    null,
  );
  const asked =
    longer.length === 0
      ? ''
      : ` ${plural(longer.length, 'host', 'hosts')} asked for a pace of their own (Crawl-delay or Request-rate), which was kept where it was slower.`;
  const silences =
    pauses.length === 0
      ? ''
      : ` ${plural(pauses.length, 'pause', 'pauses')} asked for by answers (429, 503, Retry-After, failures) ${pauses.every(({ isObeyed }) => isObeyed) ? 'were all kept' : 'were asked for; not all were kept'}.`;
  const measured =
    nearest === null
      ? ''
      : ` The request that came nearest to its limit began ${seconds(nearest.gapMs)} after the end of its host's last exchange, where ${seconds(nearest.requiredGapMs)} were required.`;
  return `A host was asked one thing at a time, ${least}.${asked}${silences}${measured}`;
}

function leftAloneText({ totals: { outcomes } }: Omit<ReportData, 'methods'>): string {
  const rest = [
    outcomes.dropped > 0 ? `${number(outcomes.dropped)} were outside the scope or the bounds we had set` : '',
    outcomes.failed > 0 ? `${number(outcomes.failed)} could not be had` : '',
    outcomes.held > 0 ? `${number(outcomes.held)} were still waiting for their host when the crawl ended` : '',
  ].filter((part) => part !== '');
  return rest.length === 0 ? '' : `Of the other URLs that were found, ${rest.join(', ')}.`;
}

function violationsOf({ audit }: Omit<ReportData, 'methods'>): number {
  return Object.values(audit.counts).reduce((sum, count) => sum + count, 0);
}

function minute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Seconds with as many digits as they deserve. */
function seconds(ms: number): string {
  if (ms >= 100_000) return `${number(Math.round(ms / 1_000))} s`;
  return `${(ms / 1_000).toFixed(ms >= 10_000 ? 1 : ms >= 100 || ms === 0 ? 2 : 3)} s`;
}

/** Bytes in the largest unit that leaves a digit before the point. */
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

/** A whole number with groups of three digits. */
function number(value: number): string {
  return value.toLocaleString('en');
}

/** A count with its noun. */
function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
