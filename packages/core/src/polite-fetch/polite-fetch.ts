// `fetch` as politely as a crawl: a run without seeds that stays open and makes the requests it is given. robots.txt,
// spacing, one request at a time per host, address guard and identity are the crawl's own and not implemented here. If
// there is no response, the error names the rule or the failure of the network.

import { type Clock, systemClock } from '@mannerly/frontier';
import { checkOptions } from '../call-options.js';
import type { Crawler } from '../crawler.js';
import { fetcherOf, storeFor } from '../default-parts.js';
import { invalidOption, MannerlyError, textOf } from '../errors.js';
import { createExtraHeaders, requestHeaders } from '../fetch/egress-request.js';
import type { HeaderLines } from '../fetch/outcome.js';
import { Handlers } from '../handle/handlers.js';
import { createCrawlEmitter } from '../journal/events.js';
import { unlessAborted } from '../on-abort.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import { resolveOptions } from '../options/options.js';
import type { PageFetch } from '../page/page-fetch.js';
import { followRedirects, redirectTarget } from '../page/redirect.js';
import { explainReason, reasonOf } from '../report/reasons.js';
import { performRun } from '../run/perform-run.js';
import { Run } from '../run/run.js';
import { BARE_RUN } from '../run/run-setup.js';
import { RunStop } from '../run/run-stop.js';
import { DEFAULT_FETCH_WAIT_MS, MAX_FETCH_REDIRECTS, MAX_FETCH_WAIT_MS } from './limits.js';
import { openResponseCache, type ResponseCache } from './response-cache.js';

/** What was received instead of a response, or a response that is not passed on. */
type Answer =
  | Exclude<PageFetch, { readonly kind: 'response' }>
  | { readonly kind: 'redirect' | 'limit'; readonly url: string; readonly reason: string };

/** The error of a polite fetch. `code`: `fetch-refused` (no request, or its response is not used) or `fetch-failed`. */
export class PoliteFetchError extends MannerlyError {
  /** As requested, after redirects. */
  readonly url: string;
  /** A reason of the table, such as `robots-rule`, or a failure code, such as `timeout-connect`. */
  readonly reason: string;
  /** The deciding line of robots.txt; `null` if none. */
  readonly line: number | null;
  readonly pattern: string | null;
  /** When it may be tried again, epoch milliseconds; `null` if not known. */
  readonly untilMs: number | null;

  constructor(answer: Answer) {
    const isFailure = answer.kind === 'failed';
    const reason = isFailure ? answer.failure : answer.reason;
    super(isFailure ? 'fetch-failed' : 'fetch-refused', messageOf(answer, reason), { hint: hintOf(answer, reason) });
    this.name = 'PoliteFetchError';
    this.url = answer.url;
    this.reason = reason;
    this.line = answer.kind === 'excluded' ? answer.line : null;
    this.pattern = answer.kind === 'excluded' ? answer.pattern : null;
    this.untilMs = answer.kind === 'held' ? answer.untilMs : null;
  }
}

function messageOf(answer: Answer, reason: string): string {
  const { url, kind } = answer;
  if (kind !== 'excluded') return `${url} was not fetched: ${reason}${kind === 'failed' ? `: ${answer.detail}` : ''}`;
  const rule = answer.line === null ? '' : `, line ${answer.line} of its robots.txt: ${answer.pattern}`;
  return `${url} may not be fetched: ${reason}${rule}`;
}

/** What to do, by reason, where a polite fetch differs from a crawl. */
const HINTS: Readonly<Record<string, string>> = {
  'not-before':
    'A redirect of the site names a time, or the proxy is down (`host-warning`): ask again after `untilMs`.',
  'proxy-refused': 'The proxy refuses to connect to it. Ask its operator to allow CONNECT to ports 80 and 443.',
  stopping: '`close` was called. Call again when it has resolved.',
  'robots-unreachable':
    'Its site is closed until its robots.txt can be read. Ask again later; the event `host-warning` has the cause.',
  redirect: 'The site redirects, and the call has `redirect: "error"`.',
  'body-too-long': 'The body is longer than `network.maxBodyBytes`.',
  'body-cut-off': 'The connection ended before the body. Nothing was retried.',
};

