// Turns a response into a page: its kind, its facts from one pass, and its directives. What this needs from other
// stages (charsets, the site's tdmrep.json, the clock) is passed in.

import type { PageWork } from '@mannerly/frontier';
import type { TdmReservation } from '@mannerly/robots/page';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import type { RenderedPage } from '../fetch/renderer.js';
import { type ContentKind, contentOf } from './content-kind.js';
import { excludePage, type ResolvedExclusionOptions } from './exclusion.js';
import type { HtmlSummary } from './html.js';
import { SLOW_PAGE_MS } from './limits.js';
import { createFetchedPage, type PageInCrawl } from './page.js';

export interface PageReaderParts {
  /** Decodes bytes by byte order mark, header, the page itself, or a guess. */
  readonly decodeText: (body: Uint8Array, contentType: string | null, kind: ContentKind) => string;
  /**
   * Where the text of a body begins if these rules say UTF-8, `null` for other charsets. Such a page is read without
   * decoding. Without this function every page is decoded first.
   */
  readonly utf8Start?: (body: Uint8Array, contentType: string | null, kind: ContentKind) => number | null;
  /** What the site's tdmrep.json says about a URL. */
  readonly tdmFor: (url: string) => Promise<TdmReservation>;
  /** Whether the fetcher joins field lines of one name. */
  readonly joinsHeaders: boolean;
  readonly tokens: readonly string[];
  readonly options: ResolvedExclusionOptions;
  readonly nowMs: () => number;
  /** Called for a page that took longer to read than `SLOW_PAGE_MS`. @default not reported */
  readonly onSlow?: (url: string, tookMs: number) => void;
}

/** The first page loads the HTML reader, which the first request does not need. */
let loading: Promise<typeof import('./html.js')> | null = null;
const loadHtml = () => (loading ??= import('./html.js'));

export class PageReader {
  readonly #parts: PageReaderParts;

  constructor(parts: PageReaderParts) {
    this.#parts = parts;
  }

  /**
   * Rejects only with what `tdmFor` threw.
   * @param rendering - The same page as a browser had it. Its text, links and facts are then the page's.
   */
  async read(
    work: Pick<PageWork, 'url' | 'record' | 'signals'>,
    outcome: ResponseOutcome,
    rendering?: RenderedPage,
  ): Promise<PageInCrawl> {
    const { decodeText, utf8Start, tdmFor, joinsHeaders, tokens, options, nowMs, onSlow } = this.#parts;
    const { headers, body } = outcome;
    const content = contentOf(headers, body);
    const html = content.kind === 'html' ? await loadHtml() : null;
    const beganMs = performance.now();
    const type = headerValue(headers, 'content-type');
    let text: string | null = null;
    const decode = (): string => {
      text ??= decodeText(body, type, content.kind);
      return text;
    };
    let facts: HtmlSummary | null = null;
    if (html !== null) {
      const start = utf8Start?.(body, type, content.kind) ?? null;
      facts = html.readHtml(start === null ? decode() : html.utf8Page(body.subarray(start)));
      if (rendering !== undefined) facts = unitedSummary(facts, html.readHtml(rendering.html), rendering, work.url);
    }
    const tookMs = performance.now() - beganMs;
    if (tookMs > SLOW_PAGE_MS) onSlow?.(work.url, tookMs);
    const tdm = await tdmFor(work.url);
    const page = { work, headers, isJoined: joinsHeaders, facts, tdm, tokens, options, nowMs: nowMs() };
    const exclusion = excludePage(page);
    if (rendering === undefined) return createFetchedPage({ work, outcome, content, facts, exclusion, decode });
    return createFetchedPage({ work, outcome, content, facts, exclusion, rendering, decode: () => rendering.html });
  }
}

/**
 * The facts of a page in a browser: content comes from the DOM. Directives count in the raw document and in the DOM
 * after load, so that no script can revoke one (page-level §2).
 */
function unitedSummary(raw: HtmlSummary, shown: HtmlSummary, { url }: RenderedPage, pageUrl: string): HtmlSummary {
  return {
    ...shown,
    // A script may have moved the document to another path, and hrefs are relative to it.
    baseHref: shown.baseHref ?? (url === pageUrl ? null : url),
    metas: [...raw.metas, ...shown.metas],
    linkElements: [...raw.linkElements, ...shown.linkElements],
    refresh: shown.refresh ?? raw.refresh,
  };
}
