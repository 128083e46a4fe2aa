// A response becomes a page: its kind, its facts from one pass, and what it asks of crawlers. What this needs of other
// stages (charsets, the site's tdmrep.json, the clock) is handed in.

import type { PageWork } from '@mannerly/frontier';
import type { TdmReservation } from '@mannerly/robots/page';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import type { RenderedPage } from '../fetch/renderer.js';
import { type ContentKind, contentOf } from './content-kind.js';
import { excludePage } from './exclusion.js';
import type { ResolvedExclusionOptions } from './exclusion-options.js';
import type { HtmlSummary } from './html.js';
import { HTML_LIMITS, type PageUnits, readHtml, utf8Page } from './html.js';
import { createFetchedPage, type PageInCrawl } from './page.js';

/** Makes pages of responses. */
export interface PageReader {
  /**
   * Never rejects but with what `tdmFor` threw.
   *
   * @param rendering - The same page as a browser had it: its text, links and facts are the page's then. @default none
   */
  read(
    work: Pick<PageWork, 'url' | 'record' | 'signals'>,
    outcome: ResponseOutcome,
    rendering?: RenderedPage,
  ): Promise<PageInCrawl>;
}

/** What a reader is made of. */
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
}

/** Makes the reader of one run. */
export function createPageReader(parts: PageReaderParts): PageReader {
  const { decodeText, utf8Start, tokens, options, nowMs } = parts;
  return {
    async read(work, outcome, rendering) {
      const content = contentOf(outcome.headers, outcome.body);
      const { headers, body } = outcome;
      const type = headerValue(headers, 'content-type');
      let text: string | null = null;
      const decode = (): string => {
        text ??= decodeText(body, type, content.kind);
        return text;
      };
      const units = (): string | PageUnits => {
        const start = utf8Start?.(body, type, content.kind) ?? null;
        return start === null ? decode() : utf8Page(body.subarray(start));
      };
      const raw = content.kind === 'html' ? readHtml(units(), HTML_LIMITS) : null;
      const facts = raw === null || rendering === undefined ? raw : unitedSummary(raw, rendering, work.url);
      const tdm = await parts.tdmFor(work.url);
      const exclusion = excludePage({
        work,
        headers,
        isJoined: parts.joinsHeaders,
        facts,
        tdm,
        tokens,
        options,
        nowMs: nowMs(),
      });
      if (rendering === undefined) return createFetchedPage({ work, outcome, content, facts, exclusion, decode });
      return createFetchedPage({ work, outcome, content, facts, exclusion, rendering, decode: () => rendering.html });
    },
  };
}

/**
 * The facts of a page in a browser: what it shows is the DOM's, and what it asks of crawlers is asked by the raw
 * document and by the DOM after load together, so that no script takes a directive back (page-level §2).
 */
function unitedSummary(raw: HtmlSummary, { html, url }: RenderedPage, pageUrl: string): HtmlSummary {
  const shown = readHtml(html, HTML_LIMITS);
  return {
    ...shown,
    // A script may have moved the document to another path, and hrefs are relative to that.
    baseHref: shown.baseHref ?? (url === pageUrl ? null : url),
    metas: [...raw.metas, ...shown.metas],
    linkElements: [...raw.linkElements, ...shown.linkElements],
    refresh: shown.refresh ?? raw.refresh,
  };
}
