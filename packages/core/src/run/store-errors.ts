// Errors of a store as errors of this package.

import { FrontierError } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';

/**
 * A store's error as ours: `store-failed`, or `directory-taken` for a crawl directory with another crawl's frontier.
 * Every other error is given back as it is.
 *
 * @param directory - The crawl directory; `null`: none.
 * @throws Never
 */
export function asMannerlyError(error: unknown, directory: string | null): unknown {
  if (!(error instanceof FrontierError)) return error;
  const more = { cause: error, ...(error.hint === null ? {} : { hint: error.hint }) };
  if (error.code === 'store-mismatch' && directory !== null) {
    return new MannerlyError('directory-taken', `${directory} holds another frontier: ${error.message}`, more);
  }
  if (error.code !== 'store-failed') return error;
  const kept = 'What was committed is kept: with a durable store the same crawl goes on from there.';
  const hint = error.hint === null ? kept : `${error.hint} ${kept}`;
  return new MannerlyError('store-failed', error.message, { cause: error, hint });
}
