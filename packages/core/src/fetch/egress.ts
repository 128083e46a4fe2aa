// Every request of a crawl leaves here: with the crawl's identity, to a judged address, once the second lock and the
// frontier both allow it, and with a log entry. Egress never decides when to send; it only refuses.
//
//   send ─▶ guard ─▶ mayConnect ─▶ second lock ─▶ fetcher connects ─▶ mayStart ─▶ request leaves ─▶ outcome, record
//
// The second lock is consulted before a connection is made, the frontier's `mayStart` after that, right before the
// first byte. Both have to allow the request; either may say wait.

import type { Frontier, StartAnswer } from '@mannerly/frontier';
import { keepLatest } from '../keep-latest.js';
import { ROBOTS_BODY_BYTES } from '../limits.js';
import { unlessAborted } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import type { RequestRecord } from '../report/decision.js';
import type { CrawlSigning } from '../signatures/crawl-signing.js';
import type { AddressGuard, GuardAnswer } from './address-guard.js';
import { isUnlisted } from './address-ranges.js';
import { encodedLimit } from './body.js';
import { Cookies, type JarFactory } from './cookies.js';
import type { Credential } from './credential.js';
import { type CredentialUse, createCredentialUse, redacted } from './credential-use.js';
import {
  type EgressRequest,
  type ExtraHeadersOf,
  type RequestPurpose,
  requestHeaders,
  requestRecord,
} from './egress-request.js';
import { failureDetail } from './failure-code.js';
import type { Fetcher, FetchLimits, FetchRequest, ResponseHead } from './fetcher.js';
import type { Identity } from './identity.js';
import {
  MAX_GAP_HOSTS,
  PROXY_DOWN_MS,
  PROXY_WAIT_MS,
  ROBOTS_CONNECT_MS,
  ROBOTS_EXCHANGE_MS,
  STOPPED_WAIT_MS,
} from './limits.js';
import {
  type EgressOutcome,
  type FailureCode,
  type FetchOutcome,
  headerValue,
  type NotSentOutcome,
  unsentFailure,
} from './outcome.js';
import type { RequestLimiter } from './request-limiter.js';
import { Spool, type SpooledBody, withSpooled } from './spool.js';

export interface EgressOptions {
  readonly fetcher: Fetcher;
  /** Asked when the address of a request is known, and again right before its first byte: once each. */
  readonly frontier: Pick<Frontier, 'mayConnect' | 'mayStart'>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly identity: Pick<Identity, 'userAgent' | 'from'>;
  /** Signs https requests. @default none is signed */
  readonly signing?: CrawlSigning;
  /** Ranges of addresses that requests may leave from, if the fetcher knows the socket's. @default any address */
  readonly egressRanges?: readonly string[];
  /** The value of Authorization for pages of a URL's origin. It is never recorded. @default none */
  readonly tokens?: { fieldFor(url: URL): string | null };
  /** An account at one origin. Its secrets are never recorded. @default none */
  readonly signIn?: Credential | null;
  /** Stops the run. @param reason - For people. */
  readonly stop?: (reason: string) => void;
  readonly guard: AddressGuard;
  readonly limiter: Pick<RequestLimiter, 'ask'>;
  /** robots.txt is bounded by the lesser of these limits and its own. `cookies` makes the jar of an origin. */
  readonly network: Omit<FetchLimits, 'maxEncodedBytes'> & { readonly cookies?: JarFactory | null };
  /** Fields that are added to requests for content of a host, checked. @default none */
  readonly extraHeadersOf?: ExtraHeadersOf;
  readonly journal: {
    /** Called once for each request that was sent, when its exchange is over. */
    request(record: RequestRecord): void;
    /** Called when the fetcher rejects, or returns something other than an outcome. */
    hookError(hook: 'fetcher', url: string, error: unknown): void;
    /** Called when the proxy begins to fail. */
    warning(code: 'proxy-down', url: string, detail: string): void;
  };
  /** Called right before `journal.request`, for an archive. Bodies are then also kept as received. */
  readonly onExchange?: ((sent: SentRequest, outcome: FetchOutcome) => void) | undefined;
}

export interface SentRequest {
  readonly url: string;
  readonly purpose: RequestPurpose;
  readonly headers: Readonly<Record<string, string>>;
  readonly via: string | null;
}

/** A request that was sent and is not over. */
export interface InFlightRequest {
  readonly url: string;
  readonly host: string;
  readonly purpose: RequestPurpose;
  /** When it was sent, epoch milliseconds. */
  readonly sinceMs: number;
}

