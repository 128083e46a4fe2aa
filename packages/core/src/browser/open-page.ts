// One page in a browser: a context of its own, the document that came, its requests until it is quiet or its time is
// over, and its DOM. Every ending is a value, and every wait has an end: a page may crash, hang, or take its browser
// with it.

import type { Browser, BrowserContext, CDPSession, Page, Request } from 'playwright-core';
import type { RenderFailureCode, Rendering, RenderRequest } from '../fetch/renderer.js';
import type { BrowserSettings } from './browser-options.js';
import { BROWSER_ANSWER_MS } from './limits.js';
import { createPageRequests, type PageRequests, type RequestPlace } from './page-requests.js';
import { SEAL_SCRIPT, SEALED_CONTEXT } from './seal.js';
import { textOf, within } from './within.js';

/** The outcome, and whether the browser still answers. */
export interface OpenedPage {
  readonly rendering: Rendering;
  readonly isHung: boolean;
}

/** What a page is allowed. */
export type PageSettings = Omit<BrowserSettings, 'source' | 'fetcher' | 'renders' | 'pages' | 'restarts'>;

/** Why a page is over. */
type PageEnd =
  | { readonly kind: 'quiet' | 'deadline' }
  | { readonly kind: 'failed'; readonly failure: RenderFailureCode; readonly detail: string };

/** Opens one page and closes it. Never rejects. */
export async function openPage(browser: Browser, request: RenderRequest, settings: PageSettings): Promise<OpenedPage> {
  const untilMs = performance.now() + settings.pageMs;
  const opened = await within(
    browser.newContext({ ...SEALED_CONTEXT, userAgent: request.userAgent }),
    BROWSER_ANSWER_MS,
  );
  if (opened.kind === 'late') return { rendering: failed('page-hung', 'the browser opens no page'), isHung: true };
  if (opened.kind === 'failed') return { rendering: failed('browser-gone', textOf(opened.error)), isHung: false };
  const context = opened.value;
  const requests = createPageRequests(request, settings, untilMs);
  const rendering = await visit(browser, context, request, requests, settings, untilMs).catch((error: unknown) =>
    browser.isConnected() ? failed('internal', textOf(error)) : failed('browser-gone', textOf(error)),
  );
  requests.end();
  const closed = await within(context.close(), BROWSER_ANSWER_MS);
  return { rendering, isHung: closed.kind === 'late' };
}

async function visit(
  browser: Browser,
  context: BrowserContext,
  request: RenderRequest,
  requests: PageRequests,
  settings: PageSettings,
  untilMs: number,
): Promise<Rendering> {
  const ready = await within(prepare(context, requests), BROWSER_ANSWER_MS);
  if (ready.kind === 'late') return failed('page-hung', 'the browser opens no page');
  if (ready.kind === 'failed') throw ready.error;
  const page = ready.value;
  const end = await endOf(browser, page, request, requests, untilMs);
  requests.end();
  if (end.kind === 'failed') return end;
  const read = await within(documentOf(context, page, settings.domChars), BROWSER_ANSWER_MS);
  if (read.kind === 'late') return failed('page-hung', 'a script of the page does not end');
  if (read.kind === 'failed') throw read.error;
  const dom = read.value;
  if (dom.kind === 'too-large') return failed('dom-too-large', `${dom.chars} characters`);
  if (!isSameOrigin(dom.url, request.url))
    return failed('navigation-refused', `the page went to ${dom.url.slice(0, 200)}`);
  return { kind: 'rendered', html: dom.html, url: dom.url, endedBy: end.kind, subresources: requests.account() };
}

/** An empty page from which nothing leaves. */
async function prepare(context: BrowserContext, requests: PageRequests): Promise<Page> {
  await context.addInitScript(SEAL_SCRIPT);
  await context.routeWebSocket(/.*/, (socket) => {
    requests.refuse(socket.url(), 'websocket', 'type');
    return socket.close();
  });
  const page = await context.newPage();
  await context.route(/.*/, (route) => requests.answer(route, placeOf(route.request(), page)));
  context.on('page', (other) => {
    requests.refuse(other.url(), 'document', 'window');
    other.close().catch(ignore);
  });
  page.on('download', (download) => download.cancel().catch(ignore));
  return page;
}

