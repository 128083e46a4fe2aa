// The options of a browser fetcher, and the one place where they are checked and filled in.

import { createUndiciFetcher, type Fetcher, MannerlyError } from 'mannerly';
import type { Browser } from 'playwright-core';
import type { RenderCandidate, SUBRESOURCE_TYPES } from '../fetch/renderer.js';
import { PAGE_ROWS } from '../options/browser-rows.js';
import { fill } from '../options/check.js';
import { code, integer, isFunction, row } from '../options/row.js';
import { isObject } from '../parse-json.js';

/** Options of `browserFetcher`. One of `launch` and `browser` is required. */
export interface BrowserFetcherOptions {
  /**
   * Starts a Chromium with these flags ({@link SEALED_FLAGS}) and those that your machine needs. Called when the first
   * page needs it, and again after it has ended. The fetcher closes the browser that this starts.
   */
  readonly launch?: (flags: string[]) => Promise<Browser>;
  /** A running Chromium, started with `SEALED_FLAGS`. It is neither closed nor restarted. */
  readonly browser?: Browser;
  /** Sends every request, those of pages in the browser too; closed with this one. @default createUndiciFetcher() */
  readonly fetcher?: Fetcher;
  /** Which HTML pages are opened; anything but `true` leaves a page unrendered. @default every one */
  readonly renders?: (page: RenderCandidate) => boolean;
  /** What pages may load. Each costs its host a request. @default ['script', 'xhr', 'fetch'] */
  readonly loads?: readonly (typeof SUBRESOURCE_TYPES)[number][];
  /**
   * `any`: pages may also load from hosts outside the crawl's scope, unless `scope.exclude` or `scope.allows` forbid
   * it. @default 'scope'
   */
  readonly hosts?: 'scope' | 'any';
  /** Pages open at a time, 1 to 16. @default 2 */
  readonly pages?: number;
  /** Resources that one page may load, 0 to 1,000. A larger number costs its hosts that many requests. @default 50 */
  readonly requests?: number;
  /** Decoded bytes of the resources of one page, 1 to 1 GiB. @default 20 MiB */
  readonly bytes?: number;
  /**
   * How long a page stays open, from its turn, 1,000 to 600,000 ms; then it is read as it is. Meanwhile its resources
   * wait for their host's turn: with a Crawl-delay of ten seconds the default allows five of them. @default 60_000
   */
  readonly pageMs?: number;
  /** A page is done once its document is read and it requests nothing for this long, 0 to 60,000 ms. @default 500 */
  readonly quietMs?: number;
  /** Steps that `inBrowser` may take on one page, 0 to 1,000. @default 100 */
  readonly steps?: number;
  /** Characters of the serialised DOM, 1 to 50,000,000; a page with more fails. @default 5_000_000 */
  readonly domChars?: number;
  /** Browsers that are started after the first one ended, 0 to 100, counted anew for each run. @default 3 */
  readonly restarts?: number;
}

type Launch = (flags: string[]) => Promise<Browser>;

const ROWS = {
  launch: row(code<Launch>('(flags: string[]) => Promise<Browser>', isFunction), 'Starts a Chromium.'),
  browser: row(code<Browser>('Browser of playwright-core', isBrowser), 'A Chromium that runs already.'),
  fetcher: row(
    code<Fetcher>('Fetcher', () => true),
    'Makes every request.',
  ),
  renders: row(
    code<(page: RenderCandidate) => boolean>('(page: RenderCandidate) => boolean', isFunction),
    'Which pages are opened.',
    { default: () => true },
  ),
  ...PAGE_ROWS,
  bytes: row(integer(1, 1024 * 1024 * 1024, 'bytes'), 'Decoded bytes of what one page loads.', {
    default: 20 * 1024 * 1024,
  }),
  steps: row(
    integer(0, 1_000, 'steps'),
    'Steps of one page: a list that grows at each click is long at the hundredth.',
    {
      default: 100,
    },
  ),
  domChars: row(integer(1, 50_000_000, 'characters'), 'Characters of the serialised DOM.', { default: 5_000_000 }),
  restarts: row(integer(0, 100, 'browsers'), 'Browsers that are started after the first one is gone.', { default: 3 }),
};

export type BrowserSettings = ReturnType<typeof resolveBrowserOptions>;

/** @throws MannerlyError `option-unknown`, `option-invalid`. */
export function resolveBrowserOptions(options: BrowserFetcherOptions) {
  const { launch, browser, fetcher, loads, hosts, ...rest } = fill('browserFetcher.', ROWS, options);
  if ((launch === null) === (browser === null)) {
    throw new MannerlyError('option-invalid', 'expected one of `launch` and `browser` of the browser fetcher', {
      hint: 'for instance launch: (flags) => chromium.launch({ executablePath, args: flags })',
    });
  }
  return {
    ...rest,
    source:
      launch === null
        ? ({ kind: 'browser', browser: browser as Browser } as const)
        : ({ kind: 'launch', launch } as const),
    fetcher: fetcher ?? createUndiciFetcher(),
    loads: new Set<string>(loads),
    anywhere: hosts === 'any',
  };
}

/** Whether a value is a browser of playwright-core: those of other libraries have other methods. */
export function isBrowser(value: unknown): value is Browser {
  return isObject(value) && isFunction(value['newContext']) && isFunction(value['isConnected']);
}
