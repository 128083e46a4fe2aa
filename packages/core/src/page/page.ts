// A fetched page as a value: the response, its directives, and its content. Text, links and the DOM are created on
// first use and kept. Nothing here changes the crawl.

import type { JsonValue, PageWork, Via } from '@mannerly/frontier';
import type { CheerioAPI } from 'cheerio';
import { MannerlyError } from '../errors.js';
import type { HeaderLines, ResponseOutcome } from '../fetch/outcome.js';
import type { RenderedPage } from '../fetch/renderer.js';
import type { ItemLicense } from '../item-license.js';
import { documentOf } from './cheerio.js';
import type { Content, ContentKind } from './content-kind.js';
import type { PageExclusion } from './exclusion.js';
import type { HtmlSummary } from './html.js';
import { declaredLanguage } from './language.js';
import { MAX_PDF_BYTES } from './limits.js';
import { type PageAlternate, type PageLink, pageAlternates, resolveLinks } from './links.js';
import { type MainText, readMainText } from './main-text.js';
import { type PdfText, readPdfText } from './pdf-text.js';
import { readStructuredData, type StructuredData } from './structured-data.js';

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
  /**
   * Other representations that the page names, such as a feed or a Markdown copy. The crawl never requests them itself.
   */
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
  /** The kept bytes as a stream, each time from the beginning, as fast as it is read. */
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
  /** The content as JSON. Rejects with MannerlyError `page-not-json` when it does not parse. */
  json(): Promise<JsonValue>;
  /** A text cut to at most `maxChars` characters, and to what this page's `nosnippet` and `max-snippet` allow. */
  excerpt(text: string, maxChars: number): string;
  /** The kept bytes, content codings undone. Not a copy: do not write to it. */
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
  shot(): Uint8Array | null;
}

/** The page in the browser: its final URL, and what it requested. Its HTML is the page's `text()`. */
export type PageRendering = Omit<RenderedPage, 'kind' | 'html' | 'screenshot'>;

interface PageParts {
  readonly work: Pick<PageWork, 'url' | 'record'>;
  readonly outcome: ResponseOutcome;
  readonly content: Content;
  readonly facts: HtmlSummary | null;
  readonly exclusion: PageExclusion;
  /** @default none: the page is as received */
  readonly rendering?: RenderedPage;
  /** The decoded content; called at most once. */
  readonly decode: () => string;
}

/** Creates a page from its parts. @throws Never */
export function createFetchedPage(parts: PageParts): PageInCrawl {
  const { work, outcome, content, facts, exclusion, rendering } = parts;
  const { record } = work;
  return Object.assign(new PageContent(parts), {
    url: work.url,
    status: outcome.status,
    headers: outcome.headers,
    kind: content.kind,
    sniffedType: content.sniffedType,
    mime: content.mime,
    title: facts?.title ?? null,
    html: facts,
    exclusion,
    license: null,
    similarTo: null,
    depth: record.depth,
    from: record.from,
    via: record.via,
    label: record.label,
    userData: record.userData,
    attempt: record.tries + 1,
    visit: record.visit ?? 0,
    truncated: outcome.truncated,
    fetchedAtMs: outcome.timing.endedAtMs,
    bodyBytes: outcome.file?.bytes ?? outcome.body.length,
    rendering: rendering === undefined ? null : renderingOf(rendering),
  });
}

/**
 * What a page creates on first use. (A class instead of an object literal with getters: the engine gives every such
 * literal its own shape, which keeps the text of its page until the next full collection.)
 */
