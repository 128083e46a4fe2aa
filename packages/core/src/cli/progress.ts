// Progress on standard error: one line drawn over itself on a terminal, nothing where output is piped, unless plain
// lines are asked for. For every command that takes its time.

import type { CrawlProgress } from '../report/crawl-report.js';
import { progressText } from '../report/progress-line.js';
import { type RunManifestEnd, readRunManifests } from '../run/run-manifest.js';
import type { CliIo } from './io.js';

/** Milliseconds between two drawings on a terminal: four a second. */
const REDRAW_MS = 250;
/** Milliseconds between two log lines. */
const LOG_MS = 5_000;
/** Columns of a log line. */
const LOG_COLUMNS = 200;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * `auto`: drawn on a terminal, quiet elsewhere; `lines`: a plain line every five seconds, for logs; `none`: nothing.
 */
export const PROGRESS_MODES = ['auto', 'lines', 'none'] as const;
/** One of `PROGRESS_MODES`. */
export type ProgressMode = (typeof PROGRESS_MODES)[number];

/** A running display. */
export interface ProgressDisplay {
  /** Prints a line of its own, above the progress line. */
  line(text: string): void;
  /** Takes the line away. Safe to call twice. */
  stop(): void;
}

/** Starts showing the progress of a crawl. @param read - Asked at every drawing. */
export function showProgress(io: CliIo, read: () => CrawlProgress, mode: ProgressMode = 'auto'): ProgressDisplay {
  return showLine(io, (width) => progressText(read(), io.nowMs(), width), mode);
}

/** How far a piece of work is. */
export interface WorkDisplay {
  /** @param of - How much there is; absent: as said at first, or unknown. */
  at(done: number, of?: number): void;
  /** Takes the line away. Safe to call twice. */
  stop(): void;
}

/**
 * Starts showing a piece of work on a terminal: `Judging: 12,000 of 31,494 requests`. Quiet elsewhere.
 *
 * @param what - What is done: `Judging`.
 * @param unit - What is counted: `requests`.
 * @param of - How many there are; `null`: no one knows.
 */
export function showWork(io: CliIo, what: string, unit: string, of: number | null = null): WorkDisplay {
  let done = 0;
  let whole = of;
  const display = showLine(io, (width) => {
    const share = whole === null || whole < done ? '' : ` of ${whole.toLocaleString('en')}`;
    return `${what}: ${done.toLocaleString('en')}${share} ${unit}`.slice(0, Math.max(0, width));
  });
  return {
    at(now, of_) {
      done = now;
      whole = of_ ?? whole;
    },
    stop: () => display.stop(),
  };
}

/** Shows a piece of work while it lasts. @returns What it came to; rejects with what it rejects with. */
export async function watched<T>(
  display: WorkDisplay,
  work: (tell: (done: number, of?: number) => void) => Promise<T>,
): Promise<T> {
  try {
    return await work((done, of) => display.at(done, of));
  } finally {
    display.stop();
  }
}

/** Starts showing a line. @param textOf - Asked at every drawing for a text of that many columns at most. */
export function showLine(io: CliIo, textOf: (width: number) => string, mode: ProgressMode = 'auto'): ProgressDisplay {
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) io.draw(CLEAR_LINE);
    isDrawn = false;
  };
  const draw = (): void => {
    // One column stays free: a full line would make some terminals wrap.
    io.draw(`${CLEAR_LINE}${textOf(io.columns() - 1)}`);
    isDrawn = true;
  };
  const log = (): void => io.err(textOf(LOG_COLUMNS));
  const isDrawing = mode === 'auto' && io.isTerminal;
  const end = isDrawing ? io.every(REDRAW_MS, draw) : mode === 'lines' ? io.every(LOG_MS, log) : () => undefined;
  let isOver = false;
  return {
    line(text) {
      clear();
      io.err(text);
    },
    stop() {
      if (!isOver) end();
      isOver = true;
      clear();
    },
  };
}

/** How much there is to read in crawl directories, by the manifests of their runs; `null`: a run has no end. */
export async function recordedCount(
  directories: readonly string[],
  name: 'requests' | 'items' | 'pages',
): Promise<number | null> {
  let sum = 0;
  for (const directory of directories) {
    const manifests = await readRunManifests(directory).catch(() => []);
    if (manifests.length === 0) return null;
    const ends = manifests.flatMap(({ end }): RunManifestEnd[] => (end === null ? [] : [end]));
    if (ends.length < manifests.length) return null;
    // Pages are those of the crawl, the others of each process.
    const counts = ends.map(({ counts: each }) => each[name]);
    sum += name === 'pages' ? Math.max(...counts) : counts.reduce((whole, each) => whole + each, 0);
  }
  return sum;
}
