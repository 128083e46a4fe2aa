// A fetcher whose pages are opened in a browser. Another fetcher sends the requests, by default undici's, and the
// browser sends none: the document is received before the page is opened, and everything else that the page loads comes
// from the crawl.

import PQueue from 'p-queue';
import { textOf } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { RenderCandidate, Rendering, RenderRequest } from '../fetch/renderer.js';
import { type BrowserFetcherOptions, type BrowserSettings, resolveBrowserOptions } from './browser-options.js';
import { type BrowserSupply, createBrowserSupply } from './browser-supply.js';
import { openPage } from './open-page.js';

/**
 * Makes a fetcher that opens HTML pages in the user's own Chromium, driven by playwright-core.
 *
 * Handlers get the browser's DOM: `page.text()`, `page.$` and `page.links` read it, and `page.rendering` tells how it
 * went. Each request of a page is a request of the crawl, with its authority's robots.txt, its host's spacing, egress
 * and log.
 *
 * @example
 * const fetcher = browserFetcher({ launch: (flags) => chromium.launch({ executablePath, args: flags }) })
 * const crawler = createCrawler({ identity, scope, bounds, fetcher })
 * @throws MannerlyError `option-unknown`, `option-invalid`.
 */
export function browserFetcher(options: BrowserFetcherOptions): Fetcher {
  const settings = resolveBrowserOptions(options);
  const supply = createBrowserSupply(settings);
  const open = new PQueue({ concurrency: settings.pages });
  return {
    capabilities: settings.fetcher.capabilities,
    renderer: {
      wants: (page) => isWanted(settings, page),
      render: (request) => open.add(() => render(supply, request, settings)),
    },
    fetch: (request) => settings.fetcher.fetch(request),
    async close() {
      try {
        await supply.close();
      } finally {
        await settings.fetcher.close();
      }
    },
  };
}

/** Calls a user's function: anything but `true` leaves a page unrendered. */
function isWanted({ renders }: BrowserSettings, page: RenderCandidate): boolean {
  try {
    return renders(page) === true;
  } catch (error) {
    process.emitWarning(`\`renders\` of the browser fetcher threw: ${textOf(error)}`, 'MannerlyWarning');
    return false;
  }
}

async function render(supply: BrowserSupply, request: RenderRequest, settings: BrowserSettings): Promise<Rendering> {
  if (request.signal.aborted) return { kind: 'failed', failure: 'aborted', detail: 'given up by the crawl' };
  const supplied = await supply.take();
  if (supplied.kind === 'none') return { kind: 'failed', failure: 'no-browser', detail: supplied.detail };
  const { browser } = supplied;
  const { rendering, isHung } = await openPage(browser, request, settings);
  if (isHung) await supply.discard(browser);
  return rendering;
}
