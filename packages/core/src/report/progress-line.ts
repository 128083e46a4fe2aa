// One line about the current state of a crawl: pages, hosts, queue, exclusions, pace, and what it waits for.

import type { CrawlProgress } from './crawl-report.js';
import { plural, printable, seconds } from './table.js';

/**
 * At most `width` characters. The pace is the average over the running time. What the crawl waits for is shown only
 * while nothing is in flight.
 */
export function progressText(progress: CrawlProgress, nowMs: number, width = 100): string {
  const { pages, hosts, queued, excluded, failed, runningMs, holding } = progress;
  const perSecond = runningMs < 1_000 ? pages : pages / (runningMs / 1_000);
  const parts =
    holding !== undefined
      ? [plural(pages, 'page'), printable(holding, 200)]
      : [
          plural(pages, 'page'),
          plural(hosts, 'host'),
          `${queued} queued`,
          `${excluded} excluded`,
          failed === 0 ? '' : `${failed} failed`,
          `${perSecond.toFixed(1)}/s`,
          activityText(progress, nowMs),
        ];
  const line = parts.filter((part) => part !== '').join(' · ');
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

function activityText({ waitingFor, waitingHosts, inFlight }: CrawlProgress, nowMs: number): string {
  if (inFlight > 0) return `${inFlight} in flight`;
  if (waitingFor === null) return '';
  const others = waitingHosts > 1 ? `, ${waitingHosts - 1} more` : '';
  const remaining = waitingFor.untilMs === null ? '' : ` ${seconds(Math.max(0, waitingFor.untilMs - nowMs))}`;
  return `waiting for ${printable(waitingFor.host, 60)} (${waitingFor.reason})${remaining}${others}`;
}
