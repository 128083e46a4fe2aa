// The one error class of the package: for a caller's mistake or a broken component, never for what a crawl meets every
// day.

/**
 * Stable error codes; callers match on them.
 *
 * - `option-invalid`: an option is unknown or out of its range.
 * - `not-open`: a call before `open()`.
 * - `closed`: a call after `close()`.
 * - `work-unknown`: a piece of work that this frontier did not hand out, or that was settled before.
 * - `record-too-large`: a record longer than the store's contract allows.
 * - `record-unreadable`: the store holds a record that this version cannot read.
 * - `store-failed`: the store threw; the frontier stops, since it no longer knows what was kept.
 * - `store-mismatch`: the store holds another crawl, or one of another format.
 */
type FrontierErrorCode =
  | 'option-invalid'
  | 'not-open'
  | 'closed'
  | 'work-unknown'
  | 'record-too-large'
  | 'record-unreadable'
  | 'store-failed'
  | 'store-mismatch';

/** What the frontier throws. */
export class FrontierError extends Error {
  /** Stable across versions. */
  readonly code: FrontierErrorCode;
  /** What a person can do about it; `null` if the message says it. */
  readonly hint: string | null;

  constructor(
    code: FrontierErrorCode,
    message: string,
    more: { readonly cause?: unknown; readonly hint?: string } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'FrontierError';
    this.code = code;
    this.hint = more.hint ?? null;
  }
}

const UNREADABLE_HINT =
  'Another version or another program wrote it, or it is damaged. Put a copy of the store back, or start over ' +
  '(--reset, `reset: true`).';

/** The error for a record that this version did not write. @param what - Names it: `the entry 7 of a.test` */
export function unreadable(what: string, cause?: unknown): FrontierError {
  const message = `${what} in the store cannot be read`;
  return new FrontierError('record-unreadable', message, { hint: UNREADABLE_HINT, cause });
}
