// What the command's exit codes mean. Scripts rely on them: they change only with a major version.

import type { CrawlReport } from 'mannerly';

/** The codes. */
export const EXIT = {
  /** Done: nothing was left, or a bound was reached. */
  ok: 0,
  /** Something broke: a disk, a bug. */
  broken: 1,
  /** The command was called wrongly. */
  usage: 2,
  /** Only hosts are left that have to be waited for; the same command goes on later. */
  waiting: 3,
  /** The crawl's bounds were used up before: nothing was asked. */
  spent: 4,
  /** `mannerly audit` found a violation, or nothing to judge. */
  violated: 5,
  /** Stopped by Ctrl-C, by a handler, or from the live view. */
  stopped: 130,
} as const;

/** The code for the way a run ended. @throws Never */
export function exitCodeOf({ state, alreadyFinished }: Pick<CrawlReport, 'state' | 'alreadyFinished'>): number {
  switch (state) {
    case 'finished':
      return EXIT.ok;
    case 'bounded':
      return alreadyFinished ? EXIT.spent : EXIT.ok;
    case 'waiting':
      return EXIT.waiting;
    case 'stopped':
      return EXIT.stopped;
  }
}

/** The codes as the help shows them. */
export const EXIT_HELP = `
Exit codes:
  0    finished, or a bound was reached
  1    something broke
  2    the command was called wrongly
  3    only hosts are left that have to be waited for
  4    the crawl's bounds were used up before: nothing was asked; it goes on with larger ones
  5    audit found a violation of politeness, or nothing to judge
  130  stopped by Ctrl-C, by a handler, or from the live view`;
