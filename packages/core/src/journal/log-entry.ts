// What the log of a crawl gets to know, and who receives it: a function, or an object with a method for each level as
// console and pino have.

import { printable } from '../report/table.js';
import { MAX_LOG_CHARS } from './limits.js';

/** How much an entry matters, from least to most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** One of `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One entry of the log. */
export interface LogEntry {
  readonly level: LogLevel;
  /**
   * What it is about: the code of a host warning (`host-paused`) or of an error (`handler-error`), `host-failing`,
   * `nothing-fetched`, `store`, `trap`, `scope-moved`, `run-started`, `run-ended`, `request` or `decision`.
   */
  readonly code: string;
  /** One line for people, without control characters. */
  readonly message: string;
  /** Epoch milliseconds, by the clock of the crawl. */
  readonly atMs: number;
  readonly host?: string;
  readonly url?: string;
  /** What the user's own code threw, as it was thrown. */
  readonly error?: unknown;
  /** Its stack as text, and the line of source that it came from. */
  readonly stack?: string | null;
  readonly source?: string | null;
}

/** Receives entries. What it throws becomes a process warning. */
export type LogFunction = (entry: LogEntry) => void;

/**
 * An object with a method for each level. One that has `bindings` too, as pino has, gets the entry's fields and the
 * message; others, as console, get a line of text, and errors with their stack.
 */
export type Logger = Readonly<Record<LogLevel, (...args: never[]) => unknown>>;

/** The entry as text: one line, and the stack below it. @param most - Lines of the stack. Never throws. */
export function logText({ message, stack }: LogEntry, most = Number.MAX_SAFE_INTEGER): string {
  if (stack == null) return message;
  // The first lines repeat the message.
  const frames = stack.split('\n').filter((line) => /^\s+at |^Caused by: /.test(line));
  return [message, ...frames.slice(0, most).map((line) => `    ${printable(line.trim(), MAX_LOG_CHARS)}`)].join('\n');
}

/** Passes entries to an object. Never throws by itself. */
export function toLogger(logger: Logger): LogFunction {
  const isStructured = 'bindings' in logger;
  return (entry) => {
    const { level, message, error, stack, ...fields } = entry;
    const write = logger[level] as (...args: unknown[]) => unknown;
    if (isStructured) write.call(logger, error === undefined ? fields : { ...fields, err: error }, message);
    else write.call(logger, logText(entry));
  };
}
