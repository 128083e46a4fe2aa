// What a browser fetcher may be told, and the one place where it is checked and filled in.

import { createUndiciFetcher, type Fetcher, MannerlyError } from 'mannerly';
import type { Browser } from 'playwright-core';
import type { RenderCandidate } from '../fetch/renderer.js';
import {
  DEFAULT_BROWSER_PAGES,
  DEFAULT_BROWSER_RESTARTS,
  DEFAULT_DOM_CHARS,
  DEFAULT_PAGE_LOADED_BYTES,
  DEFAULT_PAGE_MS,
  DEFAULT_PAGE_REQUESTS,
  DEFAULT_QUIET_MS,
  MAX_BROWSER_PAGES,
  MAX_BROWSER_RESTARTS,
  MAX_DOM_CHARS,
  MAX_PAGE_LOADED_BYTES,
  MAX_PAGE_MS,
  MAX_PAGE_REQUESTS,
  MAX_QUIET_MS,
  MIN_PAGE_MS,
} from './limits.js';

/** What a page may load next to its document. `frame`: the document of a frame within it. */
export type SubresourceType =
  | 'script'
  | 'xhr'
  | 'fetch'
  | 'stylesheet'
  | 'frame'
  | 'image'
  | 'font'
  | 'media'
  | 'manifest';

const TYPES: readonly SubresourceType[] = [
  'script',
  'xhr',
  'fetch',
  'stylesheet',
  'frame',
  'image',
  'font',
  'media',
  'manifest',
];

/**
 * What `browserFetcher` may be told. One of `launch` and `browser` is required. A bolder value costs sites only where
 * it says so.
 */
export interface BrowserFetcherOptions {
  /**
   * Starts a Chromium with these flags ({@link SEALED_FLAGS}) and those that your machine needs: called when the first
   * page wants it, and again when it is gone. The fetcher closes what it started.
   */
  readonly launch?: (flags: string[]) => Promise<Browser>;
  /** A Chromium that runs already, started with `SEALED_FLAGS`. It is neither closed nor started again. */
  readonly browser?: Browser;
  /** Makes every request, those of pages in the browser too; closed with this one. @default createUndiciFetcher() */
  readonly fetcher?: Fetcher;
  /**
   * Which pages are opened, of the HTML that a handler gets; anything but `true` leaves a page as it came. @default
   * every one
   */
  readonly renders?: (page: RenderCandidate) => boolean;
  /**
   * What pages may load. Each costs its host a request, and its page the wait for it. @default ['script', 'xhr',
   * 'fetch']
   */
  readonly loads?: readonly SubresourceType[];
  /**
   * `any`: hosts outside of the crawl's scope are asked too, for what pages load. `scope.exclude` and `scope.allows`
   * hold all the same. @default 'scope'
   */
  readonly hosts?: 'scope' | 'any';
  /** Pages open at a time, 1 to 16. @default 2 */
  readonly pages?: number;
  /** Things that one page may load, 0 to 1,000. A larger number costs its hosts that many requests. @default 50 */
  readonly requests?: number;
  /** Decoded bytes of what one page loads, 1 to 1 GiB. @default 20 MiB */
  readonly bytes?: number;
  /**
   * How long a page is open, from its turn, 1,000 to 600,000 ms; then it is read as it is. What it loads waits for its
   * host's turn meanwhile: with a Crawl-delay of ten seconds the default lets five things come. @default 60_000
   */
  readonly pageMs?: number;
  /**
   * A page counts as done when its document has been read and nothing was asked for so long, 0 to 60,000 ms. @default
   * 500
   */
  readonly quietMs?: number;
  /** Characters of the serialised DOM, 1 to 50,000,000; a page with more fails. @default 5_000_000 */
  readonly domChars?: number;
  /** Browsers that are started after the first one is gone, 0 to 100, each run of a crawl anew. @default 3 */
  readonly restarts?: number;
}

/** Options as they are read. */
export interface BrowserSettings {
  readonly source: { readonly kind: 'launch'; readonly launch: (flags: string[]) => Promise<Browser> } | OwnBrowser;
  readonly fetcher: Fetcher;
  readonly renders: (page: RenderCandidate) => boolean;
  readonly loads: ReadonlySet<string>;
  readonly anywhere: boolean;
  readonly pages: number;
  readonly requests: number;
  readonly bytes: number;
  readonly pageMs: number;
  readonly quietMs: number;
  readonly domChars: number;
  readonly restarts: number;
}

