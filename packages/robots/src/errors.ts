// The only error class of this package. It is thrown for mistakes of the caller only, never for the contents of a file.

/** What the caller got wrong. The codes are stable; programs may match on them. */
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

/** What to do if a body or a document is something else. */
export const CALL_HINT = 'call parseRobots(body, { robotsUrl })';
