// The entries of a crawl's log, and their receivers: a function, or an object with a method for each level, like
// console and pino. A terminal shows the first entries of each kind, and at the end of a run the number of others: an
// error in a handler occurs on every page, and a screen has little space.

import { isError } from '../errors.js';
import { isObject } from '../parse-json.js';
import { redacted } from '../redacted.js';
import { framesOf, isUserCode } from '../report/code-error.js';
import { escapeControls, printable } from '../report/table.js';
import { MAX_LOG_CHARS, MAX_LOGGED_KINDS, MAX_LOGGED_PER_KIND, MAX_STACK_LINES, STORE_LOG_RESET_MS } from './limits.js';

/** How much an entry matters, from least to most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One entry of the log. */
export interface LogEntry {
  readonly level: LogLevel;
  /**
   * What it is about: the code of a host warning (`host-paused`) or of an error (`handler-error`), `host-failing`,
   * `nothing-fetched`, `scope-changed`, `not-parked`, `items-unkept`, `items-known`, `object-returned`,
   * `item-rejected`, `body-truncated`, `user-data-too-large`, `route-unused`, `selector-unused`, `order`, `added`,
   * `store`, `trap`, `scope-moved`, `run-started`, `run-ended`, `request` or `decision`.
   */
  readonly code: string;
  /** One line for people, without control characters. */
  readonly message: string;
  /** Epoch milliseconds, by the clock of the crawl. */
  readonly atMs: number;
  readonly host?: string;
  readonly url?: string;
  /** What the user's own code threw, unchanged. */
  readonly error?: unknown;
  /** Its stack as text, and the line of source that it came from. */
  readonly stack?: string | null;
  readonly source?: string | null;
}

/** Receives entries. What it throws becomes a process warning. */
export interface LogFunction {
  (entry: LogEntry): void;
  /** The lowest level that it receives, read when a run starts. @default debug: everything */
  readonly level?: LogLevel;
}

/**
 * An object with a method for each level. If it also has `bindings`, like pino, it gets the entry's fields and the
 * message; others, like console, get a line of text, and errors with their stack. If it has a `level`, like pino, that
 * is the lowest level that it gets.
 */
export type Logger = Readonly<Record<LogLevel, (...args: never[]) => unknown>>;

/** Whether a value has a method for each level. @throws Never */
export function isLogger(value: unknown): value is Logger {
  return isObject(value) && LOG_LEVELS.every((level) => typeof value[level] === 'function');
}

/** @param option - A level for standard error, `silent` or `false` for nothing, or a receiver of every entry. */
export function logFunctionOf(option: false | 'silent' | LogLevel | LogFunction | Logger): LogFunction | null {
  if (option === false || option === 'silent') return null;
  if (typeof option === 'function') return option;
  if (typeof option === 'object') return toLogger(option);
  return terminalLog((text) => process.stderr.write(`mannerly: ${escapeControls(redacted(text))}\n`), option);
}

/** A function that receives nothing below a level. */
export function withLevel(write: (entry: LogEntry) => void, level: LogLevel): LogFunction {
  return Object.assign((entry: LogEntry) => write(entry), { level });
}

/** Whether a function receives entries of this level. */
export function receivesLevel({ level: lowest = 'debug' }: LogFunction, level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest);
}

/** The entry as text: a line, and its stack below. @param maxFrames - The most, user code only. @default all frames */
export function logText({ message, stack }: LogEntry, maxFrames: number | null = null): string {
  if (stack == null) return message;
  // The first lines repeat the message.
  const frames = framesOf(stack);
  const isOwn = (frame: string): boolean => isUserCode(frame) && !frame.endsWith('<anonymous>)');
  const own = maxFrames === null ? frames : frames.filter(isOwn).slice(0, maxFrames);
  return [message, ...own.map((line) => `    ${printable(line.trim(), MAX_LOG_CHARS)}`)].join('\n');
}

/** Passes entries to an object. Never throws itself. */
export function toLogger(logger: Logger): LogFunction {
  const isStructured = 'bindings' in logger;
  const write: LogFunction = (entry) => {
    const { level, message, error, stack, ...fields } = entry;
    const method = logger[level] as (...args: unknown[]) => unknown;
    if (isStructured) method.call(logger, error === undefined ? fields : { ...fields, err: error }, message);
    else method.call(logger, logText(entry));
  };
  return withLevel(write, LOG_LEVELS.find((level) => 'level' in logger && logger.level === level) ?? 'debug');
}

const OTHERS = 'others';

/** The entries of a kind. */
interface KindCount {
  count: number;
  readonly first: LogEntry;
}

/** The file that has all entries of a code. Other codes are in no file. */
const FILES: Readonly<Record<string, string | undefined>> = {
  'handler-error': 'errors.jsonl',
  'handler-timeout': 'errors.jsonl',
  'hook-error': 'errors.jsonl',
  'host-failing': 'requests.jsonl',
};

/** @param print - Prints lines. @param level - The lowest level that is printed. */
export function terminalLog(print: (text: string) => void, level: LogLevel): LogFunction {
  const counts = new Map<string, KindCount>();
  const endCount = (kind: string, { count, first }: KindCount): void => {
    counts.delete(kind);
    const more = count - MAX_LOGGED_PER_KIND;
    if (more <= 0) return;
    const what = kind === OTHERS ? 'of other kinds' : `of the kind ${first.code}${sourceText(first)}`;
    print(`${more} more ${what}${fileHint(first)}.`);
  };
  const write = (entry: LogEntry): void => {
    // Each outage of a server matters, however many there were in the days before.
    const storeCount = counts.get('store');
    if (storeCount !== undefined && entry.atMs - storeCount.first.atMs >= STORE_LOG_RESET_MS)
      endCount('store', storeCount);
    if (LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(level)) {
      const nth = ordinalOf(counts, entry);
      // For a full disk or a missing permission, the message is enough. The stacks of one kind differ little.
      const isOfSystem = entry.code === 'sink-failed' && isError(entry.error) && 'syscall' in entry.error;
      if (nth <= MAX_LOGGED_PER_KIND) print(logText(entry, nth === 1 && !isOfSystem ? MAX_STACK_LINES : 0));
    }
    if (entry.code === 'run-ended') for (const [kind, counted] of counts) endCount(kind, counted);
  };
  // The end of a run is `info`, and the counts are printed then.
  return withLevel(write, level === 'debug' ? 'debug' : 'info');
}

/** The number of an entry within its kind, from 1. What is printed on demand (`info` and less) is not counted. */
function ordinalOf(counts: Map<string, KindCount>, entry: LogEntry): number {
  if (entry.level === 'debug' || entry.level === 'info') return 1;
  const own = `${entry.code}${sourceText(entry)}`;
  const kind = counts.has(own) || counts.size < MAX_LOGGED_KINDS ? own : OTHERS;
  const known = counts.get(kind) ?? { count: 0, first: entry };
  known.count += 1;
  counts.set(kind, known);
  return known.count;
}

function sourceText({ source }: LogEntry): string {
  return source == null ? '' : ` at ${source}`;
}

function fileHint({ code, level, host }: LogEntry): string {
  const file = FILES[code] ?? (level === 'warn' && host !== undefined ? 'warnings.jsonl' : undefined);
  return file === undefined ? '' : ` (a crawl directory has all of them in ${file})`;
}
