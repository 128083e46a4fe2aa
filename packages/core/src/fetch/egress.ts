// Every request of a crawl leaves here: with the crawl's identity, to a judged address, when both the second lock and
// the frontier allow it, and with an entry in the log. Egress never decides when; it only refuses.
//
//   send ─▶ guard ─▶ mayConnect ─▶ second lock ─▶ fetcher connects ─▶ mayStart ─▶ request leaves ─▶ outcome, record
//
// The second lock is asked before a connection is made, the frontier's `mayStart` after, right before the first byte.
// Either may say wait, and both have to say go.

import type { HostRequirements, RobotsCopyRef, StartAnswer } from '@mannerly/frontier';
import { ROBOTS_BODY_BYTES } from '../limits.js';
import { onAbort } from '../on-abort.js';
import { parseUrl } from '../parse-url.js';
import type { AddressGuard } from './address-guard.js';
import { encodedLimit } from './body.js';
import { type CookieJar, createCookies } from './cookies.js';
import { type EgressRecord, egressRecord, LastEnds } from './egress-record.js';
import { failureDetail } from './failure-code.js';
import type { Fetcher, FetchLimits, FetchRequest, ResponseHead } from './fetcher.js';
import type { Identity } from './identity.js';
import { ROBOTS_CONNECT_MS, ROBOTS_EXCHANGE_MS } from './limits.js';
import type { EgressOutcome, FailedOutcome, FailureCode, FetchOutcome, NotSentOutcome } from './outcome.js';
import { createRequestHeaders, type RequestPurpose } from './request-headers.js';
import type { RequestLimiter } from './request-limiter.js';
import { createSpool, type SpooledBody } from './spool.js';

/** One request. */
export interface EgressRequest {
  /** Credentials and fragment in it are never sent. */
  readonly url: string;
  readonly purpose: RequestPurpose;
  /** More header fields: conditions, Accept-Language. The caller cannot set identity, cookies and framing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The politeness unit that the URL's host belongs to. */
  readonly host: string;
  readonly requirements: HostRequirements;
  /** For the log: the copy of robots.txt that lets it out. @default `null` */
  readonly robots?: RobotsCopyRef | null;
  /** For the log: whose robots.txt is requested. @default `null`: none is */
  readonly robotsOf?: string | null;
  /** Asked when the address is known, before a connection is made; at most once. Never rejects. @default always yes */
  readonly mayConnect?: (address: string) => Promise<StartAnswer>;
  /** Awaited after the last byte and before the body is decoded. @default at once */
  readonly beforeDecoding?: (() => Promise<void>) | undefined;
  /** Asked last, right before the first byte; at most once. */
  readonly mayStart: () => StartAnswer;
  /** Decoded bytes kept. @default `network.maxBodyBytes`; robots.txt has its own cap */
  readonly maxBodyBytes?: number;
  /**
   * Asked when the header section has come: decoded bytes that the body may have, which then goes to a file where it is
   * large. `null`: it is held, up to `maxBodyBytes`. @default `null`
   */
  readonly largeBody?: (head: ResponseHead) => number | null;
  readonly signal: AbortSignal;
}

/** Sends requests. */
export interface Egress {
  /** One exchange, or the news that nothing left. Never rejects. */
  send(request: EgressRequest): Promise<EgressOutcome>;
  /** Removes large bodies from the disk. The fetcher is closed by its owner. */
  close(): Promise<void>;
}

/** What egress needs. */
export interface EgressOptions {
  readonly fetcher: Fetcher;
  readonly identity: Pick<Identity, 'userAgent' | 'from'>;
  readonly guard: AddressGuard;
  readonly limiter: Pick<RequestLimiter, 'ask'>;
  /** Milliseconds and bytes; robots.txt is bounded by the lesser of these and its own limits. */
  readonly network: {
    readonly connectTimeoutMs: number;
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly maxBodyBytes: number;
    /** Makes the jar of an origin. @default no cookies */
    readonly cookies?: (() => CookieJar) | null;
  };
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Called once for each request that left, when its exchange is over. */
  readonly onRequest?: (record: EgressRecord) => void;
  /**
   * Called right before that with what was sent and what came, for an archive. Bodies are then also kept as they came.
   */
  readonly onExchange?: ((sent: SentRequest, outcome: FetchOutcome) => void) | undefined;
}