function hintOf({ kind }: Answer, reason: string): string {
  if (kind === 'excluded') return 'The site says so. No option overrides it for other people’s sites.';
  const hint = HINTS[reason];
  if (hint !== undefined) return hint;
  if (kind === 'held')
    return 'The turn of its host did not come in time. Wait, raise `waitMs`, or make fewer calls at a time.';
  if (kind === 'failed') return `${reasonOf(reason)?.meaning ?? ''} Nothing was retried.`.trimStart();
  return explainReason(reason);
}

/** Options of a polite fetch; those shared with a crawl have the crawl's defaults. */
export interface PoliteFetchOptions
  extends Pick<
    CrawlerOptions,
    | 'identity'
    | 'politeness'
    | 'robots'
    | 'hosts'
    | 'network'
    | 'purposes'
    | 'licensing'
    | 'hooks'
    | 'fetcher'
    | 'clock'
  > {
  /**
   * A folder that outlasts the process: copies of robots.txt, the clocks of hosts, and `requests.jsonl`. One process at
   * a time. @default none: all is in memory
   */
  readonly directory?: string;
  /**
   * Keeps responses as a browser does (RFC 9111): a fresh one costs no request and no turn, a stale one is requested
   * conditionally. At most 1,000, of 1 MiB each; in memory, and with `directory` in `cache.sqlite` if Node.js has
   * `node:sqlite` (22.13 and later). Not with `network.cookies`. @default false
   */
  readonly cache?: boolean;
  /** Milliseconds that a request waits for its host's turn and its robots.txt, 0 to 600,000. @default 120_000 */
  readonly waitMs?: number;
}

/** A polite `fetch`, for GET and HEAD. */
export interface PoliteFetch {
  /**
   * As the platform's `fetch`, except: GET and HEAD only; the caller cannot set `User-Agent`, cookies and credentials;
   * a body longer than `network.maxBodyBytes` is an error; nothing is retried, and a redirect that names a time is not
   * followed.
   * @throws PoliteFetchError (rejects) `fetch-refused` with reason and line; `fetch-failed`. The signal's reason if
   *   it is aborted, which ends an exchange in flight. MannerlyError `option-invalid` for another method;
   *   `directory-in-use`, `directory-taken`.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends waiting requests, completes those in flight, and closes the directory. A later call opens it again. */
  close(): Promise<void>;
  /** What was requested, and what hosts require: `request`, `host-warning` and others, as of a crawl. */
  readonly events: Crawler['events'];
}

const UNUSED_HOOK = 'A polite fetch calls only `beforeFetch`. Look at the response, or at the reason of the error.';

/** Not a site: the run begins without seeds. */
const PLACEHOLDER_SEED = 'https://none.invalid/';

/**
 * Makes a polite `fetch`. Nothing is opened before its first call; a process can end without `close` once nothing is in
 * flight.
 *
 * @example
 * ```ts
 * const identity = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };
 * const fetch = createPoliteFetch({ identity });
 * const response = await fetch('https://docs.example.org/tides');
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`, `identity-name`, `identity-contact`.
 */
