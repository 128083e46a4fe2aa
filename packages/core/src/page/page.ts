// A fetched page as a value: the response, its directives, and its content. Text, links and the DOM are created on
// first use and kept. Nothing here changes the crawl.

import type { JsonValue, Via } from '@mannerly/frontier';
import type { CheerioAPI } from 'cheerio';
import type { HeaderLines } from '../fetch/outcome.js';
import type { RenderedPage } from '../fetch/renderer.js';
import type { ItemLicense } from '../item-license.js';
import type { PageAlternate } from './alternates.js';
import type { Content, ContentKind } from './content-kind.js';
import type { PageExclusion } from './exclusion.js';
import type { HtmlSummary } from './html.js';
import type { PageLink } from './links.js';
import type { MainText } from './main-text.js';
import type { PdfText } from './pdf-text.js';
import type { StructuredData } from './structured-data.js';

/** A fetched page. */
export interface FetchedPage {
  /** As requested: absolute, without fragment. */
  readonly url: string;
  readonly status: number;
  /** Header field lines in the order received, names as sent. */
  readonly headers: HeaderLines;
  readonly kind: ContentKind;
  /** The type detected from the first bytes, whatever the response declares; `null`: none. */
  readonly sniffedType: Content['sniffedType'];
  /** Type and subtype, lower case; `null` when the response names none. */
  readonly mime: string | null;
  /** The title with white space collapsed; `null` if absent, and for everything but HTML. */
  readonly title: string | null;
  /** The links of an HTML page in page order, permitted or not; `[]` for other kinds. */
  readonly links: readonly PageLink[];
  /** Other representations that the page names, such as a feed or a Markdown copy. The crawl requests only feeds. */
  readonly alternates: readonly PageAlternate[];
  /** What was found in an HTML page, unresolved; `null` for other kinds. */
  readonly html: HtmlSummary | null;
  /** What the page asks of crawlers and its consequences, applied or not, with sources. */
  readonly exclusion: PageExclusion;
  /** What is known about its licence (RSL); `null`: none is named. */
  readonly license: ItemLicense | null;
  /** With `nearDuplicates`, the first page of the crawl with nearly the same text; `null`: none is known. */
  readonly similarTo: string | null;
  /** Links between a seed and this page. */
  readonly depth: number;
  /** The page that linked or redirected here; `null` for seeds. */
  readonly from: string | null;
  readonly via: Via;
  readonly label: string | null;
  /** What was passed along with the URL. */
  readonly userData: JsonValue | null;
  /** 1 for the first exchange of this URL, more after retries. */
  readonly attempt: number;
  /** The number of this visit to the URL, 0 for the first; see `revisit`. */
  readonly visit: number;
  /** `limit`: cut at `network.maxBodyBytes`; `connection`: the other side ended early; `null`: whole. */
  readonly truncated: 'limit' | 'connection' | null;
  /** Epoch milliseconds of the last byte. */
  readonly fetchedAtMs: number;
  /** Decoded bytes of the body, as far as they were kept. */
  readonly bodyBytes: number;
  /** The kept bytes as a stream, each time from the beginning, as fast as it is read. @throws As `bytes`. */
  readonly body: ReadableStream<Uint8Array>;
  /**
   * The page as a browser rendered it: `text()`, `$`, `title`, `links` and `facts` then come from its DOM, while
   * `bytes()` and `body` stay as received. `null`: it was not opened in a browser.
   */
  readonly rendering: PageRendering | null;
  /**
   * Cheerio's document, created on first use. Additions to `$.fn` apply to all documents.
   * @throws MannerlyError `page-not-markup` unless the page is HTML or XML, `page-too-large`.
   */
  readonly $: CheerioAPI;
  /** The language that it declares, as a canonical tag such as `pt-BR`; `null`: none, or invalid. Read on first use. */
  readonly language: string | null;
  /** The content decoded by its charset. */
  text(): Promise<string>;
  /**
   * The structured data of an HTML page: JSON-LD, microdata, RDFa Lite, OpenGraph. Read on each call.
   * @throws MannerlyError (rejects) `peer-missing` without `@marbec/web-auto-extractor`; `page-not-markup` unless the
   *   page is HTML; `page-too-large`.
   */
  structured(): Promise<StructuredData>;
  /**
   * The main text of an HTML page, without navigation and footers; `null`: none can be told from the rest.
   * @throws MannerlyError (rejects) `peer-missing` without `@mozilla/readability` and `linkedom`; `page-not-markup`
   *   unless the page is HTML; `page-too-large`.
   */
  mainText(): Promise<MainText | null>;
  /** The text of a PDF. Rejects with `peer-missing` (unpdf), `page-not-pdf`, `page-too-large` (over 256 MiB). */
  pdfText(): Promise<PdfText>;
  /**
   * The content as JSON. Rejects with MannerlyError `page-not-json` when it does not parse. `T` is what you expect, and
   * is not checked: a schema of the route's items can do that.
   */
  json<T = JsonValue>(): Promise<T>;
  /** A text cut to at most `maxChars` characters, and to what this page's `nosnippet` and `max-snippet` allow. */
  excerpt(text: string, maxChars: number): string;
  /**
   * The kept bytes, content codings undone. Not a copy: do not write to it.
   * @throws MannerlyError (rejects) `page-over`: the handler has ended, and they are freed.
   */
  bytes(): Promise<Uint8Array>;
}

/** A page in flight, before and after its handler. */
export interface PageInCrawl extends FetchedPage {
  exclusion: PageExclusion;
  license: ItemLicense | null;
  similarTo: string | null;
  /** Frees the document, which is far larger than the page, after the handler. If used again, it is created anew. */
  releaseDocument(): void;
  /** Links that limits have left out so far. */
  readonly linksDropped: number;
  /** The last screenshot, as PNG; `null`: none was taken. */
  screenshot(): Uint8Array | null;
}

/** The page in the browser: its final URL, and what it requested. Its HTML is the page's `text()`. */
export type PageRendering = Omit<RenderedPage, 'kind' | 'html' | 'screenshot'>;
