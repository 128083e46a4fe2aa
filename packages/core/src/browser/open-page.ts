// One page in a browser: its own context, the received document, its requests until it is quiet or its time is over,
// and its DOM. Every end is a value, and every wait is bounded: a page may crash, hang, or end its browser.

import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import type { RenderFailureCode, Rendering, RenderRequest } from '../fetch/renderer.js';
import { parseUrl } from '../parse-url.js';
import type { BrowserSettings } from './browser-options.js';
import { firstLineOf, LateError, within } from './browser-supply.js';
import { BROWSER_ANSWER_MS, WINDOW } from './limits.js';
import { SEAL_SCRIPT, SEALED_CONTEXT } from './seal.js';
import { createTab, runInPage } from './tab.js';
import { createTabRequests, type RequestPlace, type TabRequests } from './tab-requests.js';

type Failed = Extract<Rendering, { kind: 'failed' }>;

/** The visit of one page. */
interface Visit {
  readonly browser: Browser;
  readonly request: RenderRequest;
  readonly settings: BrowserSettings;
  readonly requests: TabRequests;
  /** Its deadline by `performance.now()`. */
  readonly untilMs: number;
}

/** Opens one page and closes it. `isHung`: the browser no longer answers. Never rejects. */
export async function openPage(
  browser: Browser,
  request: RenderRequest,
  settings: BrowserSettings,
): Promise<{ readonly rendering: Rendering; readonly isHung: boolean }> {
  const untilMs = performance.now() + settings.pageMs;
  let context: BrowserContext;
  try {
    const options = { ...SEALED_CONTEXT, userAgent: request.userAgent, viewport: WINDOW };
    context = await within(browser.newContext(options), BROWSER_ANSWER_MS, OPENS_NO_PAGE);
  } catch (error) {
    const isHung = error instanceof LateError;
    return { rendering: failed(isHung ? 'page-hung' : 'browser-gone', firstLineOf(error)), isHung };
  }
  const requests = createTabRequests(request, settings, untilMs);
  const visit: Visit = { browser, request, settings, requests, untilMs };
  const rendering = await renderPage(visit, context).catch((error: unknown) => {
    if (error instanceof LateError) return failed('page-hung', error.message);
    return failed(browser.isConnected() ? 'internal' : 'browser-gone', firstLineOf(error));
  });
  requests.end();
  const isHung = await within(context.close(), BROWSER_ANSWER_MS, 'it does not close').then(
    () => false,
    (error: unknown) => error instanceof LateError,
  );
  return { rendering, isHung };
}

const OPENS_NO_PAGE = 'the browser opens no page';

async function renderPage(visit: Visit, context: BrowserContext): Promise<Rendering> {
  const { request, settings, requests, untilMs } = visit;
  const { page, session } = await within(prepare(context, requests), BROWSER_ANSWER_MS, OPENS_NO_PAGE);
  const { tab, screenshot } = createTab(page, session, requests, settings, untilMs);
  const runSteps = async (): Promise<void> => {
    await requests.untilQuiet();
    if (request.steps === null || requests.hasEnded()) return;
    await request.steps(tab);
    await requests.untilQuiet();
  };
  const end = await waitForEnd(visit, page, runSteps());
  requests.end();
  if (end.kind === 'failed') return end;
  const dom = runInPage(session, serialise, settings.domChars);
  const { html, url, chars } = await within(dom, BROWSER_ANSWER_MS, 'a script of the page does not end');
  if (html === null) return failed('dom-too-large', `${chars} characters`);
  if (parseUrl(url)?.origin !== new URL(request.url).origin)
    return failed('navigation-refused', `the page went to ${url.slice(0, 200)}`);
  const png = screenshot();
  const screenshotField = png === null ? {} : { screenshot: png };
  return { kind: 'rendered', html, url, endedBy: end.kind, subresources: requests.account(), ...screenshotField };
}