export function createPoliteFetch(options: PoliteFetchOptions): PoliteFetch {
  checkOptions('createPoliteFetch', options, {
    identity: 'any',
    politeness: 'any',
    robots: 'any',
    hosts: 'any',
    network: 'any',
    purposes: 'any',
    licensing: 'any',
    hooks: 'any',
    fetcher: 'any',
    clock: 'any',
    directory: 'string',
    cache: 'boolean',
    waitMs: 'number',
  });
  const { directory, cache = false, waitMs = DEFAULT_FETCH_WAIT_MS, ...crawlOptions } = options;
  if (!(waitMs >= 0 && waitMs <= MAX_FETCH_WAIT_MS)) {
    throw invalidOption('waitMs', `a number from 0 to ${MAX_FETCH_WAIT_MS}`, waitMs);
  }
  const crawl = { ...crawlOptions, scope: { seeds: [PLACEHOLDER_SEED], within: 'any' as const }, bounds: { pages: 1 } };
  const resolved = resolveOptions(crawl, createPoliteFetch);
  if (cache && resolved.network.cookies !== null)
    throw invalidOption('cache', 'false with `network.cookies`', cache, 'A kept response may be meant for one cookie.');
  for (const name of ['afterFetch', 'onExclusion'] as const) {
    const hook = resolved.hooks?.[name] ?? null;
    if (hook !== null) throw invalidOption(`hooks.${name}`, 'absent', hook, UNUSED_HOOK);
  }
  const fieldsOf = createExtraHeaders(resolved.network.headers, resolved.hosts);
  const clock = crawlOptions.clock ?? idleClock();
  const emitter = createCrawlEmitter((error) => {
    process.emitWarning(`a listener of the polite fetch threw: ${textOf(error)}`, 'MannerlyWarning');
  });
  let open: Promise<OpenRun> | null = null;

  const startRun = async (): Promise<OpenRun> => {
    const stop = new RunStop(clock);
    let resolveOpen = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => {
      resolveOpen = resolve;
    });
    const run = await Run.open({
      ...BARE_RUN,
      options: { ...resolved, scope: { ...resolved.scope, seeds: [] } },
      handlers: new Handlers(),
      emitter,
      stop,
      store: storeFor(directory, crawl, resolved),
      fetcher: fetcherOf(crawl, clock),
      clock,
      out: directory ?? null,
      keepOpen: true,
      opened: async () => resolveOpen(),
    });
    const ended = performRun(run);
    const settled = ended
      .catch(() => undefined)
      .then(() => {
        open = null;
      });
    // An error while it opens fails the request; a later error fails `close`.
    await Promise.race([isOpen, ended]);
    const responseCache = cache ? await openResponseCache(directory ?? null, () => clock.nowMs()) : null;
    settled.then(() => responseCache?.close());
    const allFields = (url: string, own: Fields): Fields =>
      requestHeaders(resolved.identity, 'handler', own, fieldsOf(new URL(url).hostname));
    return { run, stop, ended, settled, cache: responseCache === null ? null : { ...responseCache, allFields } };
  };

  /** The run that is open. One that is closing ends first. @throws What fails while it opens. */
  const openRun = async (): Promise<OpenRun> => {
    for (;;) {
      open ??= startRun();
      open.catch(() => {
        open = null;
      });
      const last = await open;
      if (!last.stop.isRequested) return last;
      await last.settled;
    }
  };

  const fetchPolitely = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { method, integrity } = request;
    if (method !== 'GET' && method !== 'HEAD') throw invalidOption('method', 'GET or HEAD', method);
    if (integrity !== '')
      throw invalidOption('integrity', 'absent', integrity, 'It cannot be checked here. Compare the body yourself.');
    request.signal.throwIfAborted();
    return keptAlive(async () => {
      const ready = await unlessAborted(openRun(), request.signal);
      if (ready === null) throw request.signal.reason;
      const response = await unlessAborted(fetched(ready, request, waitMs), request.signal);
      if (response === null) throw request.signal.reason;
      return response;
    });
  };

  return Object.assign(fetchPolitely, {
    events: { on: emitter.on },
    async close() {
      const last = open;
      if (last === null) return;
      await keptAlive(async () => {
        const { stop, ended } = await last;
        stop.request();
        await ended;
      });
    },
  });
}

interface OpenRun {
  readonly run: Run;
  readonly stop: RunStop;
  readonly ended: Promise<unknown>;
  /** Resolves after `ended`, when another run may open. */
  readonly settled: Promise<void>;
  /** `null`: nothing is kept. `allFields`: the fields of a request together with its own, by its URL. */
  readonly cache: (ResponseCache & { allFields(url: string, own: Fields): Fields }) | null;
}

type Fields = Readonly<Record<string, string>>;

