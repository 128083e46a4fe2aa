// A response becomes a page: its kind, its facts from one pass, and what it asks of crawlers. What this needs of other
// stages (charsets, the site's tdmrep.json, the clock) is handed in.

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
  /** Bytes to text by byte order mark, header, the page itself, or a guess. */
  readonly decodeText: (body: Uint8Array, contentType: string | null, kind: ContentKind) => string;
  /**
   * Where the text of a body begins that is UTF-8 by the same rules, `null` for other charsets: such a page is read
   * without being decoded. Without this every page is decoded first.
   */
  readonly utf8Start?: (body: Uint8Array, contentType: string | null, kind: ContentKind) => number | null;
  /** What the site's tdmrep.json says of a URL. */
  readonly tdmFor: (url: string) => Promise<TdmReservation>;
  /** Whether the fetcher joins field lines of one name. */
  readonly joinsHeaders: boolean;
  readonly tokens: readonly string[];
  readonly options: ResolvedExclusionOptions;
  readonly nowMs: () => number;
  /** Called for a page that took longer to read than `SLOW_PAGE_MS`. @default no one is told */
  readonly onSlow?: (url: string, tookMs: number) => void;
}

/** The first page loads what reads HTML: a first request does not need it. */
let loading: Promise<typeof import('./html.js')> | null = null;
const loadHtml = () => (loading ??= import('./html.js'));

export class PageReader {
  readonly #parts: PageReaderParts;

  constructor(parts: PageReaderParts) {
    this.#parts = parts;
  }

  /**
   * Never rejects but with what `tdmFor` threw.
   * @param rendering - The same page as a browser had it: its text, links and facts are the page's then.
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
 * The facts of a page in a browser: what it shows is the DOM's. Directives count in the raw document and in the DOM
 * after load, so that no script takes one back (page-level §2).
 */
function unitedSummary(raw: HtmlSummary, shown: HtmlSummary, { url }: RenderedPage, pageUrl: string): HtmlSummary {
  return {
    ...shown,
    // A script may have moved the document to another path, and hrefs are relative to that.
    baseHref: shown.baseHref ?? (url === pageUrl ? null : url),
    metas: [...raw.metas, ...shown.metas],
    linkElements: [...raw.linkElements, ...shown.linkElements],
    refresh: shown.refresh ?? raw.refresh,
  };
}
