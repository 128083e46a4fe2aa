// The contract for opening pages in a browser. A renderer has a browser but no network. The document is already
// fetched, and everything else is requested from the crawl, one by one (`load`), which applies robots.txt, the host's
// spacing and egress to each.

import type { FetchOutcome, HeaderLines, ResponseOutcome } from './outcome.js';

/** A page that might be opened in a browser. */
export interface RenderCandidate {
  readonly url: string;
  /** The label that the URL was queued with; `null`: none. */
  readonly label: string | null;
  readonly headers: HeaderLines;
}

/** What a page may load next to its document. `frame`: the document of a frame within it. */
export const SUBRESOURCE_TYPES = [
  'script',
  'xhr',
  'fetch',
  'stylesheet',
  'frame',
  'image',
  'font',
  'media',
  'manifest',
] as const;

/** What a page in the browser loads besides its document. */
export interface Subresource {
  /** Absolute, http or https. */
  readonly url: string;
  /** What the browser needs it for: `script`, `xhr`, `image`, … */
  readonly type: string;
  /** Header fields of the browser, such as Accept. It never sets identity, cookies and Referer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may be requested from hosts outside the crawl's scope. */
  readonly anywhere: boolean;
  /** How long it may wait for its host's turn and robots.txt, 0 or more ms. */
  readonly waitMs: number;
  /** Decoded bytes kept, 1 or more. */
  readonly maxBodyBytes: number;
  /** Aborted when the page is over: waiting requests are given up, and those in flight are aborted. */
  readonly signal: AbortSignal;
}

/** Why something was not requested: the site's rules, our own, or no turn in time. */
export interface SubresourceRefusal {
  readonly kind: 'excluded' | 'dropped' | 'held';
  readonly url: string;
  /** One of the table of reasons (docs/reference/reasons.md). */
  readonly reason: string;
}

/** The outcome. Redirects have been followed, each hop judged like the first; `url` is the final one. */
export type SubresourceAnswer = FetchOutcome | SubresourceRefusal;

/** The result of a step. */
export type StepResult =
  | 'done'
  /** No element matches, or none did in time. */
  | 'not-found'
  /** The element is hidden, covered, disabled, or moves. */
  | 'not-clickable'
  /** A click would submit a form. */
  | 'submits'
  /** The page does not scroll any further. */
  | 'end'
  /** A screenshot with too many bytes. */
  | 'too-large'
  /** The page has taken all the steps that it may. */
  | 'step-limit'
  /** The time of the page is over, or the crawl stops. */
  | 'page-over';

/**
 * A page in the browser, before it is read and closed. Each step waits until everything that it requested, judged and
 * spaced as usual, has arrived. A step never leads to another page and never submits a form.
 */
export interface BrowserTab {
  /** Waits until an element matches a CSS selector. @param options - `timeoutMs`: the longest wait. @default 30_000 */
  waitFor(selector: string, options?: { readonly timeoutMs?: number }): Promise<StepResult>;
  /** Scrolls down by the height of the window. */
  scroll(): Promise<StepResult>;
  /** Clicks the first element that matches a CSS selector. */
  click(selector: string): Promise<StepResult>;
  /**
   * Takes a PNG of the window, 1280 by 720, for `page.screenshot`; the last one counts. @param options - `fullPage`:
   * the whole page, up to 8,192 pixels high.
   */
  screenshot(options?: { readonly fullPage?: boolean }): Promise<StepResult>;
}

/** User code for a page in the browser. */
export type BrowserSteps = (tab: BrowserTab) => unknown;

/** One page to be opened. */
export interface RenderRequest {
  /** The URL as requested. It is the first and only URL of the main frame. */
  readonly url: string;
  /** The document fetched for the URL, with status 2xx. */
  readonly document: ResponseOutcome;
  /** The crawl's identity, which the page's scripts see too. */
  readonly userAgent: string;
  /** Requests something from the crawl. Never rejects. */
  readonly load: (wanted: Subresource) => Promise<SubresourceAnswer>;
  /** The user's steps with the page before it is read; `null`: none. */
  readonly steps: BrowserSteps | null;
  /** Aborted when the crawl stops at once. */
  readonly signal: AbortSignal;
}

/** Counts of what a page in the browser requested. A type instead of an interface, so that it may be emitted. */
export type SubresourceAccount = {
  /** Answered with a response, whatever its status. */
  readonly loaded: number;
  /** Decoded bytes of those responses. */
  readonly bytes: number;
  /** Reason → how many the browser did not get. Reasons: the crawl's, failure codes, or its own (docs/browser.md). */
  readonly refused: Readonly<Record<string, number>>;
  /** The first hundred refusals, one by one. */
  readonly refusals: readonly { readonly url: string; readonly type: string; readonly reason: string }[];
};

/** A page as the browser had it in the end. */
export interface RenderedPage {
  readonly kind: 'rendered';
  /** The document of the main frame, serialised. */
  readonly html: string;
  /** The document's URL at the end: a script may have changed it within its origin (`history.pushState`). */
  readonly url: string;
  /** `quiet`: no more requests came; `deadline`: its time ran out first. */
  readonly endedBy: 'quiet' | 'deadline';
  readonly subresources: SubresourceAccount;
  /** The last screenshot, as PNG. Absent: none was taken. */
  readonly screenshot?: Uint8Array;
}

/** Codes for the reasons why the browser could not open a page. */
export type RenderFailureCode =
  | 'browser-gone'
  /** There is no browser, and none can be started: the run stops, and its pages stay queued. */
  | 'no-browser'
  | 'page-crashed'
  | 'page-hung'
  | 'dom-too-large'
  | 'navigation-refused'
  /** The user's steps threw. */
  | 'steps-threw'
  | 'aborted'
  | 'internal';

/** The browser could not open the page. */
export interface RenderFailure {
  readonly kind: 'failed';
  readonly failure: RenderFailureCode;
  /** For people. */
  readonly detail: string;
}

export type Rendering = RenderedPage | RenderFailure;

/** Opens pages in a browser that reaches no network. Part of a {@link Fetcher}, which closes it. */
export interface Renderer {
  /** Whether a page is opened. Called for HTML that a handler will get. Never throws. */
  wants(page: RenderCandidate): boolean;
  /** Opens one page. Waits while too many are open. Never rejects. */
  render(request: RenderRequest): Promise<Rendering>;
}