const ALIVE_MS = 60_000;

/** Keeps the process alive until a call is over. Waiting for a timer of the idle clock does not. */
async function keptAlive<T>(call: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, ALIVE_MS);
  try {
    return await call();
  } finally {
    clearInterval(timer);
  }
}

/** A clock whose timers do not keep the process alive: only calls that are under way do. */
function idleClock(): Clock {
  const system = systemClock();
  return {
    nowMs: () => system.nowMs(),
    after(ms, fn) {
      const timer = setTimeout(fn, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** One response, after as many redirects as are followed: each hop is judged, and waits, like the first. */
async function fetched(open: OpenRun, request: Request, waitMs: number): Promise<Response> {
  const first = request.url.replace(/#.*$/s, '');
  let requestCount = 0;
  const fetchUrl = (url: string): Promise<PageFetch> => {
    requestCount += 1;
    return answerOf(open, request, url, waitMs);
  };
  const isFollowed = request.redirect === 'follow';
  const answer = await (isFollowed ? followRedirects(first, first, fetchUrl, MAX_FETCH_REDIRECTS) : fetchUrl(first));
  if (answer.kind !== 'response') throw new PoliteFetchError(answer);
  const { url, status, statusText, body, truncated } = answer;
  if (truncated === 'limit') throw new PoliteFetchError({ kind: 'limit', url, reason: 'body-too-long' });
  if (truncated !== null) throw new PoliteFetchError({ kind: 'limit', url, reason: 'body-cut-off' });
  const target = redirectTarget(answer);
  if (request.redirect === 'error' && target.kind === 'to' && target.by === 'location')
    throw new PoliteFetchError({ kind: 'redirect', url, reason: 'redirect' });
  const isBodiless = request.method === 'HEAD' || status === 204 || status === 205 || status === 304;
  const bytes = isBodiless ? null : new Uint8Array(body);
  const received = { url, status, statusText, ok: status >= 200 && status <= 299, redirected: requestCount > 1 };
  return withReceived(new Response(bytes, { headers: headersOf(answer.headers) }), received);
}

/** Also of each clone: the platform's constructor has no URL, and throws for some statuses and reason phrases. */
function withReceived(response: Response, received: Partial<Response>): Response {
  for (const [name, value] of Object.entries(received)) Object.defineProperty(response, name, { value });
  const clone = (): Response => withReceived(Response.prototype.clone.call(response), received);
  return Object.defineProperty(response, 'clone', { value: clone });
}

/** The answer for one URL, kept or new. */
async function answerOf({ run, cache }: OpenRun, request: Request, url: string, waitMs: number): Promise<PageFetch> {
  const headers = Object.fromEntries(request.headers);
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const send = (fields: Fields): Promise<PageFetch> => {
    const options = { method, waitMs, headers: fields, isAbortable: true } as const;
    return run.pageRequests.request('handler', url, options, request.signal);
  };
  if (cache === null || method === 'HEAD' || request.cache === 'no-store') return send(headers);
  const mayUseCache = await isAllowed(run, request, url);
  return cache.fetch({ url, headers: cache.allFields(url, headers), isAllowed: mayUseCache }, send);
}

/** Whether a kept response may be returned: according to the current robots.txt and the caller's options. */
async function isAllowed(run: Run, { cache }: Request, url: string): Promise<boolean> {
  // What robots.txt and licences say about purposes is judged only when a request is made.
  if (cache === 'no-cache' || cache === 'reload' || run.options.exclusion.page.purposes.length > 0) return false;
  if (run.admit([{ url, depth: 0, via: 'handler' }]).admitted.length === 0) return false;
  return (await run.frontier.inspectUrl(url)).gate.kind === 'allow';
}

/** Lines that the platform rejects are left out: bytes from servers never throw. */
function headersOf(lines: HeaderLines): Headers {
  const headers = new Headers();
  for (const [name, value] of lines) {
    try {
      headers.append(name, value);
    } catch {
      // A name or a value with characters that no field may have.
    }
  }
  return headers;
}