/** `secret`: fields that are recorded without their values; `null`: none. */
type RequestFields = { readonly open: FetchRequest['headers']; readonly secret: FetchRequest['headers'] | null };

/** Failures to connect that another address of the name may not have. */
const CONNECT_FAILURES = new Set<FailureCode>(['refused', 'unreachable-network', 'reset', 'timeout-connect']);

/** Sends the requests of one crawl. */
export class Egress {
  readonly #options: EgressOptions;
  readonly #cookies: Cookies | null;
  readonly #signIn: CredentialUse | null;
  readonly #spool = new Spool();
  /** When each host's last exchange ended. The log's gaps count from then. */
  readonly #lastEnds = new Map<string, number>();
  /** In the order in which they were sent. At most `network.concurrency` of them. */
  readonly #inFlight = new Set<InFlightRequest>();
  /** `null`: the proxy answered last time, or there is none. */
  #proxyDownSinceMs: number | null = null;

  constructor(options: EgressOptions) {
    const createJar = options.network.cookies ?? null;
    this.#options = options;
    this.#cookies = createJar === null ? null : new Cookies(createJar);
    this.#signIn = options.signIn == null ? null : createCredentialUse(options.signIn, this.#cookies);
  }

  /** Never rejects. @param mayTryOther - Whether another address of the name is tried if no connection can be made. */
  async send(request: EgressRequest, mayTryOther = true): Promise<EgressOutcome> {
    const { guard, limiter, frontier, nowMs } = this.#options;
    const { work, signal } = request;
    const url = cleanUrl(work.url);
    if (url === null) return unsentFailure(work.url, nowMs(), 'scheme-unsupported', 'not an absolute URL');
    // A name may take seconds to look up, and a stop at once does not wait for it.
    const answer = await unlessAborted(guard.check(url), signal);
    if (answer === null) return unsentFailure(url.href, nowMs(), 'aborted', 'given up by the crawl');
    if (answer.kind === 'refused') return unsentFailure(url.href, nowMs(), answer.failure, answer.detail);
    const signing = this.#options.signing?.signs(url) === true ? this.#options.signing : null;
    if (signing?.isTestKey === true && !isLoopback(answer.address)) {
      return unsentFailure(url.href, nowMs(), 'address-forbidden', TEST_KEY_DETAIL);
    }
    if (signing?.isStopped === true) return notSent({ kind: 'wait', untilMs: nowMs() + STOPPED_WAIT_MS });
    const mayConnect = await frontier.mayConnect(work, answer.address);
    if (mayConnect.kind !== 'go') return notSent(mayConnect);
    const fields = await this.#fields(request, url);
    const slot = await limiter.ask(work.lease.host, work.lease.requirements, nowMs());
    if (slot.kind === 'wait') return notSent(slot);

    const { rawOutcome, sent } = await this.#exchange(request, url, answer, fields, signing);
    const wasSent = rawOutcome.kind === 'response' || (rawOutcome.kind === 'failed' && rawOutcome.wasSent);
    slot.done(wasSent ? { ...rawOutcome.timing, nowMs: nowMs() } : null);
    if (rawOutcome.kind === 'not-sent') return rawOutcome;
    if (rawOutcome.kind === 'failed' && rawOutcome.failure === 'proxy')
      return this.#proxyDown(url.href, rawOutcome.detail);
    if (wasSent) {
      const outcome = await this.#record(request, url, rawOutcome, sent);
      // Sent once: a site that wants a differently signed login does not get it a second time.
      return request.method === 'POST' ? outcome : this.#checkSignatureAnswer(url, outcome, signing !== null);
    }
    const couldNotConnect = rawOutcome.kind === 'failed' && CONNECT_FAILURES.has(rawOutcome.failure);
    const hasOther = couldNotConnect && (await guard.avoid(url, answer.address));
    if (!hasOther || !mayTryOther) return rawOutcome;
    const other = await this.send(request, false);
    // A machine without IPv6 would hide why IPv4 failed.
    return other.kind === 'failed' && other.failure === 'unreachable-network' ? rawOutcome : other;
  }