/** A request as it left. */
export interface SentRequest {
  readonly url: string;
  readonly purpose: RequestPurpose;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the egress of one crawl. Never throws. */
export function createEgress(options: EgressOptions): Egress {
  const { guard, limiter, nowMs } = options;
  const headersFor = createRequestHeaders(options.identity);
  const makeJar = options.network.cookies ?? null;
  const cookies = makeJar === null ? null : createCookies(makeJar);
  const lastEnds = new LastEnds();
  const spool = createSpool();
  return {
    async send(request) {
      const url = cleanUrl(request.url);
      if (url === null) return unsent(request.url, nowMs(), 'scheme-unsupported', 'not an absolute URL');
      const answer = await unlessAborted(guard.judge(url), request.signal);
      if (answer === null) return unsent(url.href, nowMs(), 'aborted', 'given up by the crawl');
      if (answer.kind === 'refused') return unsent(url.href, nowMs(), answer.failure, answer.detail);
      const mayConnect = await request.mayConnect?.(answer.address);
      if (mayConnect !== undefined && mayConnect.kind !== 'go') return notSent(url.href, mayConnect);
      const cookie = cookies === null ? null : await cookies.valueFor(url, request.purpose);
      const lock = await limiter.ask(request.host, request.requirements, nowMs());
      if (lock.kind === 'wait') return notSent(url.href, { kind: 'wait', untilMs: lock.untilMs });

      const headers = cookie === null ? headersFor(request) : { ...headersFor(request), Cookie: cookie };
      // Unless the fetcher asked, nothing left: then it may be tried again at once.
      let said: StartAnswer = { kind: 'wait', untilMs: nowMs() };
      let spooled: SpooledBody | null = null;
      const { largeBody } = request;
      const came = await fetchOrFail(options.fetcher, nowMs, {
        url: url.href,
        method: 'GET',
        headers,
        address: { address: answer.address, family: answer.family },
        limits: limitsFor(request, options.network),
        ...(options.onExchange === undefined ? {} : { keepsEncoded: true }),
        ...(largeBody === undefined
          ? {}
          : {
              consumeBody: (head) => {
                const bytes = largeBody(head);
                spooled = bytes === null ? null : spool.open(bytes);
                return spooled;
              },
            }),
        ...(request.beforeDecoding === undefined ? {} : { beforeDecoding: request.beforeDecoding }),
        mayStart: () => {
          said = request.mayStart();
          return said.kind === 'go';
        },
        signal: request.signal,
      });
      const outcome = came === null ? null : await withSpooled(came, spooled);
      if (outcome === null) {
        lock.done(null, nowMs(), nowMs());
        return notSent(url.href, said);
      }
      const { startedAtMs, endedAtMs } = outcome.timing;
      if (outcome.kind === 'failed' && !outcome.wasSent) {
        lock.done(null, endedAtMs, nowMs());
        return outcome;
      }
      lock.done(startedAtMs, endedAtMs, nowMs());
      const gapMs = lastEnds.gap(request.host, startedAtMs, endedAtMs);
      if (cookies !== null && outcome.kind === 'response') await cookies.keep(url, request.purpose, outcome.headers);
      options.onExchange?.({ url: url.href, purpose: request.purpose, headers }, outcome);
      options.onRequest?.(egressRecord(request, outcome, headers['User-Agent'] ?? '', gapMs));
      return outcome;
    },
    close: () => spool.close(),
  };
}

/** A name may take seconds to look up: a stop at once does not wait for it. `null`: aborted. */
function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    const ignoreAbort = onAbort(signal, () => resolve(null));
    asked.then(resolve, reject).finally(ignoreAbort);
  });
}

/** A user's fetcher that rejects breaks its contract, and is still a value here. */
async function fetchOrFail(fetcher: Fetcher, nowMs: () => number, request: FetchRequest): Promise<FetchOutcome | null> {
  const startedAtMs = nowMs();
  try {
    return await fetcher.fetch(request);
  } catch (error) {
    // Whether anything left is not known: it counts as sent, so that the host gets its silence.
    return {
      ...unsent(request.url, nowMs(), 'internal', failureDetail(error)),
      wasSent: true,
      timing: { startedAtMs, headersAtMs: null, endedAtMs: nowMs() },
    };
  }
}

/** The outcome with what went to the spool. A full disk is broken machinery, and a value all the same. */
async function withSpooled(outcome: FetchOutcome, spooled: SpooledBody | null): Promise<FetchOutcome> {
  if (spooled === null) return outcome;
  if (outcome.kind === 'failed') {
    await spooled.discard();
    return outcome;
  }
  try {
    const { body, file } = spooled.end();
    return file === null ? { ...outcome, body } : { ...outcome, body, file };
  } catch (error) {
    await spooled.discard();
    const { url, remoteAddress, timing } = outcome;
    return {
      kind: 'failed',
      url,
      failure: 'internal',
      detail: failureDetail(error),
      remoteAddress,
      wasSent: true,
      timing,
    };
  }
}

/** The URL as it is asked for and logged: no credentials, no fragment. `null` for what is no URL. */
function cleanUrl(text: string): URL | null {
  const url = parseUrl(text);
  if (url === null) return null;
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
  if (url.hash !== '' || text.endsWith('#')) url.hash = '';
  return url;
}

function limitsFor({ purpose, maxBodyBytes }: EgressRequest, network: EgressOptions['network']): FetchLimits {
  if (purpose !== 'robots') {
    const kept = maxBodyBytes ?? network.maxBodyBytes;
    const { connectTimeoutMs, headersTimeoutMs, requestTimeoutMs } = network;
    return {
      connectTimeoutMs,
      headersTimeoutMs,
      requestTimeoutMs,
      maxBodyBytes: kept,
      maxEncodedBytes: encodedLimit(kept),
    };
  }
  const kept = maxBodyBytes ?? ROBOTS_BODY_BYTES;
  return {
    connectTimeoutMs: Math.min(network.connectTimeoutMs, ROBOTS_CONNECT_MS),
    headersTimeoutMs: Math.min(network.headersTimeoutMs, ROBOTS_EXCHANGE_MS),
    requestTimeoutMs: Math.min(network.requestTimeoutMs, ROBOTS_EXCHANGE_MS),
    maxBodyBytes: kept,
    maxEncodedBytes: encodedLimit(kept),
  };
}

function notSent(url: string, said: StartAnswer): NotSentOutcome {
  return {
    kind: 'not-sent',
    url,
    reason: said.kind === 'lost' ? 'lost' : 'wait',
    untilMs: said.kind === 'wait' ? said.untilMs : null,
  };
}

function unsent(url: string, nowMs: number, failure: FailureCode, detail: string): FailedOutcome {
  const timing = { startedAtMs: nowMs, headersAtMs: null, endedAtMs: nowMs };
  return { kind: 'failed', url, failure, detail, remoteAddress: null, wasSent: false, timing };
}
