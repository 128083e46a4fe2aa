// The meaning of the command's exit codes. Scripts rely on them: they change only with a major version.

import type { CrawlReport } from '../report/crawl-report.js';
import { hasFetchedNoPage } from '../report/nothing-fetched.js';

export const EXIT = {
  ok: 0,
  broken: 1,
  usage: 2,
  waiting: 3,
  spent: 4,
  violated: 5,
  failed: 6,
  bounded: 7,
  stopped: 130,
} as const;

export const EXIT_CODES: readonly (readonly [code: number, means: string, todo: string])[] = [
  [EXIT.ok, 'done: nothing was left, or a bound ended the run and the rest is queued', ''],
  [EXIT.broken, 'something failed: a disk, a store, a bug', 'see the message'],
  [EXIT.usage, 'a wrong call, or a directory of another crawl or one that another run has open', 'see the message'],
  [
    EXIT.waiting,
    'all remaining hosts have to wait, or no page of a standing crawl is due',
    'run the same command again later: the report says when',
  ],
  [EXIT.spent, 'the bounds were already used up; no request was sent', 'use larger bounds, or --reset'],
  [
    EXIT.violated,
    'audit found a violation of politeness, or nothing to check; identity check found a fault; verify could not verify a request',
    'a violation is a bug: please report it',
  ],
  [
    EXIT.failed,
    'no page was fetched: all failed or were not allowed, until nothing was left or a bound was reached. robots, datasets, licence: no answer',
    'see the reasons: often a wrong URL, a server that is down, a robots.txt, or a handler that throws',
  ],
  [
    EXIT.bounded,
    'only URLs that bounds or the trap detection dropped are left',
    'use larger bounds and --reset, or leave it: the last lines say which bound',
  ],
  [EXIT.stopped, 'stopped by Ctrl-C, by a handler, or from the live view', 'the same command continues the crawl'],
];

/** The code for how a run ended. @throws Never */
export function exitCodeOf(
  report: Pick<CrawlReport, 'state' | 'bound' | 'alreadyFinished' | 'pages' | 'outcomes'>,
): number {
  const { state, bound, alreadyFinished } = report;
  const ended = hasFetchedNoPage(report) ? EXIT.failed : EXIT.ok;
  switch (state) {
    case 'finished':
      return ended;
    case 'bounded':
      if (alreadyFinished) return EXIT.spent;
      return bound === null && ended === EXIT.ok ? EXIT.bounded : ended;
    case 'waiting':
      return EXIT.waiting;
    case 'stopped':
      return EXIT.stopped;
  }
}

export const EXIT_CODES_HELP = `
Exit codes:
${EXIT_CODES.map(([code, means]) => `  ${String(code).padEnd(5)}${means}`).join('\n')}`;