  /** Keeps what an exchange says, without its secrets. @returns The outcome without them. */
  async #record(
    request: EgressRequest,
    url: URL,
    rawOutcome: FetchOutcome,
    sent: FetchRequest['headers'],
  ): Promise<FetchOutcome> {
    const { work, purpose } = request;
    const { host } = work.lease;
    const { startedAtMs, endedAtMs } = rawOutcome.timing;
    this.#proxyDownSinceMs = null;
    const lastEndMs = this.#lastEnds.get(host);
    keepLatest(this.#lastEnds, host, Math.max(endedAtMs, lastEndMs ?? endedAtMs), MAX_GAP_HOSTS);
    if (rawOutcome.kind === 'response') await this.#cookies?.storeFrom(url, purpose, rawOutcome.headers);
    const signIn = this.#signIn?.isOwnOrigin(url) === true ? this.#signIn : null;
    const outcome = signIn === null ? rawOutcome : await signIn.mark(url, request, rawOutcome);
    // A login goes into no archive: its form, its answer and the page's hidden fields belong to the account.
    if (purpose !== 'login') {
      const via = work.kind === 'robots' ? null : work.record.from;
      this.#options.onExchange?.({ url: url.href, purpose, headers: sent, via }, outcome);
    }
    const gapMs = lastEndMs === undefined ? null : startedAtMs - lastEndMs;
    this.#options.journal.request(requestRecord(request, outcome, sent, gapMs));
    return outcome;
  }

  /** Requests under way, the oldest first, at most `limit`. */
  inFlight(limit: number): InFlightRequest[] {
    return [...this.#inFlight].slice(0, limit);
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** Removes large bodies from the disk. The fetcher is closed by its owner. */
  close(): Promise<void> {
    return this.#spool.close();
  }

  async #fields(request: EgressRequest, url: URL): Promise<RequestFields> {
    const { identity, extraHeadersOf } = this.#options;
    const { purpose, headers } = request;
    const open = requestHeaders(identity, purpose, headers, extraHeadersOf?.(url.hostname));
    if (this.#signIn?.isOwnOrigin(url) === true) return { open, secret: await this.#signIn.fields(url, request) };
    // Only with requests for pages (licensing C7).
    const license = purpose === 'page' ? (this.#options.tokens?.fieldFor(url) ?? null) : null;
    const secret = license === null ? null : { Authorization: license };
    const cookie = this.#cookies === null ? null : await this.#cookies.valueFor(url, purpose);
    return { open: cookie === null ? open : { ...open, Cookie: cookie }, secret };
  }

  /** Processes the outcome of a sent request. If a site wants another signature, the request is sent once more. */
  #checkSignatureAnswer(url: URL, outcome: FetchOutcome, isSigned: boolean): EgressOutcome {
    const { signing } = this.#options;
    // Only a refusal can ask for a signature on an unsigned request.
    if (signing === undefined || outcome.kind === 'failed' || (!isSigned && outcome.status < 400)) return outcome;
    const { status, headers, timing } = outcome;
    // The fetcher's clock need not be the wall clock.
    const atMs = signing.wallMs() - (timing.endedAtMs - (timing.headersAtMs ?? timing.endedAtMs));
    const header = (name: string): string | null => headerValue(headers, name);
    if (!signing.handleAnswer(url, { status, header, atMs })) return outcome;
    return { kind: 'not-sent', untilMs: null, exchange: outcome };
  }

  /** Broken machinery: no retry of the URL and no failure of its host. If the proxy stays away, the run stops. */
  #proxyDown(url: string, detail: string): NotSentOutcome {
    const { nowMs, journal, stop } = this.#options;
    if (this.#proxyDownSinceMs === null) {
      this.#proxyDownSinceMs = nowMs();
      const waits = `requests wait, and the run stops after ${PROXY_DOWN_MS / 60_000} minutes`;
      journal.warning('proxy-down', url, `${detail}; ${waits}`);
    } else if (nowMs() - this.#proxyDownSinceMs >= PROXY_DOWN_MS) {
      stop?.(`proxy-down: ${detail}`);
    }
    return notSent({ kind: 'wait', untilMs: nowMs() + PROXY_WAIT_MS });
  }

  /** `sent`: the fields as they were sent, without secrets. */
  async #exchange(
    request: EgressRequest,
    target: URL,
    { address, family }: Extract<GuardAnswer, { kind: 'go' }>,
    { open, secret }: RequestFields,
    signing: CrawlSigning | null,
  ): Promise<{ readonly rawOutcome: FetchOutcome | NotSentOutcome; readonly sent: FetchRequest['headers'] }> {
    const { frontier, nowMs, network, onExchange } = this.#options;
    const { work, purpose, method = 'GET', body, largeBody, beforeDecoding, signal } = request;
    const { href: url } = target;
    // Unless the fetcher calls `mayStart`, nothing was sent, and the request may be tried again at once.
    let startAnswer: StartAnswer = { kind: 'wait', untilMs: nowMs() };
    let spooled: SpooledBody | null = null;
    let inFlight: InFlightRequest | null = null;
    let sent = open;
    // Secrets go only to the fetcher. The record says only that there were some.
    const headersNow = async (): Promise<FetchRequest['headers']> => {
      const fields = signing === null ? open : { ...open, ...(await signing.fieldsFor(target, method)) };
      sent = secret === null ? fields : { ...fields, ...redacted(secret) };
      return secret === null ? fields : { ...fields, ...secret };
    };
    let headers: FetchRequest['headers'];
    try {
      headers = await headersNow();
    } catch (error) {
      return { rawOutcome: unsentFailure(url, nowMs(), 'internal', `not signed: ${failureDetail(error)}`), sent };
    }
    const consumeBody = (head: ResponseHead): SpooledBody | null => {
      const bytes = largeBody?.(head) ?? null;
      spooled = bytes === null ? null : this.#spool.open(bytes);
      return spooled;
    };
    const rawOutcome = await this.#fetchOnce({
      url,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signing === null ? {} : { headersNow }),
      address: { address, family },
      limits: limitsFor(request, network),
      ...(onExchange === undefined ? {} : { keepsEncoded: true }),
      ...(largeBody === undefined ? {} : { consumeBody }),
      ...(beforeDecoding === undefined ? {} : { beforeDecoding }),
      mayStart: (localAddress = null) => {
        startAnswer = this.#mayUseLocalAddress(localAddress)
          ? frontier.mayStart(work)
          : { kind: 'wait', untilMs: nowMs() + STOPPED_WAIT_MS };
        if (startAnswer.kind !== 'go') return false;
        inFlight = { url: work.url, host: work.lease.host, purpose, sinceMs: nowMs() };
        this.#inFlight.add(inFlight);
        return true;
      },
      signal,
    });
    if (inFlight !== null) this.#inFlight.delete(inFlight);
    if (rawOutcome === null) return { rawOutcome: notSent(startAnswer), sent };
    return { rawOutcome: spooled === null ? rawOutcome : await withSpooled(rawOutcome, spooled), sent };
  }

  /** One exchange. A fetcher that rejects breaks its contract: that is reported, and becomes a value. Never rejects. */
  async #fetchOnce(request: FetchRequest): Promise<FetchOutcome | null> {
    const { fetcher, nowMs, journal } = this.#options;
    const startedAtMs = nowMs();
    try {
      return await fetcher.fetch(request);
    } catch (error) {
      journal.hookError('fetcher', request.url, error);
      const failure = request.signal.aborted ? 'aborted' : 'internal';
      const failed = unsentFailure(request.url, nowMs(), failure, failureDetail(error));
      // Whether a request was sent is unknown. It counts as sent, so that the host gets its pause.
      return { ...failed, wasSent: true, timing: { ...failed.timing, startedAtMs } };
    }
  }

  #mayUseLocalAddress(localAddress: string | null): boolean {
    const { egressRanges = [], stop } = this.#options;
    if (localAddress === null || egressRanges.length === 0 || !isUnlisted(localAddress, egressRanges)) return true;
    stop?.(`egress-not-listed: requests leave from ${localAddress}, which \`identity.egress\` does not list`);
    return false;
  }
}

