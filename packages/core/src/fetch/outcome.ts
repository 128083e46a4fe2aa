// The outcome of one exchange: a value for everything that a crawl meets, never an exception. Also what it means for
// the frontier's host clock and for the reader of robots.txt, and what a site demands that refuses a page.

import type { Exchange } from '@mannerly/frontier';
import { parseRetryAfter, type RobotsAnswer, type RobotsFailure, retryAfterMs } from '@mannerly/robots/access';
import { parseJsonObject } from '../parse-json.js';
import { present } from '../present.js';
import { MAX_OFFER_CHARS, MAX_OFFERS, MAX_REFUSAL_DETAIL } from './limits.js';

/** Header field lines in the order received, names as sent. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** When the parts of one exchange happened, epoch milliseconds. */
export interface ExchangeTiming {
  /** Read just before the request was sent. */
  readonly startedAtMs: number;
  /** When the header section was complete; `null` if none arrived. */
  readonly headersAtMs: number | null;
  /** Time of the last byte, or of the failure. */
  readonly endedAtMs: number;
}

/** A body in a file of its own, decoded. */
export interface BodyFile {
  readonly bytes: number;
  /** Reads from its beginning each time, as far and as fast as you like. */
  read(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

/** A response. Its body may be incomplete: `truncated` says so. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderLines;
  /** The decoded body (content codings undone), cut at its limit. If `file` has the whole body, only its beginning. */
  readonly body: Uint8Array;
  /** The whole body, if it was too large for memory; absent otherwise. The crawl removes it. */
  readonly file?: BodyFile;
  /**
   * The body as received: without its transfer coding, but with its content codings. Absent unless it was requested
   * (`keepsEncoded`), or if the fetcher does not know it (`capabilities.encodedBody`).
   */
  readonly encodedBody?: Uint8Array;
  /** `limit`: cut by our own limit; `connection`: the other side ended early or decoding failed on the way. */
  readonly truncated: 'limit' | 'connection' | null;
  /** Bytes of the body as transferred; decoded bytes if the fetcher does not know. */
  readonly encodedBytes: number;
  readonly remoteAddress: string | null;
  readonly timing: ExchangeTiming;
  /** Set by egress: the request carried the credential of `signIn`. */
  readonly signedIn?: true;
  /** Set by egress: why the credential is not sent again until an operator has checked. */
  readonly signInRefused?: string;
}

/** Why no usable response was received. docs/outcomes.md lists which are retried, how often and when. */
export type FailureCode =
  | 'dns'
  | 'refused'
  | 'unreachable-network'
  | 'reset'
  | 'closed-early'
  | 'tls'
  | 'framing'
  | 'headers-too-large'
  | 'timeout-connect'
  | 'timeout-headers'
  | 'timeout-exchange'
  | 'encoding'
  | 'aborted'
  | 'address-forbidden'
  | 'port-forbidden'
  | 'scheme-unsupported'
  | 'proxy'
  | 'proxy-refused'
  | 'internal';

/** An exchange without a usable response. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly url: string;
  readonly failure: FailureCode;
  /** For people: what the platform said. */
  readonly detail: string;
  readonly remoteAddress: string | null;
  /** Whether the request had been sent when it failed; `false`: the host saw a connection at most. */
  readonly wasSent: boolean;
  readonly timing: ExchangeTiming;
  /** As in a response. */
  readonly signedIn?: true;
  readonly signInRefused?: string;
}

/** Nothing was sent: the slot or the second lock is not free yet, or the lease is lost. */
export interface NotSentOutcome {
  readonly kind: 'not-sent';
  /** When it may be tried again, epoch milliseconds; `null`: at once, or the lease is lost. */
  readonly untilMs: number | null;
  /** Set if the request was sent and the site asked for another signature: it is due again, in its turn. */
  readonly exchange?: ResponseOutcome;
}

/** The outcome of an exchange: a response, whole or cut, or the code of a failure. */
export type FetchOutcome = ResponseOutcome | FailedOutcome;
export type EgressOutcome = FetchOutcome | NotSentOutcome;

