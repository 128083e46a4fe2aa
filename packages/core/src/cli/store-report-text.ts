// What a crawl on a server has come to, in words.

import { printable, type StoreReport } from 'mannerly';

/** The report as text for a person. @throws Never */
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
