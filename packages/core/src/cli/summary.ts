// Reports as text for people: the end of a crawl, and a crawl on a server.

import type { StoreReport } from '../inspection/store-inspection.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { hasFetchedNoPage, whyNothingFetched } from '../report/nothing-fetched.js';
import { droppedByBounds } from '../report/outcome-counts.js';
import { priceLines } from '../report/price-sums.js';
import { durationText, iso, plural, politenessText, printable, remarksText, sumOf } from '../report/table.js';

/** @param isOnServer - Whether its queue is on a server, where `--reset` deletes nothing. */
export function summaryText(report: CrawlReport, isOnServer = false): string {
  const nothing = whyNothingFetched(report);
  const trapText = report.outcomes['dropped']?.['trap'] === undefined ? 'went last' : 'were dropped';
  const parts = [
    endText(report, isOnServer),
    ...recrawlText(report),
    ...(report.waiting.length === 0 ? [] : [waitingText(report)]),
    ...(nothing === null ? [] : [nothing]),
    // A table without requests has no information.
    ...[(report.requests === 0 ? remarksText : politenessText)(report.politeness)].filter(Boolean),
    ...report.scopeMoves.map(
      ({ from, to }) => `Scope moved: the seed ${printable(from)} led to ${printable(to)}, whose host is in scope too.`,
    ),
    ...report.traps.map(
      ({ rule, pattern }) => `Trap: ${printable(pattern)} (${rule}); links that its own pages add ${trapText}.`,
    ),
    ...priceLines(report.politeness),
    ...(report.signed === undefined ? [] : [signedText(report.signed, report.requests)]),
    ...truncatedText(report, ' of this run'),
    ...stagesText('Stages of this run', report.stages ?? []),
    ...stallText(report),
    ...report.relaxedDefaults.map((each) => `Relaxed default: ${each}`),
  ];
  return parts.join('\n\n');
}

/** The share of requests with a signature: plain http never has one. */
export function signedText(signed: number, requests: number): string {
  const share = requests === 0 ? 0 : (100 * signed) / requests;
  return `Signed: ${signed} of ${plural(requests, 'request')} (${share.toFixed(1)} %).`;
}

export function stagesText(title: string, stages: NonNullable<CrawlReport['stages']>): string[] {
  if (stages.length === 0) return [];
  const lines = stages.map(({ name, dropped, failed, ...stage }) => {
    const others = `${dropped === 0 ? '' : `, ${dropped} dropped`}${failed === 0 ? '' : `, ${failed} failed`}`;
    return `  ${printable(name)}: ${stage.in} in, ${stage.out} out${others}`;
  });
  return [[`${title}:`, ...lines].join('\n')];
}

/** @param whose - For example ` of this run`. */
export function truncatedText({ truncated = 0 }: Pick<CrawlReport, 'truncated'>, whose = ''): string[] {
  if (truncated === 0) return [];
  const which = `${plural(truncated, 'page')}${whose} ${truncated === 1 ? 'is' : 'are'} incomplete`;
  return [
    `Truncated: ${which}, longer than \`network.maxBodyBytes\` (--max-body-bytes), or than their handlers accept.`,
  ];
}

/** Mentions a stall of a second or more, in which nothing else was processed. */
function stallText({ longestStallMs = 0 }: CrawlReport): string[] {
  if (longestStallMs < 1_000) return [];
  const cause = 'a handler, or a page that took long to read (warnings.jsonl names those: page-slow)';
  return [`Longest stall: ${(longestStallMs / 1_000).toFixed(1)} s, caused by ${cause}.`];
}

