// Reports as text for people: the end of a crawl, why it fetched nothing, and a crawl on a server.

import type { StoreReport } from '../inspection/store-inspection.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { reasonOf } from '../report/reasons.js';
import { politenessText, printable } from '../report/table.js';

/**
 * The report as text for a person. @param isShared - Whether several processes write into the directory. @throws Never
 */
export function summaryText(report: CrawlReport, directory: string, isShared = false): string {
  const nothing = nothingFetchedText(report);
  const parts = [
    endText(report),
    ...(report.waiting.length === 0 ? [] : [waitingText(report)]),
    ...(nothing === null ? [] : [nothing]),
    ...(report.politeness.length === 0 ? [] : [politenessText(report.politeness)]),
    ...report.scopeMoves.map(
      ({ from, to }) => `Scope moved: the seed ${printable(from)} led to ${printable(to)}, whose host is in scope too.`,
    ),
    ...report.traps.map(
      ({ rule, pattern }) => `Trap: ${printable(pattern)} (${rule}); links that its own pages add were dropped.`,
    ),
    ...report.relaxedDefaults.map((each) => `Relaxed default: ${each}`),
    isShared ? sharedFiles(directory) : ownFiles(directory),
  ];
  return parts.join('\n\n');
}

function ownFiles(directory: string): string {
  return `Items:     ${directory}/items.jsonl\nRequests:  ${directory}/requests.jsonl\nDecisions: ${directory}/decisions.jsonl (ask with: mannerly explain ${directory} <url or host>)`;
}

/** Each process has its own. */
function sharedFiles(directory: string): string {
  return `Items:     ${directory}/items-*.jsonl (together: mannerly export ${directory})\nRequests:  ${directory}/requests-*.jsonl\nDecisions: ${directory}/decisions-*.jsonl (ask with: mannerly explain ${directory} <url or host>)`;
}

/** How it ended, and the counts. */
function endText(report: CrawlReport): string {
  const bound = report.bound ?? 'pages';
  const how = {
    finished: report.alreadyFinished
      ? 'Finished before: nothing was left to fetch, and nothing was asked. To fetch it all again, add --reset or name another --out.'
      : 'Finished: nothing is left to fetch.',
    bounded: report.alreadyFinished
      ? `Ended before by its bound of ${bound}: nothing was asked. To go on, give a larger --${bound}; to start over, add --reset.`
      : `Ended by its bound of ${bound}.${report.queued === 0 ? '' : ` To go on, give a larger --${bound}.`}`,
    waiting: 'Waiting: only hosts are left that have to be waited for. The same command goes on when they are due.',
    stopped: `${stoppedText(report)} The same command goes on.`,
  }[report.state];
  const taken = (report.runningMs / 1_000).toFixed(1);
  const words = Object.entries(report.outcomes)
    .filter(([word]) => word !== 'fetched')
    .map(([word, reasons]) => `${total(reasons)} ${word} (${countsText(reasons)})`);
  const left = report.queued === 0 ? [] : [`${report.queued} left in the queue`];
  const runs = report.resumed ? ', all runs together' : '';
  const done = `${counted(report.pages, 'page')}, ${counted(report.requests, 'request')}, ${counted(report.items, 'item')} in ${taken} s${runs}`;
  return `${how} ${[done, ...words, ...left].join('; ')}.`;
}

/** Why it was stopped, where a handler has said so. */
function stoppedText({ stopReason }: CrawlReport): string {
  return stopReason === undefined ? 'Stopped.' : `Stopped by a handler: "${printable(stopReason, 500)}".`;
}

function waitingText({ waiting }: CrawlReport): string {
  const lines = waiting.slice(0, 20).map(({ host, reason, untilMs, queued }) => {
    const until = untilMs === null ? 'until somebody has looked at it' : `until ${new Date(untilMs).toISOString()}`;
    return `  ${host} ${until} (${reason}), ${queued} queued`;
  });
  const more = waiting.length > 20 ? [`  … and ${waiting.length - 20} more`] : [];
  return ['Waiting:', ...lines, ...more].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function total(reasons: Readonly<Record<string, number>>): number {
  return Object.values(reasons).reduce((sum, count) => sum + count, 0);
}

function countsText(reasons: Readonly<Record<string, number>>): string {
  return Object.entries(reasons)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

/** Reasons of pages that were fetched and led to nothing. */
const WITHOUT_RESULT: readonly string[] = ['no-handler'];

/** Why a crawl fetched at most one page; `null` for one that fetched more, was stopped, or had finished before. */
function nothingFetchedText({ pages, state, alreadyFinished, outcomes }: CrawlReport): string | null {
  if (pages > 1 || alreadyFinished || (state !== 'finished' && state !== 'waiting')) return null;
  const head = pages === 0 ? 'No page was fetched:' : 'Only one page was fetched:';
  const reasons = Object.entries(outcomes).flatMap(([status, counts]) =>
    Object.entries(counts).filter(([reason]) => status !== 'fetched' || WITHOUT_RESULT.includes(reason)),
  );
  if (reasons.length === 0) return pages === 0 ? null : `${head} it has no link that may be followed.`;
  return [head, ...reasons.map(([reason, count]) => `  ${reason} (${count}): ${meaningOf(reason)}`)].join('\n');
}

function meaningOf(reason: string): string {
  const row = reasonOf(reason);
  if (row === null) return 'see the decision log.';
  return row.todo === '' ? row.means : `${row.means} ${row.todo}`;
}

/** The report of a crawl on a server. */
export function storeReportText(report: StoreReport): string {
  const { name, seeds, seedCount, createdAtMs, processes } = report;
  const more = seedCount > 3 ? `, … (${seedCount} seeds)` : '';
  const lines = [
    `Crawl of ${seeds
      .slice(0, 3)
      .map((seed) => printable(seed))
      .join(', ')}${more} by ${printable(name)}, begun ${new Date(createdAtMs).toISOString()}.`,
    `${report.pages} pages, ${report.requests} requests, ${report.items} items, ${report.bytes} bytes in ${(report.runningMs / 1_000).toFixed(0)} s; ${report.hosts} hosts, ${report.known} URLs known, ${report.queued} queued.`,
    ...(report.bound === null ? [] : [`Its bound of ${report.bound} is used up.`]),
    ...Object.entries(report.outcomes).map(([word, reasons]) => {
      const counts = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
      return `  ${word}: ${counts.join(', ')}`;
    }),
    '',
    `${processes.length} process${processes.length === 1 ? '' : 'es'}:`,
    ...processes.map(processText),
    '',
    'The politeness to each host is told by the logs of each machine: mannerly report <dir>.',
  ];
  return lines.join('\n');
}

function processText({
  part,
  machine,
  pid,
  state,
  toldAtMs,
  requests,
  items,
  early,
}: StoreReport['processes'][number]): string {
  const who = machine === null ? part : `${printable(machine)} ${pid ?? ''} (${part})`;
  const how = { 'at-work': 'at work', over: 'has ended', silent: 'has not been heard of since' }[state];
  const since = state !== 'silent' || toldAtMs === null ? '' : ` ${new Date(toldAtMs).toISOString()}`;
  const judged = early === null ? '' : `, ${early} early`;
  return `  ${who}: ${how}${since}; ${requests} requests, ${items} items${judged}`;
}
