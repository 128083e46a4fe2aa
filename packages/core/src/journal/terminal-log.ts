// The log on a terminal: the first entries of each kind, and at the end of a run how many more there were. An error in
// a handler comes with every page, and a screen holds few of them.

import { MAX_LOGGED_KINDS, MAX_LOGGED_OF_A_KIND, MAX_STACK_LINES } from './limits.js';
import { LOG_LEVELS, type LogEntry, type LogFunction, type LogLevel, logText, withLevel } from './log-entry.js';

const OTHERS = 'others';

/** Which file has all entries of a code; the rest are in no file. */
const FILES: Readonly<Record<string, string | undefined>> = {
  'handler-error': 'errors.jsonl',
  'handler-timeout': 'errors.jsonl',
  'hook-error': 'errors.jsonl',
  'host-failing': 'requests.jsonl',
};

/** @param print - Prints lines. @param level - The least that is printed. */
export function terminalLog(print: (text: string) => void, level: LogLevel): LogFunction {
  const counts = new Map<string, { count: number; readonly first: LogEntry }>();
  const summary = (): void => {
    for (const [kind, { count, first }] of counts) {
      const more = count - MAX_LOGGED_OF_A_KIND;
      if (more <= 0) continue;
      const what = kind === OTHERS ? 'of other kinds' : `of the kind ${first.code}${placeOf(first)}`;
      print(`${more} more ${what}${inFile(first)}.`);
    }
    counts.clear();
  };
  const write = (entry: LogEntry): void => {
    if (LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(level)) {
      const nth = ordinalOf(counts, entry);
      // The stacks of a kind differ little.
      if (nth <= MAX_LOGGED_OF_A_KIND) print(logText(entry, nth === 1 && !isOfSystem(entry) ? MAX_STACK_LINES : 0));
    }
    if (entry.code === 'run-ended') summary();
  };
  // The end of a run is `info`, and the numbers are printed then.
  return withLevel(write, level === 'debug' ? 'debug' : 'info');
}

/** A full disk or a missing permission: its message says all, and a stack nothing more. */
function isOfSystem({ code, error }: LogEntry): boolean {
  return code === 'sink-failed' && error instanceof Error && 'syscall' in error;
}

/** Which of its kind an entry is, from 1 on. What is printed on demand (`info` and less) is not counted. */
function ordinalOf(counts: Map<string, { count: number; readonly first: LogEntry }>, entry: LogEntry): number {
  if (entry.level === 'debug' || entry.level === 'info') return 1;
  const own = `${entry.code}${placeOf(entry)}`;
  const kind = counts.has(own) || counts.size < MAX_LOGGED_KINDS ? own : OTHERS;
  const known = counts.get(kind) ?? { count: 0, first: entry };
  known.count += 1;
  counts.set(kind, known);
  return known.count;
}

function placeOf({ source }: LogEntry): string {
  return source == null ? '' : ` at ${source}`;
}

function inFile({ code, level, host }: LogEntry): string {
  const file = FILES[code] ?? (level === 'warn' && host !== undefined ? 'warnings.jsonl' : undefined);
  return file === undefined ? '' : ` (a crawl directory has all of them in ${file})`;
}
