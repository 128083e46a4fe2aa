// `mannerly crawl --workers <n>`: one line of progress, one end and one report for all processes.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import type { CrawlReport } from '../../report/crawl-report.js';
import { totalsFromLogs } from '../../report/from-logs.js';
import { progressText } from '../../report/progress-line.js';
import type { CrawlSetup } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { stopOnInterrupt } from '../live-crawl.js';
import { type ProgressDisplay, showLine } from '../progress.js';
import { type Crew, startCrew } from './crew.js';
import { joinedProgress, joinedReport } from './joined-report.js';

/** The default of `network.concurrency`. */
const DEFAULT_CONCURRENCY = 64;

/**
 * Runs the crawl with several processes.
 *
 * @returns The report of all of them, or the exit code where there is none: they have said why.
 * @throws MannerlyError where logs cannot be read.
 */
export async function crawlWithCrew(
  { seeds, flags, options }: CrawlSetup,
  count: number,
  out: string,
  io: CliIo,
): Promise<CrawlReport | number> {
  const { concurrency = DEFAULT_CONCURRENCY } = options.network ?? {};
  const shared = { ...flags, concurrency: Math.ceil(concurrency / count) };
  let display: ProgressDisplay | null = null;
  const crew = startCrew({
    count,
    start: () => io.startWorker(),
    order: (isFirst) => ({ kind: 'start', seeds, flags: shared, out, isFirst }),
    say: (line) => (display === null ? io.err(line) : display.line(line)),
  });
  display = showLine(io, (width) => lineOf(crew, io, width), flags.progress);
  const release = stopOnInterrupt(io, display.line, crew.stop, crew.kill);
  try {
    const ends = await crew.ended;
    const [first, ...others] = ends.flatMap(({ report }) => report ?? []);
    const worst = Math.max(...ends.map(({ code }) => code));
    if (first === undefined) return worst === EXIT.ok ? EXIT.broken : worst;
    const logged = await totalsFromLogs(await readCrawlDirectory(out));
    return joinedReport([first, ...others], logged);
  } finally {
    display.stop();
    release();
  }
}

function lineOf(crew: Crew, io: CliIo, width: number): string {
  const progress = joinedProgress(crew.progress());
  const mark = `${crew.atWork()} processes · `;
  return progress === null ? `${mark}opening` : `${mark}${progressText(progress, io.nowMs(), width - mark.length)}`;
}
