// Turns a response into a page: its kind, its facts from one pass, its directives, and its content, which is created on
// first use and kept.

import type { JsonValue, PageWork } from '@mannerly/frontier';
import type { CheerioAPI } from 'cheerio';
import { MannerlyError } from '../errors.js';
import { headerValue, isBodyReleased, type ResponseOutcome } from '../fetch/outcome.js';
import type { RenderedPage } from '../fetch/renderer.js';
import { type PageAlternate, pageAlternates } from './alternates.js';
import { decodeText, utf8Offset } from './charset.js';
import { documentOf } from './cheerio.js';
import { type Content, contentOf } from './content-kind.js';
import { excludePage, type FileReservation, type PageExclusion, type ResolvedExclusionOptions } from './exclusion.js';
import type { HtmlSummary } from './html.js';
import { declaredLanguage } from './language.js';
import { MAX_PDF_BYTES, SLOW_PAGE_MS } from './limits.js';
import { type PageLink, resolveLinks } from './links.js';
import { type MainText, readMainText } from './main-text.js';
import type { PageInCrawl, PageRendering } from './page.js';
import { type PdfText, readPdfText } from './pdf-text.js';
import { readStructuredData, type StructuredData } from './structured-data.js';

export interface PageReaderParts {
  /** What the site's tdmrep.json says about a URL; `null`: the crawl does not read that file. */
  readonly tdmFor: ((url: string) => Promise<FileReservation>) | null;
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

  /** Rejects only with what `tdmFor` threw. @param rendering - As a browser had it: its text and links count. */
  async read(
    work: Pick<PageWork, 'url' | 'record' | 'signals'>,
    outcome: ResponseOutcome,
    rendering?: RenderedPage,
  ): Promise<PageInCrawl> {
    const { tdmFor, joinsHeaders, tokens, options, nowMs, onSlow } = this.#parts;
    const { headers, body } = outcome;
    const content = contentOf(headers, body);
    const html = content.kind === 'html' ? await loadHtml() : null;
    const startedMs = performance.now();
    const type = headerValue(headers, 'content-type');
    let text: string | null = null;
    const decode = (): string => (text ??= decodeText(body, type, content.kind));
    let facts: HtmlSummary | null = null;
    if (html !== null) {
      // A page in UTF-8 is scanned without decoding it.
      const start = utf8Offset(body, type, content.kind);
      facts = html.readHtml(start === null ? decode() : html.utf8Page(body.subarray(start)));
      if (rendering !== undefined) facts = mergeSummaries(facts, html.readHtml(rendering.html), rendering, work.url);
    }
    const tookMs = performance.now() - startedMs;
    if (tookMs > SLOW_PAGE_MS) onSlow?.(work.url, tookMs);
    const tdm = tdmFor === null ? null : await tdmFor(work.url);
    const page = { work, headers, isJoined: joinsHeaders, facts, tdm, tokens, options, nowMs: nowMs() };
    const exclusion = excludePage(page);
    const textOf = rendering === undefined ? decode : () => rendering.html;
    return createPage({ work, outcome, content, facts, exclusion, rendering, textOf });
  }
}

/**
 * The facts of a page in a browser: content comes from the DOM. Directives count in the raw document and in the DOM
 * after load, so that no script can revoke one (page-level §2).
 */
function mergeSummaries(raw: HtmlSummary, rendered: HtmlSummary, { url }: RenderedPage, pageUrl: string): HtmlSummary {
  return {
    ...rendered,
    // A script may have moved the document to another path, and hrefs are relative to it.
    baseHref: rendered.baseHref ?? (url === pageUrl ? null : url),
    metas: [...raw.metas, ...rendered.metas],
    linkElements: [...raw.linkElements, ...rendered.linkElements],
    refresh: rendered.refresh ?? raw.refresh,
  };
}

interface PageParts {
  readonly work: Pick<PageWork, 'url' | 'record'>;
  readonly outcome: ResponseOutcome;
  readonly content: Content;
  readonly facts: HtmlSummary | null;
  readonly exclusion: PageExclusion;
  /** `undefined`: the page is as received. */
  readonly rendering: RenderedPage | undefined;
  /** The content, decoded by the first call. */
  readonly textOf: () => string;
}

/** Creates a page from its parts. @throws Never */
function createPage(parts: PageParts): PageInCrawl {
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
    rendering: rendering === undefined ? null : withoutContent(rendering),
  });
}

/**
 * What a page creates on first use. (A class instead of an object literal with getters: the engine gives every such
 * literal its own shape, which keeps the text of its page until the next full collection.)
 */
class PageContent {
  readonly #parts: PageParts;
  #links: ReturnType<typeof resolveLinks> | null = null;
  #document: CheerioAPI | null = null;
  #language: string | null | undefined;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  get links(): readonly PageLink[] {
    const { facts, work } = this.#parts;
    if (facts === null) return [];
    this.#links ??= resolveLinks(facts, work.url);
    return this.#links.links;
  }

  get alternates(): readonly PageAlternate[] {
    const { facts, outcome, work } = this.#parts;
    return pageAlternates(facts, outcome.headers, work.url);
  }

  get linksDropped(): number {
    return (this.#parts.facts?.linksDropped ?? 0) + (this.#links?.dropped ?? 0);
  }

  get body(): ReadableStream<Uint8Array> {
    this.#assertHeld();
    const { body, file } = this.#parts.outcome;
    return ReadableStream.from(file?.read() ?? (body.length === 0 ? [] : [body]));
  }

  get $(): CheerioAPI {
    const { content, work } = this.#parts;
    this.#document ??= documentOf(content.kind, () => this.#decoded(), work.url);
    return this.#document;
  }

  screenshot(): Uint8Array | null {
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

  async json<T = JsonValue>(): Promise<T> {
    const { work, outcome } = this.#parts;
    const text = this.#decoded();
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      const hint = outcome.truncated === 'limit' ? { hint: 'Its body was cut: raise `network.maxBodyBytes`.' } : {};
      const message = `the content of ${work.url} is not JSON: ${String(cause)}`;
      throw new MannerlyError('page-not-json', message, { cause, ...hint });
    }
  }

  async bytes(): Promise<Uint8Array> {
    this.#assertHeld();
    this.#assertInMemory();
    return this.#parts.outcome.body;
  }

  excerpt(text: string, maxChars: number): string {
    return excerptOf(text, maxChars, this.#parts.exclusion.effects.maxSnippet);
  }

  /** Throws if the page's bytes have been freed. Its text stays. */
  #assertHeld(): void {
    const { outcome, work } = this.#parts;
    if (!isBodyReleased(outcome)) return;
    throw new MannerlyError('page-over', `the handler of ${work.url} has ended, and the page's bytes are freed`, {
      hint: 'Await everything that the handler starts, or keep what `await page.bytes()` returns.',
    });
  }

  /** Throws if the body is in a file, since it was too large for memory and still is. */
  #assertInMemory(): void {
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
    this.#assertInMemory();
    return this.#parts.textOf();
  }
}

function withoutContent({ url, endedBy, subresources }: RenderedPage): PageRendering {
  return { url, endedBy, subresources };
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
