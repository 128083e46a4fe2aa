// `mannerly crawl --workers <n>`: one line of progress, one end and one report for all processes.

import { type CrawlReport, progressText, readCrawlDirectory, totalsFromLogs } from 'mannerly';
import type { CrawlFlags } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { type ProgressDisplay, showLine } from '../progress.js';
import { type Crew, startCrew } from './crew.js';
import { joinedProgress, joinedReport } from './joined-report.js';

/** Requests under way over all hosts where nothing is said, as `network.concurrency` of the library. */
const USUAL_CONCURRENCY = 64;

/**
 * Runs the crawl with as many processes as the flags say.
 *
 * @returns The report of all of them, or the exit code where there is none: they have said why.
 * @throws MannerlyError where logs cannot be read.
 */
export async function crawlWithCrew(
  seeds: readonly string[],
  flags: CrawlFlags & { readonly workers: number },
  out: string,
  io: CliIo,
): Promise<CrawlReport | number> {
  const { workers: count } = flags;
  const told = { ...flags, concurrency: Math.ceil((flags.concurrency ?? USUAL_CONCURRENCY) / count) };
  let display: ProgressDisplay | null = null;
  const crew = startCrew({
    count,
    start: () => io.startWorker(),
    order: (isFirst) => ({ kind: 'start', seeds, flags: { ...told }, out, isFirst }),
    say: (line) => (display === null ? io.err(line) : display.line(line)),
  });
  display = showLine(io, (width) => lineOf(crew, io, width), flags.progress);
  const release = onInterrupt(io, display.line, crew);
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

/** The first Ctrl-C stops cleanly, the second ends all processes at once. */
function onInterrupt(io: CliIo, say: (line: string) => void, crew: Crew): () => void {
  let interrupts = 0;
  return io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts === 1) {
      crew.stop();
      say('Stopping: what is in flight comes to its end. Ctrl-C again ends at once.');
      return;
    }
    crew.kill();
    io.exit(EXIT.stopped);
  });
}
