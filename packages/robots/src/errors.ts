// The one error class of this package. It is thrown for mistakes of the caller only, never for what a file holds.

/** What the caller got wrong; stable, to be matched on. */
export type RobotsErrorCode =
  | 'foreign-url'
  | 'invalid-document'
  | 'invalid-input'
  | 'invalid-tokens'
  | 'option-invalid'
  | 'option-unknown';

/** A mistake of the caller. */
export class RobotsError extends Error {
  override readonly name = 'RobotsError';
  declare readonly code: RobotsErrorCode;
  /** What a person can do about it. */
  declare readonly hint: string | undefined;

  constructor(code: RobotsErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
