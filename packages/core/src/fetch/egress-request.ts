// A request that egress is to send, its entry in the request log, and what the log keeps of a robots.txt so that the
// answer can be read again.

import { createHash } from 'node:crypto';
import type { Work } from '@mannerly/frontier';
import type { RequestRecord, RobotsReceipt } from '../report/decision.js';
import type { ResponseHead } from './fetcher.js';
import { MAX_LOGGED_FIELD_CHARS } from './limits.js';
import { type FetchOutcome, headersByName, headerValue, type ResponseOutcome } from './outcome.js';
import type { RequestPurpose } from './request-headers.js';

export interface EgressRequest {
  /** What the frontier handed out. Credentials and fragment in its URL are never sent. */
  readonly work: Work;
  readonly purpose: RequestPurpose;
  /** @default GET */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** The login form of a POST. It is never recorded. */
  readonly body?: string;
  /**
   * The page that loads the URL in a browser. From another origin, the request gets no credential. @default `null`:
   * none
   */
  readonly from?: string | null;
  /** More header fields: conditions, Accept-Language. The caller cannot set identity, cookies and framing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Awaited after the last byte and before the body is decoded. @default at once */
  readonly beforeDecoding?: (() => Promise<void>) | undefined;
  /** Decoded bytes kept. @default `network.maxBodyBytes`; robots.txt has its own limit */
  readonly maxBodyBytes?: number;
  /**
   * Called when the header section has arrived. Returns the most decoded bytes of the body, which goes to a file if it
   * is large. `null`: it is kept in memory, up to `maxBodyBytes`. @default `null`
   */
  readonly largeBody?: (head: ResponseHead) => number | null;
  readonly signal: AbortSignal;
}

/**
 * The log entry of an exchange whose request was sent. Never throws.
 *
 * @param gapMs - From the end of the host's last exchange to the start of this one; `null` for the first.
 */
export function requestRecord(
  { work, purpose, method = 'GET' }: EgressRequest,
  outcome: FetchOutcome,
  headers: Readonly<Record<string, string>>,
  gapMs: number | null,
): RequestRecord {
  const { host, requirements } = work.lease;
  const response = outcome.kind === 'response' ? outcome : null;
  const retryAfter = response === null ? null : headerValue(response.headers, 'retry-after');
  return {
    url: outcome.url,
    host,
    purpose,
    startedAtMs: outcome.timing.startedAtMs,
    endedAtMs: outcome.timing.endedAtMs,
    status: response?.status ?? null,
    failure: outcome.kind === 'failed' ? outcome.failure : null,
    encodedBytes: response?.encodedBytes ?? 0,
    remoteAddress: outcome.remoteAddress,
    userAgent: headers['User-Agent'] ?? '',
    crawlDelayMs: requirements.crawlDelayMs,
    requestIntervalMs: requirements.requestIntervalMs,
    gapMs,
    truncated: response?.truncated ?? null,
    retryAfter: retryAfter?.slice(0, MAX_LOGGED_FIELD_CHARS) ?? null,
    robots: work.kind === 'robots' ? null : work.robots,
    robotsAnswer: work.kind === 'robots' ? robotsReceipt(work.authority, outcome) : null,
    // Last: V8 takes long to add to an object that others were copied into.
    ...(method === 'GET' ? {} : { method }),
    ...(headers['Signature'] === undefined ? {} : { signed: true }),
    ...(outcome.signedIn === true ? { signedIn: true } : {}),
    ...(response !== null && isUnread(response) ? { unread: true } : {}),
  };
}

/** A body of which nothing was kept: limits are at least a byte, unless no handler takes the kind of the page. */
function isUnread({ truncated, body, file }: ResponseOutcome): boolean {
  return truncated === 'limit' && body.length === 0 && file === undefined;
}

/** Fields that decide where an answer leads, how its body is read and how long it is valid (access 3, 4, 6). */
const RECEIPT_FIELDS: ReadonlySet<string> = new Set(
  'age cache-control content-type date etag expires last-modified location retry-after'.split(' '),
);

/** The answer for a robots.txt: enough to read it again without the network. */
function robotsReceipt(authority: string, outcome: FetchOutcome): RobotsReceipt {
  if (outcome.kind === 'failed') return { authority, hash: null, headers: {} };
  const fields = Object.entries(headersByName(outcome.headers, RECEIPT_FIELDS));
  const headers = Object.fromEntries(fields.map(([name, value]) => [name, value.slice(0, MAX_LOGGED_FIELD_CHARS)]));
  const hasBody = outcome.status >= 200 && outcome.status <= 299 && outcome.truncated !== 'connection';
  // As `RobotsCopyRef.hash`.
  const hash = hasBody ? createHash('sha256').update(outcome.body).digest('hex') : null;
  return { authority, hash, headers };
}