function endText(report: CrawlReport, isOnServer: boolean): string {
  const reset = isOnServer ? 'take another ?crawl=<name>' : 'add --reset (deletes items, logs and archive)';
  const textOf = { finished: finishedText, bounded: boundedText, waiting: waitText, stopped: stoppedText }[
    report.state
  ];
  const pages = plural(report.pages, 'page');
  const ofDirectory = `${plural(report.requests, 'request')}, ${plural(report.items, 'item')}`;
  const runningTime = `in ${durationText(report.runningMs)}${report.resumed ? ', all runs together' : ''}`;
  // Pages and time are those of the whole crawl, on which other machines may work.
  const counts = isOnServer
    ? `${pages} of the crawl ${runningTime}; here ${ofDirectory}`
    : `${pages}, ${ofDirectory} ${runningTime}`;
  const others = Object.entries(report.outcomes)
    .filter(([status]) => status !== 'fetched')
    .map(([status, reasons]) => `${sumOf(reasons)} ${status} (${countsText(reasons)})`);
  const queuedText = report.queued === 0 ? [] : [`${report.queued} left in the queue`];
  const how = textOf(report, reset, isOnServer ? '' : ' or name another --out');
  return `${how} ${[counts, ...others, ...queuedText].join('; ')}.`;
}

function finishedText(report: CrawlReport, reset: string, other: string): string {
  const { alreadyFinished, recrawl } = report;
  if (alreadyFinished && recrawl !== undefined)
    return 'Finished: no known page is due, and nothing was requested. Run the same command again later.';
  const isWithoutPage = hasFetchedNoPage(report);
  const without = isWithoutPage ? ' without a page' : '';
  const failed = sumOf(report.outcomes['failed'] ?? {});
  const retry = failed === 0 ? '' : ` Add --retry all to request ${plural(failed, 'failed URL')} again.`;
  const again = `${isWithoutPage ? 'To try again with other options' : 'To fetch it all again'}, ${reset}`;
  return alreadyFinished
    ? `Finished earlier${without}: nothing was left to fetch, and nothing was requested.${retry} ${again}${other}.`
    : `Finished${without}: nothing is left to fetch.${isWithoutPage ? ` ${again}.` : ''}`;
}

function boundedText({ alreadyFinished, bound, bounds, queued }: CrawlReport, reset: string): string {
  if (bound === null) {
    const dropped = `nothing is left except URLs beyond the bounds, ${droppedByBounds(bounds)}`;
    return `Bounded${alreadyFinished ? ' earlier' : ''}: ${dropped}. To fetch them, change these options and ${reset}.`;
  }
  const more = ` To continue, give a larger --${bound}`;
  return alreadyFinished
    ? `Ended earlier by its bound of ${bound}: nothing was requested.${more}; to start over, ${reset}.`
    : `Ended by its bound of ${bound}.${queued === 0 ? '' : `${more}.`}`;
}

function waitText({ waiting, recrawl, part }: CrawlReport): string {
  if (waiting.length === 0 && recrawl !== undefined)
    return 'Waiting: no known page is due. The same command continues when one is.';
  return waiting.length === 0 && part !== undefined
    ? 'Waiting: other processes have the remaining hosts. The same command continues when one of them is due.'
    : 'Waiting: all remaining hosts have to wait. The same command continues when they are due; a smaller --max-idle ends sooner.';
}

/** Reasons of the crawl itself, not of a handler. */
const OWN_STOP = /^(signature-clock|egress-not-listed|proxy-down|no-browser|sign-in-impossible): /;

function stoppedText({ stopReason }: CrawlReport): string {
  if (stopReason === undefined) return 'Stopped. The same command continues the crawl.';
  const stopper = OWN_STOP.test(stopReason) ? '' : ' by a handler';
  return `Stopped${stopper}: "${printable(stopReason, 500)}". The same command continues the crawl.`;
}

