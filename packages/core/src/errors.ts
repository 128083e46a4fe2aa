// The one error class of this package: for the caller's mistakes and broken machinery, never for what a crawl meets.

import { types } from 'node:util';
import { redacted } from './redacted.js';

/** Stable codes; the README has a heading for each. */
export type MannerlyErrorCode =
  | 'option-invalid'
  | 'option-unknown'
  | 'identity-name'
  | 'identity-contact'
  | 'identity-key'
  | 'bounds-missing'
  | 'seed-invalid'
  | 'already-running'
  | 'not-running'
  | 'directory-taken'
  | 'directory-format'
  | 'directory-in-use'
  | 'crawl-differs'
  | 'sink-failed'
  | 'log-failed'
  | 'install-broken'
  | 'store-failed'
  | 'item-invalid'
  | 'page-over'
  | 'page-not-markup'
  | 'page-not-json'
  | 'page-not-pdf'
  | 'page-too-large'
  | 'route-invalid'
  | 'archive-failed'
  | 'archive-missing'
  | 'export-failed'
  | 'peer-missing'
  | 'fetch-failed'
  | 'fetch-refused'
  | 'file-failed'
  | 'file-folder-missing'
  | 'dashboard-failed'
  | 'clock-unavailable'
  | 'clock-stuck';

/** A mistake of the caller or broken machinery. Match on `code`. `hint` says what to do, `cause` is what caused it. */
export class MannerlyError extends Error {
  readonly code: MannerlyErrorCode;
  readonly hint: string | null;

  constructor(code: MannerlyErrorCode, message: string, details: { hint?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MannerlyError';
    this.code = code;
    this.hint = details.hint ?? null;
  }
}

/** An invalid option: ``expected `NAME` to be EXPECTED, got VALUE``. @param option - Such as `scope.hosts`. */
export function invalidOption(
  option: string,
  expected: string,
  value: unknown,
  hint?: string,
  code: MannerlyErrorCode = 'option-invalid',
): MannerlyError {
  const message = `expected \`${option}\` to be ${expected}, got ${formatValue(value)}`;
  return new MannerlyError(code, message, hint === undefined ? {} : { hint });
}

/** A value as messages show it: text and objects as JSON if possible. Never throws. */
export function formatValue(value: unknown): string {
  const isJson = typeof value === 'string' || (typeof value === 'object' && !(value instanceof RegExp));
  const json = isJson ? jsonOf(value) : undefined;
  const text = redacted(typeof value === 'function' ? 'a function' : (json ?? textOf(value)));
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

/** `undefined`: it has none, such as a circular object. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Any value as text; an object without a text of its own as JSON, of which `MAX_SHOWN_CHARS` characters are kept. */
export function textOf(value: unknown): string {
  try {
    const text = String(value);
    return text === String({}) ? redacted(jsonOf(value) ?? text).slice(0, MAX_SHOWN_CHARS) : text;
  } catch {
    // It has no prototype, or its `toString` throws.
    return typeof value;
  }
}

/** Characters of a value that a message shows. */
const MAX_SHOWN_CHARS = 100;

/**
 * Whether a value is an error, of whichever realm: a program under Jest, or in a context of `node:vm`, has an `Error`
 * of its own, and errors of Node.js are no instances of it. Never throws.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