interface OwnBrowser {
  readonly kind: 'browser';
  readonly browser: Browser;
}

/** Number options: default, least, greatest. */
const NUMBERS = {
  pages: [DEFAULT_BROWSER_PAGES, 1, MAX_BROWSER_PAGES],
  requests: [DEFAULT_PAGE_REQUESTS, 0, MAX_PAGE_REQUESTS],
  bytes: [DEFAULT_PAGE_LOADED_BYTES, 1, MAX_PAGE_LOADED_BYTES],
  pageMs: [DEFAULT_PAGE_MS, MIN_PAGE_MS, MAX_PAGE_MS],
  quietMs: [DEFAULT_QUIET_MS, 0, MAX_QUIET_MS],
  domChars: [DEFAULT_DOM_CHARS, 1, MAX_DOM_CHARS],
  restarts: [DEFAULT_BROWSER_RESTARTS, 0, MAX_BROWSER_RESTARTS],
} as const;

const KNOWN_KEYS: readonly string[] = [
  'launch',
  'browser',
  'fetcher',
  'renders',
  'loads',
  'hosts',
  ...Object.keys(NUMBERS),
];
/** What changes what a page shows. Pictures, fonts and style do not change its text. */
const DEFAULT_LOADS: readonly SubresourceType[] = ['script', 'xhr', 'fetch'];

/** @throws MannerlyError `option-unknown`, `option-invalid`. */
export function resolveBrowserOptions(options: BrowserFetcherOptions): BrowserSettings {
  const unknown = Object.keys(options).find((key) => !KNOWN_KEYS.includes(key));
  if (unknown !== undefined) {
    throw new MannerlyError(
      'option-unknown',
      `a browser fetcher does not know \`${unknown}\`; it knows ${KNOWN_KEYS.join(', ')}`,
    );
  }
  const { renders = () => true, loads = DEFAULT_LOADS, hosts = 'scope' } = options;
  if (typeof renders !== 'function') throw invalid('renders', 'a function', renders);
  if (!Array.isArray(loads) || !loads.every((type) => TYPES.includes(type)))
    throw invalid('loads', `a list of ${TYPES.join(', ')}`, loads);
  if (hosts !== 'scope' && hosts !== 'any') throw invalid('hosts', "'scope' or 'any'", hosts);
  return {
    source: sourceOf(options),
    fetcher: options.fetcher ?? createUndiciFetcher(),
    renders,
    loads: new Set(loads),
    anywhere: hosts === 'any',
    pages: numberOf(options, 'pages'),
    requests: numberOf(options, 'requests'),
    bytes: numberOf(options, 'bytes'),
    pageMs: numberOf(options, 'pageMs'),
    quietMs: numberOf(options, 'quietMs'),
    domChars: numberOf(options, 'domChars'),
    restarts: numberOf(options, 'restarts'),
  };
}

function sourceOf({ launch, browser }: BrowserFetcherOptions): BrowserSettings['source'] {
  if ((launch === undefined) === (browser === undefined)) {
    throw new MannerlyError('option-invalid', 'expected one of `launch` and `browser` of the browser fetcher', {
      hint: 'for instance launch: (flags) => chromium.launch({ executablePath, args: flags })',
    });
  }
  if (browser !== undefined) return { kind: 'browser', browser };
  if (typeof launch !== 'function') throw invalid('launch', 'a function', launch);
  return { kind: 'launch', launch };
}

function numberOf(options: BrowserFetcherOptions, name: keyof typeof NUMBERS): number {
  const [otherwise, least, greatest] = NUMBERS[name];
  const value: unknown = options[name] ?? otherwise;
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest) return value as number;
  throw invalid(name, `a whole number from ${least} to ${greatest}`, value);
}

function invalid(name: string, range: string, value: unknown): MannerlyError {
  return new MannerlyError(
    'option-invalid',
    `expected \`${name}\` of the browser fetcher to be ${range}, got ${String(value)}`,
  );
}
