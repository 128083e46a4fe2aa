// Converts errors of a store to those of this package.

import { FrontierError } from '@mannerly/frontier';
import { MannerlyError } from './errors.js';

/** Messages of a server that gives this user no access, or has no such database. */
const REFUSES_THE_USER =
  /\b(?:NOAUTH|WRONGPASS|NOPERM)\b|authentication failed|no pg_hba\.conf entry|permission denied|does not exist/;

/** A store error as ours; `directory-taken` if the store has another crawl's frontier. Other errors stay unchanged. */
export function asMannerlyError(error: unknown, directory: string | null): unknown {
  if (!(error instanceof FrontierError)) return error;
  const more = { cause: error, ...(error.hint === null ? {} : { hint: error.hint }) };
  if (error.code === 'store-mismatch' && directory !== null) {
    const message = `${directory} does not hold the frontier of this crawl: ${error.message}`;
    return new MannerlyError('directory-taken', message, more);
  }
  if (error.code !== 'store-failed') return error;
  const { message } = error;
  // A server that came back empty has kept nothing.
  const keepsCommitted = !message.includes('has lost the crawl') && !REFUSES_THE_USER.test(message);
  const hint = [error.hint ?? checkFor(message), keepsCommitted ? COMMITTED_HINT : '']
    .filter((part) => part !== '')
    .join(' ');
  return new MannerlyError('store-failed', message, { cause: error, hint });
}

const COMMITTED_HINT = 'What was committed is kept: with a durable store the same crawl continues from there.';

/** What to check if the store has no advice of its own. */
function checkFor(message: string): string {
  if (REFUSES_THE_USER.test(message))
    return 'Are the name and the password in its URL right, and may that user do what it has to?';
  // lmdb has no other message for an incomplete write.
  if (/No space left|Input\/output error/.test(message)) return 'Is the disk full?';
  return message.includes('could not be reached') ? 'Is the server running, and is its URL right?' : '';
}