/** A failure before anything was sent. Never throws. */
export function unsentFailure(url: string, nowMs: number, failure: FailureCode, detail: string): FailedOutcome {
  const timing = { startedAtMs: nowMs, headersAtMs: null, endedAtMs: nowMs };
  return { kind: 'failed', url, failure, detail, remoteAddress: null, wasSent: false, timing };
}

const NO_BYTES = new Uint8Array(0);

/**
 * Frees the bytes of a response that is no longer needed. Promises made when the request was sent keep the outcome
 * alive, and what an old object refers to stays until the next full collection. Never throws.
 */
export function releaseBody(outcome: ResponseOutcome): void {
  const open: { -readonly [field in 'body' | 'encodedBody']?: Uint8Array } = outcome;
  open.body = NO_BYTES;
  if (outcome.encodedBody !== undefined) open.encodedBody = NO_BYTES;
}

/** Whether a status is 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Whether `releaseBody` has freed the bytes. Never throws. */
export function isBodyReleased({ body }: ResponseOutcome): boolean {
  return body === NO_BYTES;
}

/** The value of a header field in any case, several lines joined by `, `; `null` when absent. Never throws. */
export function headerValue(headers: HeaderLines, name: string): string | null {
  const lowerName = name.toLowerCase();
  let found: string | null = null;
  for (const line of headers) {
    if (isNamed(line, lowerName)) found = found === null ? line[1] : `${found}, ${line[1]}`;
  }
  return found;
}

/** The field that presents a challenge; `null`: no challenge. A 202 with a challenge is not a page. */
export function challengeField({ status, headers }: Pick<ResponseOutcome, 'status' | 'headers'>): string | null {
  const field = status === 202 ? 'x-amzn-waf-action' : status === 403 || status === 503 ? 'cf-mitigated' : null;
  return field !== null && headerValue(headers, field)?.trim().toLowerCase() === 'challenge' ? field : null;
}

/** The values of a header field in any case, one per field line. Never throws. */
export function headerValues(headers: HeaderLines, name: string): string[] {
  const lowerName = name.toLowerCase();
  const found: string[] = [];
  for (const line of headers) if (isNamed(line, lowerName)) found.push(line[1]);
  return found;
}

/** The directives of Cache-Control by lower-case name; the first of a name counts. Never throws. */
export function cacheControl(headers: HeaderLines): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const part of (headerValue(headers, 'cache-control') ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    const key = name.trim().toLowerCase();
    if (key !== '' && !directives.has(key)) directives.set(key, value.trim().replace(/^"|"$/g, ''));
  }
  return directives;
}

function isNamed(line: HeaderLines[number], lowerName: string): boolean {
  return line[0].length === lowerName.length && line[0].toLowerCase() === lowerName;
}

/** Lower-case name to value, several lines joined by `, `. @param names - Only these. Never throws. */
export function headersByName(headers: HeaderLines, names?: ReadonlySet<string>): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [fieldName, value] of headers) {
    const name = fieldName.toLowerCase();
    if (names?.has(name) === false) continue;
    found[name] = found[name] === undefined ? value : `${found[name]}, ${value}`;
  }
  return found;
}

/** Whether our own rules refused the request before anything was sent: no exchange happened. */
export function isRefusedByGuard(outcome: FetchOutcome): boolean {
  return outcome.kind === 'failed' && ROBOTS_FAILURES[outcome.failure] === 'blocked';
}

/** The most that a clock of whole milliseconds may have cut off. */
const MAX_ROUNDING_MS = 1;

/**
 * What the frontier's host clock needs from an outcome. Never throws.
 *
 * A response that the connection cut short counts as `closed-early`: its host failed to deliver it, whatever the
 * status. A response cut by our own limit counts as complete, since the host did its part. Times are rounded up: an end
 * at 7.9 reads as 7, and the next request would be up to a millisecond early.
 */
