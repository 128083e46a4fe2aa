// An error of the user's own code (a handler, a hook, a sink) as one line of the error log: with its stack, and the
// line of source where it happened. Any value can be thrown, so everything here is bounded and nothing throws.

import { formatValue, isError, MannerlyError, textOf } from '../errors.js';
import { DEEP_STACK_FRAMES, MAX_ERROR_CAUSES, MAX_ERROR_MESSAGE, MAX_ERROR_STACK } from './limits.js';

/** One line of `errors.jsonl`. */
export interface CodeError {
  readonly code: 'handler-error' | 'handler-timeout' | 'hook-error' | 'sink-failed';
  /** The page that it concerns; `null` if none. */
  readonly url: string | null;
  readonly hook?: string;
  /** The class of the error, such as `TypeError`; `null` if the thrown value was not an error. */
  readonly name: string | null;
  readonly message: string;
  /** The user's line: `file:line:column`; `null` if unknown. */
  readonly source: string | null;
  /** As the engine wrote it, causes included; `null` if none. */
  readonly stack: string | null;
  readonly atMs: number;
}

export type CodeErrorContext = Pick<CodeError, 'code' | 'url' | 'hook' | 'atMs'>;

export function codeErrorOf(error: unknown, context: CodeErrorContext): CodeError {
  const { code, url, hook, atMs } = context;
  return { code, url, ...(hook === undefined ? {} : { hook }), ...partsOf(error), atMs };
}

/** A thrown value as one line, in the form of `errorLine`. Never throws. */
export function errorText(error: unknown): string {
  return errorLine(partsOf(error));
}

/** The error as one line: its class, its message and its source. Never throws. */
export function errorLine({ name, message, source }: Pick<CodeError, 'name' | 'message' | 'source'>): string {
  const text = name === null ? message : `${name}${message === '' ? '' : `: ${message}`}`;
  return `${text}${source === null ? '' : ` (${source})`}`;
}

/**
 * How to see the user's line if the stack ends before it: the engine keeps only the innermost frames, and an error of a
 * selector comes from deep inside cheerio. Empty if the line is known, or the stack is not full. Never throws.
 */
export function deepStackHint({ source, stack }: Pick<CodeError, 'source' | 'stack'>): string {
  const max = Error.stackTraceLimit;
  if (source !== null || stack === null || stack.split(/^\s+at /m).length <= max) return '';
  return ` (more than ${max} frames deep: \`node --stack-trace-limit=${DEEP_STACK_FRAMES}\` shows your line)`;
}

function partsOf(error: unknown): Pick<CodeError, 'name' | 'message' | 'source' | 'stack'> {
  try {
    if (!isError(error)) {
      const text = typeof error === 'object' ? formatValue(error) : textOf(error);
      return { name: null, message: truncate(text, MAX_ERROR_MESSAGE), source: null, stack: null };
    }
    const { name, stack: thrown } = error;
    const message =
      error instanceof MannerlyError && error.hint !== null ? `${error.message}. ${error.hint}` : error.message;
    const stacks = [String(thrown), ...causesOf(error)].join('\nCaused by: ');
    const stack = typeof thrown === 'string' ? truncate(stacks, MAX_ERROR_STACK) : null;
    return {
      name: truncate(String(name), MAX_ERROR_MESSAGE),
      message: truncate(String(message), MAX_ERROR_MESSAGE),
      source: stack === null ? null : sourceIn(stack),
      stack,
    };
  } catch {
    return { name: null, message: 'an error that cannot be read', source: null, stack: null };
  }
}

function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let { cause } = error; cause !== undefined && causes.length < MAX_ERROR_CAUSES; ) {
    const causeError: Error | null = isError(cause) ? cause : null;
    causes.push(causeError?.stack ?? String(cause));
    cause = causeError?.cause;
  }
  return causes;
}

/** The frames of a stack, and the heads of its causes. Never throws. */
export function framesOf(stack: string): string[] {
  return stack.split('\n').filter((line) => /^\s+at |^Caused by: /.test(line));
}

/** Whether a frame is neither in Node.js nor in an installed package. Never throws. */
export function isUserCode(frame: string): boolean {
  return !/node:|[\\/]node_modules[\\/]/.test(frame);
}

/** The first frame in the user's code. */
function sourceIn(stack: string): string | null {
  for (const line of stack.split('\n')) {
    const [, place] = /^\s+at (?:.*\()?(.+:\d+:\d+)\)?$/.exec(line) ?? [];
    if (place !== undefined && isUserCode(place)) return place.replace(/^async /, '');
  }
  return null;
}

function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
