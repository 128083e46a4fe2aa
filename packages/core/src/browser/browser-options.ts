// The options of a browser fetcher, and the one place where they are checked and filled in.

import { createUndiciFetcher, type Fetcher, MannerlyError } from 'mannerly';
import type { Browser } from 'playwright-core';
import { type RenderCandidate, SUBRESOURCE_TYPES } from '../fetch/renderer.js';
import {
  BROWSER_PAGES,
  BROWSER_RESTARTS,
  DOM_CHARS,
  PAGE_LOADED_BYTES,
  PAGE_MS,
  PAGE_REQUESTS,
  PAGE_STEPS,
  QUIET_MS,
} from './limits.js';

type SubresourceType = (typeof SUBRESOURCE_TYPES)[number];

/** Options of `browserFetcher`. One of `launch` and `browser` is required. */
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
  /** Which HTML pages are opened; anything but `true` leaves a page as it came. @default every one */
  readonly renders?: (page: RenderCandidate) => boolean;
  /** What pages may load. Each costs its host a request. @default ['script', 'xhr', 'fetch'] */
  readonly loads?: readonly SubresourceType[];
  /**
   * `any`: pages may load from hosts outside of the crawl's scope too, unless `scope.exclude` or `scope.allows` forbid
   * it. @default 'scope'
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
  /** A page is done when its document was read and it requested nothing for so long, 0 to 60,000 ms. @default 500 */
  readonly quietMs?: number;
  /** Steps that `inBrowser` may take on one page, 0 to 1,000. @default 100 */
  readonly steps?: number;
  /** Characters of the serialised DOM, 1 to 50,000,000; a page with more fails. @default 5_000_000 */
  readonly domChars?: number;
  /** Browsers that are started after the first one is gone, 0 to 100, each run of a crawl anew. @default 3 */
  readonly restarts?: number;
}

/** Number options: default, least, greatest. */
const NUMBERS = {
  pages: BROWSER_PAGES,
  requests: PAGE_REQUESTS,
  bytes: PAGE_LOADED_BYTES,
  pageMs: PAGE_MS,
  quietMs: QUIET_MS,
  steps: PAGE_STEPS,
  domChars: DOM_CHARS,
  restarts: BROWSER_RESTARTS,
} as const;

type NumberOptions = { readonly [Name in keyof typeof NUMBERS]: number };

export interface BrowserSettings extends NumberOptions {
  readonly source:
    | { readonly kind: 'launch'; readonly launch: (flags: string[]) => Promise<Browser> }
    | { readonly kind: 'browser'; readonly browser: Browser };
  readonly fetcher: Fetcher;
  readonly renders: (page: RenderCandidate) => boolean;
  readonly loads: ReadonlySet<string>;
  readonly anywhere: boolean;
}

const KEYS: readonly string[] = ['launch', 'browser', 'fetcher', 'renders', 'loads', 'hosts', ...Object.keys(NUMBERS)];
/** What changes what a page shows. Pictures, fonts and style do not change its text. */
const DEFAULT_LOADS: readonly SubresourceType[] = ['script', 'xhr', 'fetch'];

/** @throws MannerlyError `option-unknown`, `option-invalid`. */
export function resolveBrowserOptions(options: BrowserFetcherOptions): BrowserSettings {
  const unknown = Object.keys(options).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    const message = `a browser fetcher does not know \`${unknown}\`; it knows ${KEYS.join(', ')}`;
    throw new MannerlyError('option-unknown', message);
  }
  const { renders = () => true, loads = DEFAULT_LOADS, hosts = 'scope' } = options;
  if (typeof renders !== 'function') throw invalid('renders', 'a function', renders);
  if (!Array.isArray(loads) || !loads.every((type) => SUBRESOURCE_TYPES.includes(type)))
    throw invalid('loads', `a list of ${SUBRESOURCE_TYPES.join(', ')}`, loads);
  if (hosts !== 'scope' && hosts !== 'any') throw invalid('hosts', "'scope' or 'any'", hosts);
  return {
    source: sourceOf(options),
    fetcher: options.fetcher ?? createUndiciFetcher(),
    renders,
    loads: new Set(loads),
    anywhere: hosts === 'any',
    ...numbersOf(options),
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

function numbersOf(options: BrowserFetcherOptions): NumberOptions {
  const numbers = Object.entries(NUMBERS).map(([name, [usual, least, greatest]]) => {
    const value = options[name as keyof NumberOptions] ?? usual;
    if (Number.isInteger(value) && value >= least && value <= greatest) return [name, value];
    throw invalid(name, `a whole number from ${least} to ${greatest}`, value);
  });
  return Object.fromEntries(numbers) as NumberOptions;
}

export function invalid(name: string, range: string, value: unknown): MannerlyError {
  const message = `expected \`${name}\` of the browser fetcher to be ${range}, got ${String(value)}`;
  return new MannerlyError('option-invalid', message);
}