export function exchangeOf(outcome: FetchOutcome): Exchange {
  const startedAtMs = outcome.timing.startedAtMs + MAX_ROUNDING_MS;
  const endedAtMs = outcome.timing.endedAtMs + MAX_ROUNDING_MS;
  const parks = outcome.signInRefused ?? (outcome.kind === 'failed' ? null : unofferedCharge(outcome));
  const known = { startedAtMs, endedAtMs, ...(parks === null ? {} : { parks }) };
  if (outcome.kind === 'failed')
    return { ...known, status: null, retryAfter: null, failure: outcome.failure, bytes: 0 };
  return {
    ...known,
    // A challenge refuses like a 403, unless its status also says that there were too many requests.
    status: challengeField(outcome) === null || outcome.status === 503 ? outcome.status : 403,
    retryAfter: retryAfterOf(outcome),
    failure: outcome.truncated === 'connection' ? 'closed-early' : null,
    // A body that was not or could not be read counts with the bytes received.
    bytes: (outcome.file?.bytes ?? outcome.body.length) || outcome.encodedBytes,
  };
}

/**
 * Retry-After for the host's clock; `null` if absent. A date counts from the answer's own `Date` if that gives a longer
 * wait, since the server's clock may be behind ours (access §5).
 */
export function retryAfterOf({ headers, timing }: Pick<ResponseOutcome, 'headers' | 'timing'>): string | null {
  const value = headerValue(headers, 'retry-after');
  if (value === null) return null;
  const retryAtMs = parseRetryAfter(value, timing.endedAtMs);
  const datedRetryAtMs = retryAfterMs(headersByName(headers, DATED_FIELDS), timing.endedAtMs);
  return datedRetryAtMs !== null && retryAtMs !== null && datedRetryAtMs > retryAtMs
    ? String(Math.ceil(datedRetryAtMs / 1_000))
    : value;
}

const DATED_FIELDS: ReadonlySet<string> = new Set(['date', 'retry-after']);

/** What the site says the answer has cost. The crawl offers nothing, so nothing may be charged (licensing 6). */
function unofferedCharge({ headers }: ResponseOutcome): string | null {
  const charged = headerValue(headers, 'crawler-charged')?.slice(0, MAX_REFUSAL_DETAIL);
  return charged === undefined ? null : `charged ${charged}, which was not offered`;
}

/** Whether a text is a failure code. */
export function isFailureCode(text: unknown): text is FailureCode {
  return typeof text === 'string' && Object.hasOwn(ROBOTS_FAILURES, text);
}

const ROBOTS_FAILURES: Readonly<Record<FailureCode, RobotsFailure>> = {
  dns: 'dns',
  refused: 'refused',
  'unreachable-network': 'refused',
  reset: 'reset',
  'closed-early': 'short-body',
  tls: 'tls',
  framing: 'framing',
  'headers-too-large': 'framing',
  'timeout-connect': 'timeout',
  'timeout-headers': 'timeout',
  'timeout-exchange': 'timeout',
  encoding: 'content-encoding',
  aborted: 'other',
  'address-forbidden': 'blocked',
  'port-forbidden': 'blocked',
  'scheme-unsupported': 'blocked',
  proxy: 'other',
  'proxy-refused': 'blocked',
  internal: 'other',
};

/**
 * What an exchange means for the reader of robots.txt (specification, access §2, §4). Never throws.
 *
 * A body that the connection cut is never used in part, since the missing half may hold Disallow lines: the exchange is
 * a failure, whatever its status. A body cut by our own limit is a response: it is longer than what the reader reads,
 * so the reader sees the cut.
 */
export function toRobotsAnswer(outcome: FetchOutcome): RobotsAnswer {
  if (outcome.kind === 'failed')
    return { kind: 'failure', failure: ROBOTS_FAILURES[outcome.failure], detail: outcome.detail };
  if (outcome.truncated === 'connection') return { kind: 'failure', failure: 'short-body' };
  const { headers, body, url } = outcome;
  // Nothing in it can be read, and what it would say is unknown.
  if (isSuccess(outcome.status) && body[0] === 0x1f && body[1] === 0x8b)
    return { kind: 'failure', failure: 'content-encoding', detail: 'a gzip file that is not declared as one' };
  // A 202 with a challenge holds no rules: the site has refused, like with a 403.
  const status = outcome.status === 202 && challengeField(outcome) !== null ? 403 : outcome.status;
  return { kind: 'response', status, headers: headersByName(headers), body, robotsUrl: url, finalUrl: url };
}

/**
 * A page that a site refuses in a special way: with a price, or with a challenge that only a person in a browser
 * passes. The crawl pays nothing and solves nothing, but reports what was demanded. The site's text is untrusted.
 */