/** Where a request comes from. Of a window, or a worker without a page, the frame is not known. */
function placeOf(request: Request, page: Page): RequestPlace {
  try {
    const frame = request.frame();
    if (frame.page() !== page) return 'elsewhere';
    if (!request.isNavigationRequest()) return 'page';
    return frame === page.mainFrame() ? 'main' : 'frame';
  } catch {
    // Playwright says by an exception that there is no frame, or none yet.
    return 'elsewhere';
  }
}

/** Our own deadline comes first: Playwright's word for it would be an error. */
const BEYOND_MS = 1_000;

/** Opens the document, and waits for the first thing that ends the page. */
function endOf(
  browser: Browser,
  page: Page,
  { url, signal }: RenderRequest,
  requests: PageRequests,
  untilMs: number,
): Promise<PageEnd> {
  const leftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
  return new Promise((resolve) => {
    let isShown = false;
    const timer = setTimeout(
      () => over(isShown ? { kind: 'deadline' } : failed('page-hung', 'the document was not shown in time')),
      leftMs,
    );
    const onGone = (): void => over(failed('browser-gone', 'the browser ended'));
    const onAbort = (): void => over(failed('aborted', 'given up by the crawl'));
    const over = (end: PageEnd): void => {
      clearTimeout(timer);
      browser.off('disconnected', onGone);
      signal.removeEventListener('abort', onAbort);
      resolve(end);
    };
    browser.on('disconnected', onGone);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    page.on('crash', () => over(failed('page-crashed', 'the process of the page ended')));
    page.on('domcontentloaded', () => requests.documentRead());
    requests.quiet.then(() => over({ kind: 'quiet' }));
    page.goto(url, { waitUntil: 'commit', timeout: BEYOND_MS + leftMs }).then(
      () => {
        isShown = true;
      },
      (error: unknown) => {
        const detail = textOf(error);
        // A crash is told by its own event too, which comes right behind.
        if (!browser.isConnected()) onGone();
        else if (/crash/i.test(detail)) over(failed('page-crashed', detail));
        else if (/download is starting|ERR_ABORTED/i.test(detail)) over(failed('navigation-refused', detail));
        else over(failed('internal', detail));
      },
    );
  });
}

async function documentOf(context: BrowserContext, page: Page, maxChars: number) {
  return readDom(await context.newCDPSession(page), maxChars);
}

function isSameOrigin(one: string, other: string): boolean {
  try {
    return new URL(one).origin === new URL(other).origin;
  } catch {
    return false; // What is no URL has no origin.
  }
}

function failed(failure: RenderFailureCode, detail: string) {
  return { kind: 'failed', failure, detail } as const;
}

function ignore(): void {
  // It is gone already, which is what was wanted.
}

/** What was read. */
export type ReadDom =
  | { readonly kind: 'read'; readonly html: string; readonly url: string }
  | { readonly kind: 'too-large'; readonly chars: number };

/** Reads the DOM. @throws What the browser says, and when it answers something else. */
export async function readDom(session: Pick<CDPSession, 'send'>, maxChars: number): Promise<ReadDom> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'mannerly',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `(${serialise.toString()})(${maxChars})`,
    contextId: executionContextId,
    returnByValue: true,
  });
  const value: unknown = result.value;
  if (exceptionDetails !== undefined || typeof value !== 'object' || value === null)
    throw new Error(exceptionDetails?.text ?? 'the page has no document');
  if ('html' in value && typeof value.html === 'string' && 'url' in value && typeof value.url === 'string')
    return { kind: 'read', html: value.html, url: value.url };
  return { kind: 'too-large', chars: 'chars' in value && typeof value.chars === 'number' ? value.chars : 0 };
}

/** What the browser knows of a document, as far as it is read here; it stands for types alone. */
interface BrowserScope {
  readonly document: {
    readonly doctype: { readonly name: string } | null;
    readonly documentElement: { readonly outerHTML: string } | null;
  };
  readonly location: { readonly href: string };
}

/** Runs in the browser: nothing outside of it is known there. */
function serialise(maxChars: number): { html: string; url: string } | { chars: number } {
  const { document, location } = globalThis as unknown as BrowserScope;
  const html = document.documentElement?.outerHTML ?? '';
  const type = document.doctype === null ? '' : `<!DOCTYPE ${document.doctype.name}>`;
  return html.length > maxChars ? { chars: html.length } : { html: type + html, url: location.href };
}
