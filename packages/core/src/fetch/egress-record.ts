// What egress writes to the request log about each request, and the gap that it measured before it.

import { createHash } from 'node:crypto';
import type { HostRequirements, RobotsCopyRef } from '@mannerly/frontier';
import { MAX_GAP_HOSTS, MAX_LOGGED_FIELD_CHARS } from './limits.js';
import { type FetchOutcome, headerValue } from './outcome.js';
import type { RequestPurpose } from './request-headers.js';

/** One request that left, for the request log. */
export interface EgressRecord {
  readonly url: string;
  readonly host: string;
  readonly purpose: RequestPurpose;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly encodedBytes: number;
  readonly remoteAddress: string | null;
  readonly userAgent: string;
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
  /** Milliseconds from the end of the host's last exchange to this start, as measured here; `null` for the first. */
  readonly gapMs: number | null;
  readonly truncated: 'limit' | 'connection' | null;
  /** As it came. */
  readonly retryAfter: string | null;
  readonly robots: RobotsCopyRef | null;
  readonly robotsAnswer: RobotsReceipt | null;
}

/** What is recorded of the request itself. */
export interface RecordedRequest {
  readonly host: string;
  readonly purpose: RequestPurpose;
  readonly requirements: HostRequirements;
  /** The copy of robots.txt that let it out. @default `null` */
  readonly robots?: RobotsCopyRef | null;
  /** Whose robots.txt was requested. @default `null`: none was */
  readonly robotsOf?: string | null;
}

/** The log's entry for an exchange. */
export function egressRecord(
  { host, purpose, requirements, robots = null, robotsOf = null }: RecordedRequest,
  outcome: FetchOutcome,
  userAgent: string,
  gapMs: number | null,
): EgressRecord {
  const isResponse = outcome.kind === 'response';
  return {
    url: outcome.url,
    host,
    purpose,
    startedAtMs: outcome.timing.startedAtMs,
    endedAtMs: outcome.timing.endedAtMs,
    status: isResponse ? outcome.status : null,
    failure: isResponse ? null : outcome.failure,
    encodedBytes: isResponse ? outcome.encodedBytes : 0,
    remoteAddress: outcome.remoteAddress,
    userAgent,
    crawlDelayMs: requirements.crawlDelayMs,
    requestIntervalMs: requirements.requestIntervalMs,
    gapMs,
    truncated: isResponse ? outcome.truncated : null,
    retryAfter: isResponse
      ? (headerValue(outcome.headers, 'retry-after')?.slice(0, MAX_LOGGED_FIELD_CHARS) ?? null)
      : null,
    robots,
    robotsAnswer: robotsOf === null ? null : robotsReceipt(robotsOf, outcome),
  };
}

/** When each host's last exchange ended, for a bounded number of hosts: what the log's gaps are measured from. */
export class LastEnds {
  readonly #ends = new Map<string, number>();

  /** Milliseconds from the end of the last exchange to this start; `null` for the first. Keeps the end of this one. */
  gap(host: string, startedAtMs: number, endedAtMs: number): number | null {
    const last = this.#ends.get(host);
    this.#ends.delete(host);
    this.#ends.set(host, Math.max(endedAtMs, last ?? endedAtMs));
    const oldest = this.#ends.keys().next();
    if (this.#ends.size > MAX_GAP_HOSTS && !oldest.done) this.#ends.delete(oldest.value);
    return last === undefined ? null : startedAtMs - last;
  }
}

/** What came for a robots.txt: enough to read the answer again without the network. */
export interface RobotsReceipt {
  /** Whose rules are wanted; on a hop of a redirect not the one that the URL names. */
  readonly authority: string;
  /** SHA-256 of the body, first 16 hex digits; `null` where there is none to read. */
  readonly hash: string | null;
  /** Lower-case name to value; several lines of a field joined. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Fields that decide where an answer leads, how its body reads and how long it holds (access 3, 4, 6). */
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