/** An empty page that cannot send anything. */
async function prepare(context: BrowserContext, requests: TabRequests) {
  await context.addInitScript(SEAL_SCRIPT);
  await context.routeWebSocket(/.*/, (socket) => {
    requests.refuse(socket.url(), 'websocket', 'type');
    return socket.close();
  });
  const page = await context.newPage();
  await context.route(/.*/, (route) => requests.answer(route, requestPlace(route.request(), page)));
  context.on('page', (other) => {
    requests.refuse(other.url(), 'document', 'window');
    other.close().catch(ignore);
  });
  page.on('download', (download) => download.cancel().catch(ignore));
  return { page, session: await context.newCDPSession(page) };
}

/** The source of a request. For a window, or a worker without a page, the frame is unknown. */
function requestPlace(request: Request, page: Page): RequestPlace {
  try {
    const frame = request.frame();
    if (frame.page() !== page) return 'elsewhere';
    if (!request.isNavigationRequest()) return 'page';
    return frame === page.mainFrame() ? 'main' : 'frame';
  } catch {
    // Playwright throws if there is no frame, or none yet.
    return 'elsewhere';
  }
}

/** Our own deadline comes first: Playwright's would be an error. */
const GOTO_EXTRA_MS = 1_000;

/** @param finished - Resolves when the page is quiet and its steps are done; rejects with their error. */
function waitForEnd(
  { browser, request: { url, signal }, requests, untilMs }: Visit,
  page: Page,
  finished: Promise<void>,
): Promise<{ readonly kind: 'quiet' | 'deadline' } | Failed> {
  const remainingMs = Math.max(1, Math.ceil(untilMs - performance.now()));
  return new Promise((resolve) => {
    let isCommitted = false;
    const timer = setTimeout(
      () => settle(isCommitted ? { kind: 'deadline' } : failed('page-hung', 'the document was not shown in time')),
      remainingMs,
    );
    const onGone = (): void => settle(failed('browser-gone', 'the browser ended'));
    const onAbort = (): void => settle(failed('aborted', 'given up by the crawl'));
    const settle = (end: { readonly kind: 'quiet' | 'deadline' } | Failed): void => {
      clearTimeout(timer);
      browser.off('disconnected', onGone);
      signal.removeEventListener('abort', onAbort);
      resolve(end);
    };
    browser.on('disconnected', onGone);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    page.on('crash', () => settle(failed('page-crashed', 'the process of the page ended')));
    page.on('domcontentloaded', () => requests.documentRead());
    finished.then(
      () => settle({ kind: 'quiet' }),
      // The reason of the error may be that the browser has ended.
      (error: unknown) => (browser.isConnected() ? settle(failed('steps-threw', firstLineOf(error))) : onGone()),
    );
    page.goto(url, { waitUntil: 'commit', timeout: GOTO_EXTRA_MS + remainingMs }).then(
      () => {
        isCommitted = true;
      },
      (error: unknown) => {
        const detail = firstLineOf(error);
        // A crash also has its own event, which follows.
        if (!browser.isConnected()) onGone();
        else if (/crash/i.test(detail)) settle(failed('page-crashed', detail));
        else if (/download is starting|ERR_ABORTED/i.test(detail)) settle(failed('navigation-refused', detail));
        else settle(failed('internal', detail));
      },
    );
  });
}

function failed(failure: RenderFailureCode, detail: string) {
  return { kind: 'failed', failure, detail } as const;
}

function ignore(): void {
  // It has already ended, as intended.
}

/** What is read from a document. `html`: `null` if it is too long. */
interface Dom {
  readonly html: string | null;
  readonly url: string;
  readonly chars: number;
}

/** The parts of the browser's document that are used here; only for types. */
interface BrowserScope {
  readonly document: {
    readonly doctype: { readonly name: string } | null;
    readonly documentElement: { readonly outerHTML: string } | null;
  };
  readonly location: { readonly href: string };
}

/** Runs in the browser. @returns `html: ''` for a page without a document. */
function serialise(maxChars: number): Dom {
  const { document, location } = globalThis as unknown as BrowserScope;
  const html = document.documentElement?.outerHTML ?? '';
  const type = document.doctype === null ? '' : `<!DOCTYPE ${document.doctype.name}>`;
  return { html: html.length > maxChars ? null : type + html, url: location.href, chars: html.length };
}
