// A web without a network: hosts and their answers as data, served through the contract of fetchers, with a record of
// every request that arrived. It uses the platform's timers, replaced or not.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { checkOptions } from '../call-options.js';
import { invalidOption, MannerlyError } from '../errors.js';
import { ALL_CAPABILITIES, type Fetcher, IS_FAKE } from '../fetch/fetcher.js';
import type { FailureCode } from '../fetch/outcome.js';
import type { NetworkOptions } from '../options/crawler-options.js';
import { parseUrl, percentDecoded } from '../parse-url.js';
import {
  checkAnswer,
  checkFailure,
  completeAnswer,
  type FakeAnswer,
  type FakeAnswerParts,
  type FakeRequest,
  type FakeRoute,
  type FakeRouteFunction,
  mediaTypeOf,
} from './fake-answer.js';
import { fakeExchange, isBeforeSending } from './fake-exchange.js';
import { FAKE_ADDRESSES, MAX_FOLDER_FILES } from './limits.js';
import type { SeenRequest } from './politeness-assertions.js';
import type { VirtualClock } from './virtual-clock.js';

/** What a host serves. All members are optional: an empty host answers 404. */
export interface FakeHost {
  /** Its robots.txt: the text of the file, or any other answer. @default 404 */
  readonly robots?: FakeRoute;
  /**
   * Path → answer. A path without a query also answers its queries that are not listed; `*` answers all other paths
   * except robots.txt. Or a function that answers everything except `robots`.
   */
  readonly pages?: Readonly<Record<string, FakeRoute>> | FakeRouteFunction;
  /** A folder whose files are served for paths that `pages` does not have. */
  readonly folder?: string;
  /** Milliseconds before its answers begin. @default that of the web */
  readonly delayMs?: number;
  /** Its address. @default a separate one in 198.18.0.0/15 */
  readonly address?: string;
  /** Fails every request with this code; `dns`: its name does not resolve. */
  readonly failure?: FailureCode;
}

interface FakeWebOptions {
  /** By host name (`example.org`), `example.org:8080` or `https://example.org`. The closest key wins. */
  readonly hosts: Readonly<Record<string, FakeHost>>;
  /** Milliseconds before an answer begins, unless a host sets it. @default 0 */
  readonly delayMs?: number;
}

/** One request as the fake web saw it. Times are epoch milliseconds. */
export interface FakeExchange extends SeenRequest {
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `null` if no response was sent. */
  readonly status: number | null;
}

/** Options that make a crawler crawl a fake web. */
export interface CrawlerFakes {
  readonly fetcher: Fetcher;
  readonly network: Pick<NetworkOptions, 'resolve' | 'allowAddresses'>;
  /** Absent if no virtual clock was passed. */
  readonly clock?: VirtualClock;
}

/** A fake web. */
export interface FakeWeb {
  /** Every request that arrived, in order. Live. */
  readonly exchanges: readonly FakeExchange[];
  /** Errors of routes. Such a request fails as `internal`. */
  readonly errors: readonly unknown[];
  /** The URLs that were requested, in order. @param host - Only those of this host. */
  requested(host?: string): string[];
  /** Options for a crawler of this web: `createCrawler({ ...options, ...web.fakes(clock) })`. */
  fakes(clock?: VirtualClock): CrawlerFakes;
  /** Forgets all exchanges. */
  forget(): void;
}

/** @throws MannerlyError `option-invalid`, `option-unknown` */
function checkHost(name: string, host: FakeHost): void {
  const call = `hosts['${name}']`;
  checkOptions(call, host, {
    robots: 'any',
    pages: 'any',
    folder: 'string',
    delayMs: 'number',
    address: 'string',
    failure: 'any',
  });
  checkFailure(call, host);
  const { robots, pages = {} } = host;
  if (robots !== undefined) checkAnswer(`${call}.robots`, robots);
  if (typeof pages === 'function') return;
  for (const [path, route] of Object.entries(pages)) {
    if (path !== '*' && !path.startsWith('/')) throw invalidOption(`${call}.pages`, 'keyed by paths, or *', path);
    checkAnswer(`${call}.pages['${path}']`, route);
  }
}

