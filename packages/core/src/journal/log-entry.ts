// What the log of a crawl gets to know, and who receives it: a function, or an object with a method for each level as
// console and pino have.

import { printable } from '../report/table.js';
import { MAX_LOG_CHARS } from './limits.js';

/** How much an entry matters, from least to most. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
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
export interface LogFunction {
  (entry: LogEntry): void;
  /** The least that it gets, read when a run starts. @default debug: everything */
  readonly level?: LogLevel;
}

/**
 * An object with a method for each level. One that has `bindings` too, as pino has, gets the entry's fields and the
 * message; others, as console, get a line of text, and errors with their stack. A `level` that it has, as pino has, is
 * the least that it gets.
 */
export type Logger = Readonly<Record<LogLevel, (...args: never[]) => unknown>>;

/** A function that gets nothing below a level. */
export function withLevel(write: (entry: LogEntry) => void, level: LogLevel): LogFunction {
  return Object.assign((entry: LogEntry) => write(entry), { level });
}

/** Whether an entry of this level is for a function. */
export function isFor({ level: least = 'debug' }: LogFunction, level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** The entry as text: one line, and the stack below it. @param most - Frames, the user's alone. @default all frames */
export function logText({ message, stack }: LogEntry, most: number | null = null): string {
  if (stack == null) return message;
  // The first lines repeat the message.
  const frames = stack.split('\n').filter((line) => /^\s+at |^Caused by: /.test(line));
  const own =
    most === null ? frames : frames.filter((line) => !/[\\/]node_modules[\\/]|node:/.test(line)).slice(0, most);
  return [message, ...own.map((line) => `    ${printable(line.trim(), MAX_LOG_CHARS)}`)].join('\n');
}

/** Passes entries to an object. Never throws by itself. */
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