export interface SiteRefusal {
  readonly reason: 'payment-required' | 'challenged' | 'charged-unasked' | 'sign-in-refused';
  /** The price with its kind of payment, what was charged, or the field that presents the challenge. */
  readonly detail: string;
}

/** The refusal in a response; `null`: it has none of these. Never throws. */
export function refusalOf(
  outcome: Pick<ResponseOutcome, 'status' | 'headers' | 'body' | 'signInRefused'>,
): SiteRefusal | null {
  if (outcome.signInRefused !== undefined) return { reason: 'sign-in-refused', detail: outcome.signInRefused };
  const field = challengeField(outcome);
  if (field !== null) return { reason: 'challenged', detail: field };
  const charged = headerValue(outcome.headers, 'crawler-charged');
  if (charged !== null) return { reason: 'charged-unasked', detail: charged.slice(0, MAX_REFUSAL_DETAIL) };
  const isOffer = outcome.status === 402 || (outcome.status === 401 && licenseChallenge(outcome) !== null);
  if (!isOffer) return null;
  return { reason: 'payment-required', detail: offerOf(outcome).slice(0, MAX_REFUSAL_DETAIL) };
}

/** `WWW-Authenticate: License`, with the licence that a `Link` of the answer names; `null`: absent. */
function licenseChallenge({ headers }: Pick<ResponseOutcome, 'headers'>): string | null {
  const challenge = headerValues(headers, 'www-authenticate').find((each) => /^\s*license\b/i.test(each));
  if (challenge === undefined) return null;
  const license = headerValues(headers, 'link').find((each) => /;\s*rel="?license\b/i.test(each));
  return [challenge.trim(), ...(license === undefined ? [] : [license.trim()])].join(', ');
}

/** What a 402 demands, with the kind of its offer. */
function offerOf({ headers, body }: Pick<ResponseOutcome, 'headers' | 'body'>): string {
  const price = headerValue(headers, 'crawler-price');
  const error = headerValue(headers, 'crawler-error');
  if (price !== null) return `pay-per-crawl: ${price}${error === null ? '' : ` (${error})`}`;
  const required = headerValue(headers, 'payment-required');
  if (required !== null && required.length <= MAX_OFFER_CHARS) {
    const offer = x402(Buffer.from(required, 'base64'));
    if (offer !== null) return `x402: ${offer}`;
  }
  const license = licenseChallenge({ headers });
  if (license !== null) return `rsl: ${license}`;
  const offer = body.length <= MAX_OFFER_CHARS ? x402(body) : null;
  if (offer !== null) return `x402-v1: ${offer}`;
  const challenge = headerValue(headers, 'www-authenticate');
  return `unknown${challenge === null ? '' : `: ${challenge}`}`;
}

/** The entries of an x402 offer, each as `amount asset network`; `null`: the bytes are not an offer. */
function x402(bytes: Uint8Array): string | null {
  const accepts = parseJsonObject(new TextDecoder().decode(bytes))?.['accepts'];
  if (!Array.isArray(accepts)) return null;
  const entries = accepts.slice(0, MAX_OFFERS).flatMap((entry: Readonly<Record<string, unknown>> | null) => {
    const amount = entry?.['amount'] ?? entry?.['maxAmountRequired'];
    const terms = [amount, entry?.['asset'], entry?.['network']].filter((each) => typeof each === 'string');
    return terms.length === 0 ? [] : terms.join(' ');
  });
  return entries.length === 0 ? null : entries.join(', ');
}

/** The fields that make a request conditional. @param known - How the site identified a state; `null`: it did not. */
export function conditionalFields(known: Readonly<Record<'etag' | 'lastModified', string | null>>) {
  return present({ 'if-none-match': known.etag, 'if-modified-since': known.lastModified });
}

/** Whether a 304 is for the tag that was sent, if any. A 304 without a tag is. Weak and strong tags compare alike. */
export function matchesTag(headers: HeaderLines, sent: string | null): boolean {
  const tag = headerValue(headers, 'etag');
  return tag === null || sent === null || tag.replace(/^W\//, '') === sent.replace(/^W\//, '');
}
