// A request that egress is to send: its header fields, which say who sends it and what it accepts, those that the
// operator adds to requests for content, and its entry in the request log. Cookies and credentials are added by egress.

import { hash } from 'node:crypto';
import type { Work } from '@mannerly/frontier';
import { createHostMatch } from '@mannerly/frontier/internal';
import { invalidOption } from '../errors.js';
import type { RequestRecord, RobotsReceipt } from '../report/decision.js';
import { RESERVED_HEADERS, refusalReason } from '../reserved-headers.js';
import { ACCEPT_ENCODING } from './content-coding.js';
import type { ResponseHead } from './fetcher.js';
import type { Identity } from './identity.js';
import { MAX_EXTRA_HEADER_CHARS, MAX_EXTRA_HEADERS, MAX_LOGGED_FIELD_CHARS } from './limits.js';
import { type FetchOutcome, headersByName, headerValue, isSuccess, type ResponseOutcome } from './outcome.js';

export type RequestPurpose = RequestRecord['purpose'];

export interface EgressRequest {
  /** What the frontier handed out. Credentials and fragment in its URL are never sent. */
  readonly work: Work;
  readonly purpose: RequestPurpose;
  /** @default GET */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** The login form of a POST. It is never recorded. */
  readonly body?: string;
  /** The page that loads the URL in a browser: from another origin, it gets no credential. @default `null`: none */
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

type Fields = Readonly<Record<string, string>>;

/**
 * The value of Accept, by purpose. Everything else stays welcome at a lower weight, so that no server has a reason to
 * answer 406 (specification, access §2; RFC 9110 §12.5.1).
 */
const ACCEPT: Readonly<Record<RequestPurpose, string>> = {
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain, */*;q=0.5',
  sitemap: 'application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'data-txt': 'text/plain, */*;q=0.5',
  'well-known': 'application/json, */*;q=0.5',
  handler: '*/*',
  subresource: '*/*',
  requisite: '*/*',
  login: 'text/html,application/xhtml+xml,*/*;q=0.8',
  license: 'application/rsl+xml, application/xml;q=0.9, */*;q=0.5',
};

/** What a request accepts, and as whom: another offer may get another answer. @param isSignedIn - @default false */
export function negotiationKey({ name }: Identity, added: Fields, isSignedIn = false): string {
  const fields = Object.entries(added).map(([field, value]) => ` ${field}: ${value}`);
  const text = `${name} ${ACCEPT.page} ${ACCEPT_ENCODING}${fields.join('')}${isSignedIn ? ' signed in' : ''}`;
  return hash('sha256', text, 'base64url').slice(0, NEGOTIATION_KEY_CHARS);
}

const NEGOTIATION_KEY_CHARS = 8;

/** Requests for content, which get the operator's extra fields. Requests about rules only say who sends them. */
const PURPOSES_WITH_EXTRA_HEADERS = new Set<RequestPurpose>(['page', 'handler', 'subresource', 'requisite', 'sitemap']);

/** @param added - Fields that the operator adds for its host, checked. Never throws. */
export function requestHeaders(
  { userAgent, from }: Pick<Identity, 'userAgent' | 'from'>,
  purpose: RequestPurpose,
  requestFields: Fields = {},
  added: Fields = {},
): Fields {
  const base = {
    'User-Agent': userAgent,
    ...(from === null ? {} : { From: from }),
    Accept: ACCEPT[purpose],
    'Accept-Encoding': ACCEPT_ENCODING,
  };
  const allowed = Object.entries(requestFields).filter(([name]) => !RESERVED_HEADERS.test(name));
  const names = allowed.map(([name, value]) => [name.toLowerCase() === 'accept' ? 'Accept' : name, value]);
  const fields = PURPOSES_WITH_EXTRA_HEADERS.has(purpose) ? withFields(base, added) : base;
  return withFields(fields, Object.fromEntries(names));
}

const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([!-~]|[!-~][ -~]*[!-~])[ \t]*$/;

/** Parses `Name: value`. @throws MannerlyError `option-invalid` for an invalid field, a refused one, or a duplicate. */
export function parseExtraHeaders(lines: readonly string[], path = 'network.headers'): Fields {
  const fields: Record<string, string> = {};
  if (lines.length > MAX_EXTRA_HEADERS) throw invalidOption(path, `at most ${MAX_EXTRA_HEADERS} fields`, lines);
  for (const [at, line] of lines.entries()) {
    const option = `${path}[${at}]`;
    const [, name = '', value = ''] = (line.length <= MAX_EXTRA_HEADER_CHARS && FIELD.exec(line)) || [];
    if (name === '') {
      const expected = `a field such as "Accept-Language: de", at most ${MAX_EXTRA_HEADER_CHARS} characters`;
      throw invalidOption(option, expected, line);
    }
    const reason = refusalReason(name);
    if (reason !== undefined) throw invalidOption(option, 'a field that a crawl may add', name, `${name}: ${reason}.`);
    if (Object.keys(fields).some((known) => known.toLowerCase() === name.toLowerCase())) {
      throw invalidOption(option, 'a field that is not given twice', name);
    }
    // Names are compared case-insensitively; `Accept` gets our own spelling.
    fields[name.toLowerCase() === 'accept' ? 'Accept' : name] = value;
  }
  return Object.freeze(fields);
}

/** Merges fields with others, which take precedence if a name, in any case, is in both. @throws Never */
function withFields(fields: Fields, others: Fields): Fields {
  const added = Object.keys(others);
  if (added.length === 0) return fields;
  const names = new Set(added.map((name) => name.toLowerCase()));
  const kept = Object.entries(fields).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...others };
}

/** The fields that are added to requests for content of a host, by its name. */
export type ExtraHeadersOf = (host: string) => Fields;

/** Creates `ExtraHeadersOf`: the fields of the crawl, then those of matching entries, in order. */
export function createExtraHeaders(
  crawlHeaders: Fields,
  entries: readonly { readonly match: readonly string[]; readonly headers: Fields }[],
): ExtraHeadersOf {
  const adding = entries.filter(({ headers }) => Object.keys(headers).length > 0);
  if (adding.length === 0) return () => crawlHeaders;
  const matching = createHostMatch(adding.map(({ match }) => match));
  return (host) =>
    matching(host.replace(/\.$/, '')).reduce((all, at) => withFields(all, adding[at]?.headers ?? {}), crawlHeaders);
}

/** @param gapMs - From the end of the host's last exchange to the start of this one; `null` for the first. */
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
  const hasBody = isSuccess(outcome.status) && outcome.truncated !== 'connection';
  // As `RobotsCopyRef.hash`.
  const digest = hasBody ? hash('sha256', outcome.body) : null;
  return { authority, hash: digest, headers };
}