/** What became of the known pages. A first run has none. */
function recrawlText({ recrawl: counts, resumed }: CrawlReport): string[] {
  if (counts === undefined || (counts.visits === 0 && !resumed)) return [];
  const { visits, notModified, sameContent, changed, gone, bytesSaved } = counts;
  const { known, freshBefore, freshAfter, nextDueAtMs } = counts;
  const unchangedCount = notModified + sameContent;
  const savedText = bytesSaved === 0 ? '' : `, ${plural(bytesSaved, 'byte')} not transferred`;
  const due = nextDueAtMs === null ? '' : ` The next page is due at ${iso(nextDueAtMs)}.`;
  const rest = visits - changed - unchangedCount - gone;
  const others = rest > 0 ? `, ${rest} failed or excluded` : '';
  const what = `${changed} changed, ${unchangedCount} unchanged (${notModified} by a 304${savedText}), ${gone} gone${others}`;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const fresh =
    freshBefore === null || freshAfter === null
      ? ''
      : ` Of ${plural(known, 'page')} ${percent(freshAfter)} are expected to be unchanged since their visit (before this run ${percent(freshBefore)}).`;
  return [`Crawled again: ${plural(visits, 'known page')} visited, ${what}.${fresh}${due}`];
}

function waitingText({ waiting }: CrawlReport): string {
  const lines = waiting.slice(0, 20).map(({ host, reason, untilMs, queued }) => {
    const until = untilMs === null ? 'until you unpark it' : `until ${iso(untilMs)}`;
    return `  ${host} ${until} (${reason}), ${queued} queued`;
  });
  const more = waiting.length > 20 ? [`  … and ${waiting.length - 20} more`] : [];
  return ['Waiting:', ...lines, ...more].join('\n');
}

function countsText(reasons: Readonly<Record<string, number>>): string {
  return Object.entries(reasons)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

export function outcomeLines(outcomes: CrawlReport['outcomes']): string[] {
  return Object.entries(outcomes).map(([status, reasons]) => `  ${status}: ${printable(countsText(reasons), 10_000)}`);
}

/** Identifies a crawl: its first seeds, who crawls, and since when. A polite fetch has no seeds. */
export function crawlText(crawl: Pick<StoreReport, 'name' | 'seeds' | 'seedCount' | 'createdAtMs'>): string {
  const seeds = crawl.seeds.slice(0, 3).map((seed) => printable(seed));
  const more = crawl.seedCount > 3 ? `, … (${crawl.seedCount} seeds)` : '';
  const what = seeds.length === 0 ? 'Requests' : `Crawl of ${seeds.join(', ')}${more}`;
  return `${what} by ${printable(crawl.name)}, begun ${iso(crawl.createdAtMs)}.`;
}

export function storeReportText(report: StoreReport): string {
  const { pages, requests, items, bytes, hosts, known, queued, processes } = report;
  const done = `${plural(pages, 'page')}, ${plural(requests, 'request')}, ${plural(items, 'item')}, ${plural(bytes, 'byte')} in ${durationText(report.runningMs)}`;
  return [
    crawlText(report),
    `${done}; ${plural(hosts, 'host')}, ${plural(known, 'URL')} known, ${queued} queued.`,
    ...(report.bound === null ? [] : [`Its bound of ${report.bound} is used up.`]),
    ...outcomeLines(report.outcomes),
    '',
    `${plural(processes.length, 'process', 'processes')}:`,
    ...processes.map(processText),
    '',
    'A URL that several processes excluded or dropped counts once for each of them here. The logs of all machines count it',
    'once, and show the politeness to each host: mannerly report <dir> <dir> ….',
  ].join('\n');
}

export function processText(process: StoreReport['processes'][number]): string {
  const { part, machine, pid, state, phase, toldAtMs, requests, items, early } = process;
  const processLabel = machine === null ? part : `${printable(machine)} ${pid ?? ''} (${part})`;
  const how = { 'at-work': phase ?? 'running', over: 'has ended', silent: 'has not reported since' }[state];
  const since = state !== 'silent' || toldAtMs === null ? '' : ` ${iso(toldAtMs)}`;
  const earlyText = early === null ? '' : `, ${early} early`;
  return `  ${processLabel}: ${how}${since}; ${plural(requests, 'request')}, ${plural(items, 'item')}${earlyText}`;
}
