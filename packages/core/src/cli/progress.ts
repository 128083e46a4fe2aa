// Progress on standard error: on a terminal one line that is redrawn, elsewhere nothing or plain lines.

import { readRunManifests } from '../run/run-manifest.js';
import type { CliIo } from './io.js';

/** Milliseconds between two drawings on a terminal: four a second. */
const REDRAW_MS = 250;
/** Milliseconds between two log lines. */
const LOG_MS = 5_000;
const LOG_COLUMNS = 200;
const CLEAR_LINE = '\r\u001b[2K';

/** `auto`: drawn on a terminal, else quiet; `lines`: a line every five seconds, for logs; `none`: nothing. */
export const PROGRESS_MODES = ['auto', 'lines', 'none'] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

export interface ProgressDisplay {
  /** Prints a line of its own, above the progress line. */
  line(text: string): void;
  /** Removes the line. Safe to call twice. */
  stop(): void;
}

/** Shows the progress of a task on a terminal: `Judging: 12,000 of 31,494 requests`. @param of - `null`: unknown. */
export async function withProgress<T>(
  io: CliIo,
  what: string,
  unit: string,
  of: number | null,
  work: (progress: (done: number, of?: number) => void, line: (text: string) => void) => Promise<T>,
): Promise<T> {
  let done = 0;
  let total = of;
  const display = startProgressLine(io, (width) => {
    const ofTotal = total === null || total < done ? '' : ` of ${total.toLocaleString('en')}`;
    return `${what}: ${done.toLocaleString('en')}${ofTotal} ${unit}`.slice(0, Math.max(0, width));
  });
  try {
    return await work((now, newTotal) => {
      done = now;
      total = newTotal ?? total;
    }, display.line);
  } finally {
    display.stop();
  }
}

/** Starts showing a line. @param textOf - Called before every redraw; returns at most that many columns. */
export function startProgressLine(
  io: CliIo,
  textOf: (width: number) => string,
  mode: ProgressMode = 'auto',
): ProgressDisplay {
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) io.draw(CLEAR_LINE);
    isDrawn = false;
  };
  const draw = (): void => {
    // One column stays free: a full line makes some terminals wrap.
    io.draw(`${CLEAR_LINE}${textOf(io.columns() - 1)}`);
    isDrawn = true;
  };
  const log = (): void => io.err(textOf(LOG_COLUMNS));
  const isDrawing = mode === 'auto' && io.isTerminal;
  const end = isDrawing ? io.every(REDRAW_MS, draw) : mode === 'lines' ? io.every(LOG_MS, log) : () => undefined;
  let isStopped = false;
  return {
    line(text) {
      clear();
      io.err(text);
    },
    stop() {
      if (!isStopped) end();
      isStopped = true;
      clear();
    },
  };
}

/** The number of entries to read in crawl directories, from the manifests of their runs; `null` if a run has no end. */
export async function recordedCount(
  directories: readonly string[],
  name: 'requests' | 'items' | 'pages',
): Promise<number | null> {
  let sum = 0;
  for (const directory of directories) {
    const manifests = await readRunManifests(directory).catch(() => []);
    const counts = manifests.flatMap(({ end }) => end?.counts[name] ?? []);
    if (counts.length === 0 || counts.length < manifests.length) return null;
    // Pages are counts of the crawl, the others of each process.
    sum += name === 'pages' ? Math.max(...counts) : counts.reduce((total, each) => total + each, 0);
  }
  return sum;
}