interface Site {
  readonly host: FakeHost;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Creates a fake web. It does not listen on the network.
 *
 * @example
 * ```ts
 * const web = createFakeWeb({
 *   hosts: {
 *     'example.org': {
 *       robots: 'User-agent: *\nCrawl-delay: 10\n',
 *       pages: { '/': fakePage('Start', ['/a']), '/a': 'A' },
 *     },
 *   },
 * });
 * ```
 * @throws MannerlyError `option-unknown`; `option-invalid`, also for a key that is not a host, a path that does not
 *   begin with `/`, and a folder that does not exist.
 */
export function createFakeWeb(options: FakeWebOptions): FakeWeb {
  checkOptions('createFakeWeb', options, { hosts: 'object!', delayMs: 'number' });
  const { hosts, delayMs = 0 } = options;
  const sites = new Map<string, Site>();
  const addresses = new Map<string, string>();
  for (const [key, host] of Object.entries(hosts)) {
    checkHost(key, host);
    const { name, siteKey } = parseHostKey(key);
    sites.set(siteKey, { host, files: host.folder === undefined ? new Map() : filesIn(host.folder) });
    if (host.address !== undefined) addresses.set(name, host.address);
    else if (!addresses.has(name)) addresses.set(name, addressOf(addresses.size));
    if (host.failure === 'dns' && siteKey === name) addresses.delete(name);
  }
  const exchanges: FakeExchange[] = [];
  const errors: unknown[] = [];
  const requestCounts = new Map<string, number>();

  const siteOf = (url: URL): Site | null =>
    sites.get(url.origin) ?? (url.port === '' ? null : sites.get(url.host)) ?? sites.get(url.hostname) ?? null;

  const answerOf = async (route: FakeRoute, request: FakeRequest): Promise<FakeAnswer> => {
    try {
      const answer = (typeof route === 'function' ? await route(request) : route) ?? NOT_FOUND;
      checkAnswer(`the answer to ${request.path}`, answer);
      return answer;
    } catch (error) {
      errors.push(error);
      return { failure: 'internal' };
    }
  };

  const fetcherOn = (clock: VirtualClock | undefined): Fetcher & { readonly [IS_FAKE]: true } => ({
    capabilities: ALL_CAPABILITIES,
    [IS_FAKE]: true,
    async fetch(request) {
      const url = parseUrl(request.url) ?? new URL('http://nowhere.invalid/');
      const path = url.pathname + url.search;
      const site = siteOf(url);
      const route: FakeRoute = site === null ? { failure: 'dns' } : routeOf(site, path);
      const failure = typeof route === 'object' ? (route.failure ?? null) : null;
      let position = -1;
      const outcome = await fakeExchange({
        request,
        connectFailure: failure !== null && isBeforeSending(failure) ? failure : null,
        decode: (work) => (clock === undefined ? work() : clock.standStill(work)),
        async respond(startMs) {
          const before = requestCounts.get(request.url) ?? 0;
          requestCounts.set(request.url, before + 1);
          const arrived = { url: request.url, host: url.hostname, path, headers: request.headers, startMs };
          position = exchanges.length;
          exchanges.push({ ...arrived, endMs: Number.POSITIVE_INFINITY, status: null });
          const { body } = request;
          const posted = body === undefined ? {} : { body };
          const answer = await answerOf(route, { ...arrived, ...posted, before, atMs: startMs });
          return completeAnswer(answer, path, site?.host.delayMs ?? delayMs);
        },
      });
      const exchange = exchanges[position];
      if (exchange !== undefined && outcome !== null) {
        const status = outcome.kind === 'response' ? outcome.status : null;
        exchanges[position] = { ...exchange, endMs: outcome.timing.endedAtMs, status };
      }
      return outcome;
    },
    close: () => Promise.resolve(),
  });

  const network = {
    allowAddresses: ['198.18.0.0/15'],
    resolve: async (name: string) => {
      const address = addresses.get(name.toLowerCase());
      return address === undefined ? [] : [address];
    },
  };
  return {
    exchanges,
    errors,
    requested: (host) =>
      exchanges.filter((exchange) => host === undefined || exchange.host === host).map(({ url }) => url),
    fakes: (clock) => ({ fetcher: fetcherOn(clock), network, ...(clock === undefined ? {} : { clock }) }),
    forget() {
      exchanges.length = 0;
      errors.length = 0;
      requestCounts.clear();
    },
  };
}

const NOT_FOUND: FakeAnswer = { status: 404, headers: { 'Content-Type': 'text/plain' }, body: 'not here' };

function routeOf({ host, files }: Site, path: string): FakeRoute {
  if (host.failure !== undefined) return { failure: host.failure };
  if (path === '/robots.txt' && host.robots !== undefined) return host.robots;
  const { pages = {} } = host;
  if (typeof pages === 'function') return path === '/robots.txt' ? NOT_FOUND : pages;
  const found = pages[path] ?? pages[path.replace(/\?.*$/, '')] ?? fileAnswer(files, path);
  return found ?? (path === '/robots.txt' ? NOT_FOUND : (pages['*'] ?? NOT_FOUND));
}

/** A key of `hosts` in the spelling of URLs: an origin, `host:port`, or a name. */
function parseHostKey(key: string): { readonly name: string; readonly siteKey: string } {
  const hasScheme = /^https?:\/\//i.test(key);
  const text = hasScheme ? key : `http://${key}`;
  const url = parseUrl(text);
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '') {
    throw invalidOption('hosts', 'keyed by host name, host:port or origin', key);
  }
  return { name: url.hostname, siteKey: hasScheme ? url.origin : url.host };
}

/** An address for the nth host; after 131,072 they repeat. */
function addressOf(index: number): string {
  const at = index % FAKE_ADDRESSES;
  return `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
}

/** Lists a folder once: from the path on the site to the file. @throws MannerlyError `option-invalid` */
function filesIn(folder: string): ReadonlyMap<string, string> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    const hint = 'Paths are those of the process: build one from `import.meta.dirname` to be sure.';
    throw invalidOption('folder', 'a folder', folder, hint);
  }
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    if (files.size >= MAX_FOLDER_FILES) {
      throw new MannerlyError('option-invalid', `${folder} holds more than ${MAX_FOLDER_FILES} files`);
    }
    const file = join(entry.parentPath, entry.name);
    files.set(`/${file.slice(join(folder, sep).length).replaceAll(sep, '/')}`, file);
  }
  return files;
}

/** A path that ends with `/` is its `index.html`; a query is ignored. `null` if there is no such file. */
function fileAnswer(files: ReadonlyMap<string, string>, path: string): FakeAnswerParts | null {
  const requested = percentDecoded(path.replace(/\?.*$/, ''));
  const name = requested.endsWith('/') ? `${requested}index.html` : requested;
  const file = files.get(name);
  return file === undefined ? null : { headers: { 'Content-Type': mediaTypeOf(name) }, body: readFileSync(file) };
}
