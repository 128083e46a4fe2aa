// The end of a crawl in words: how it ended, what was done, what waits, and where everything is.

import { type CrawlReport, politenessText, printable } from 'mannerly';
import { gotNowhereText } from './got-nowhere.js';

/** The report as text for a person. @param isShared - Whether several processes write into the directory. @throws Never */
export function summaryText(report: CrawlReport, directory: string, isShared = false): string {
  const nowhere = gotNowhereText(report);
  const parts = [
    endText(report),
    ...(report.waiting.length === 0 ? [] : [waitingText(report)]),
    ...(nowhere === null ? [] : [nowhere]),
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
