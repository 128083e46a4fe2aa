// What came for a robots.txt, as the request log keeps it: enough to read the answer once more without the network.

import { createHash } from 'node:crypto';
import { MAX_LOGGED_FIELD_CHARS } from './limits.js';
import type { FetchOutcome } from './outcome.js';

/** What came for a robots.txt. */
export interface RobotsReceipt {
  /** Whose rules are wanted; on a hop of a redirect not the one that the URL names. */
  readonly authority: string;
  /** SHA-256 of the body, first 16 hex digits; `null` where there is none to read. */
  readonly hash: string | null;
  /** Lower-case name to value; several lines of a field joined. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Fields by which an answer is understood: where it leads, how its body reads, how long it holds (access 3, 4, 6). */
const FIELDS: ReadonlySet<string> = new Set([
  'age',
  'cache-control',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
]);

/** The receipt of one exchange. Never throws. */
export function robotsReceipt(authority: string, outcome: FetchOutcome): RobotsReceipt {
  if (outcome.kind === 'failed') return { authority, hash: null, headers: {} };
  const headers: Record<string, string> = {};
  for (const [given, value] of outcome.headers) {
    const name = given.toLowerCase();
    if (!FIELDS.has(name)) continue;
    const joined = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    headers[name] = joined.slice(0, MAX_LOGGED_FIELD_CHARS);
  }
  const hasBody = outcome.status >= 200 && outcome.status <= 299 && outcome.truncated !== 'connection';
  const hash = hasBody ? createHash('sha256').update(outcome.body).digest('hex').slice(0, HASH_CHARS) : null;
  return { authority, hash, headers };
}

/** As `RobotsCopyRef.hash`. */
const HASH_CHARS = 16;
