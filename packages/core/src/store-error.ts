// Errors of a store as those of this package.

import { FrontierError } from '@mannerly/frontier';
import { MannerlyError } from './errors.js';

/** An error of the store as ours, `directory-taken` where it has another crawl's frontier. Others stay as they are. */
export function asMannerlyError(error: unknown, directory: string | null): unknown {
  if (!(error instanceof FrontierError)) return error;
  const more = { cause: error, ...(error.hint === null ? {} : { hint: error.hint }) };
  if (error.code === 'store-mismatch' && directory !== null) {
    return new MannerlyError(
      'directory-taken',
      `${directory} does not hold the frontier of this crawl: ${error.message}`,
      more,
    );
  }
  if (error.code !== 'store-failed') return error;
  // Nothing is kept by a server that came back empty.
  const isGone = error.message.includes('has lost the crawl');
  const isRefused = /\b(?:NOAUTH|WRONGPASS|NOPERM)\b|authentication failed|no pg_hba\.conf entry/.test(error.message);
  const kept =
    isGone || isRefused ? '' : 'What was committed is kept: with a durable store the same crawl goes on from there.';
  // lmdb has no other word for half of a write.
  const isFull = /No space left|Input\/output error/.test(error.message);
  const isAway = error.message.includes('could not be reached');
  const check = isRefused
    ? 'Are the name and the password in its URL right, and may that user do what it has to?'
    : isFull
      ? 'Is the disk full?'
      : isAway
        ? 'Is the server running, and is its URL right?'
        : '';
  const hint = [check, error.hint ?? '', kept].filter((part) => part !== '').join(' ');
  return new MannerlyError('store-failed', error.message, { cause: error, hint });
}