const TEST_KEY_DETAIL = 'key-is-test-key: the key printed in RFC 9421 is public; it signs for loopback addresses only';

function isLoopback(address: string): boolean {
  return address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
}

/** The URL as it is requested and logged, without credentials and fragment. `null` if it is not a URL. */
function cleanUrl(text: string): URL | null {
  const url = parseUrl(text);
  if (url === null) return null;
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
  if (url.hash !== '' || text.endsWith('#')) url.hash = '';
  return url;
}

function limitsFor({ purpose, maxBodyBytes }: EgressRequest, network: EgressOptions['network']): FetchLimits {
  const { connectTimeoutMs, headersTimeoutMs, requestTimeoutMs } = network;
  const isRobots = purpose === 'robots';
  const bodyLimit = maxBodyBytes ?? (isRobots ? ROBOTS_BODY_BYTES : network.maxBodyBytes);
  return {
    connectTimeoutMs: isRobots ? Math.min(connectTimeoutMs, ROBOTS_CONNECT_MS) : connectTimeoutMs,
    headersTimeoutMs: isRobots ? Math.min(headersTimeoutMs, ROBOTS_EXCHANGE_MS) : headersTimeoutMs,
    requestTimeoutMs: isRobots ? Math.min(requestTimeoutMs, ROBOTS_EXCHANGE_MS) : requestTimeoutMs,
    maxBodyBytes: bodyLimit,
    maxEncodedBytes: encodedLimit(bodyLimit),
  };
}

function notSent(answer: StartAnswer): NotSentOutcome {
  return { kind: 'not-sent', untilMs: answer.kind === 'wait' ? answer.untilMs : null };
}