class PageContent {
  readonly #parts: PageParts;
  #text: string | null = null;
  #links: readonly PageLink[] | null = null;
  #linksDropped = 0;
  #document: CheerioAPI | null = null;
  #language: string | null | undefined;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  get links(): readonly PageLink[] {
    const { facts, work } = this.#parts;
    if (this.#links === null) {
      const { links, dropped } = facts === null ? { links: [], dropped: 0 } : resolveLinks(facts, work.url);
      this.#links = links;
      this.#linksDropped = dropped;
    }
    return this.#links;
  }

  get alternates(): readonly PageAlternate[] {
    const { facts, outcome, work } = this.#parts;
    return pageAlternates(facts, outcome.headers, work.url);
  }

  get linksDropped(): number {
    return (this.#parts.facts?.linksDropped ?? 0) + this.#linksDropped;
  }

  get body(): ReadableStream<Uint8Array> {
    const { body, file } = this.#parts.outcome;
    return ReadableStream.from(file?.read() ?? (body.length === 0 ? [] : [body]));
  }

  get $(): CheerioAPI {
    const { content, work } = this.#parts;
    this.#document ??= documentOf(content.kind, () => this.#decoded(), work.url);
    return this.#document;
  }

  shot(): Uint8Array | null {
    return this.#parts.rendering?.screenshot ?? null;
  }

  releaseDocument(): void {
    this.#document = null;
  }

  async text(): Promise<string> {
    return this.#decoded();
  }

  get language(): string | null {
    const { content, outcome } = this.#parts;
    // A body in a file is not HTML.
    if (this.#language === undefined) {
      this.#language = declaredLanguage(content.kind === 'html' ? this.#decoded() : null, outcome.headers);
    }
    return this.#language;
  }

  async structured(): Promise<StructuredData> {
    return readStructuredData(this.#html('page.structured'));
  }

  async mainText(): Promise<MainText | null> {
    return readMainText(this.#html('page.mainText'), this.#parts.work.url);
  }

  async pdfText(): Promise<PdfText> {
    const { content, outcome, work } = this.#parts;
    if (content.kind !== 'pdf') {
      throw new MannerlyError('page-not-pdf', `\`page.pdfText\` needs a PDF, got ${content.kind} from ${work.url}`);
    }
    const { body, file } = outcome;
    if (file === undefined) return readPdfText(new Uint8Array(body), work.url);
    if (file.bytes > MAX_PDF_BYTES) {
      throw new MannerlyError('page-too-large', `${work.url} has ${file.bytes} bytes, more than ${MAX_PDF_BYTES}`);
    }
    return readPdfText(new Uint8Array(await new Response(this.body).arrayBuffer()), work.url);
  }

  async json(): Promise<JsonValue> {
    return parseJson(this.#decoded(), this.#parts.work.url);
  }

  async bytes(): Promise<Uint8Array> {
    this.#mustBeHeld();
    return this.#parts.outcome.body;
  }

  excerpt(text: string, maxChars: number): string {
    return excerptOf(text, maxChars, this.#parts.exclusion.effects.maxSnippet);
  }

  /** Throws if the body is in a file, since it was too large for memory and still is. */
  #mustBeHeld(): void {
    const { outcome, work } = this.#parts;
    if (outcome.file === undefined) return;
    const message = `the body of ${work.url} has ${outcome.file.bytes} bytes and lies in a file`;
    throw new MannerlyError('page-too-large', message, { hint: 'Read `page.body`, or use `page.save`.' });
  }

  #html(what: string): string {
    const { content, work } = this.#parts;
    if (content.kind === 'html') return this.#decoded();
    throw new MannerlyError('page-not-markup', `\`${what}\` needs HTML, got ${content.kind} from ${work.url}`);
  }

  #decoded(): string {
    this.#mustBeHeld();
    this.#text ??= this.#parts.decode();
    return this.#text;
  }
}

function renderingOf({ url, endedBy, subresources }: RenderedPage): PageRendering {
  return { url, endedBy, subresources };
}

function parseJson(text: string, url: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new MannerlyError('page-not-json', `the content of ${url} is not JSON: ${String(error)}`, { cause: error });
  }
}

/**
 * An excerpt of a text: white space collapsed, cut at a word boundary if that loses little.
 * @param maxChars - The most characters, including the ellipsis.
 * @param allowedChars - What `nosnippet` and `max-snippet` allow; `null`: no limit; 0: the excerpt is empty.
 * @see page-level §2, §7
 */
export function excerptOf(text: string, maxChars: number, allowedChars: number | null): string {
  const limit = Math.max(0, Math.min(maxChars, allowedChars ?? maxChars));
  const plain = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(plain);
  if (characters.length <= limit) return plain;
  if (limit === 0) return '';
  const cut = characters.slice(0, limit - 1).join('');
  const blank = cut.lastIndexOf(' ');
  return `${blank > cut.length / 2 ? cut.slice(0, blank) : cut}…`;
}
