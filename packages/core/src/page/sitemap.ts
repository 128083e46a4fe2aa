// A sitemap as it arrives: the sitemap and the sitemap index of sitemaps.org, a text file of URLs, RSS and Atom, told
// apart by what they begin with, never by what they are called. Entries come out as they are read; nothing is decided
// here.

import { MAX_LINK_URL_CHARS } from '../limits.js';
import {
  MAX_SITEMAP_ALTERNATES,
  MAX_SITEMAP_FIELD_CHARS,
  MAX_SITEMAP_LINES_WITHOUT_URL,
  MAX_SITEMAP_URLS,
} from './limits.js';
import { parseWebUrl } from './web-url.js';
import { createXmlReader, type XmlReader, type XmlStop } from './xml-reader.js';

/** What a document turned out to be. `unknown`: nothing that lists URLs. */
export type SitemapKind = 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'unknown';

/**
 * One URL of a sitemap or feed, with what is said of it. Texts are as written, trimmed, and cut where they are too
 * long.
 */
export interface SitemapEntry {
  /** Absolute http(s) URL without fragment and userinfo. */
  readonly url: string;
  /** `lastmod`; `updated`, `published`, `pubDate` or `dc:date` of a feed. */
  readonly lastmod: string | null;
  readonly changefreq: string | null;
  readonly priority: string | null;
  /** The title of a feed's entry. */
  readonly title: string | null;
  /** The same page in other languages (`xhtml:link rel="alternate" hreflang`). */
  readonly alternates: readonly SitemapAlternate[];
}

/** The same page in another language. */
export interface SitemapAlternate {
  readonly hreflang: string;
  readonly url: string;
}

/** How the reading of a sitemap ended. */
export interface SitemapEnd {
  readonly kind: SitemapKind;
  /** `too-many`: more URLs than a sitemap may have; otherwise what made us stop. `null`: read to its end. */
  readonly stopped: XmlStop | 'too-many' | null;
  /** Entries whose URL is none that we fetch, or too long. */
  readonly unusable: number;
}

/** A sitemap as it arrives. */
export interface SitemapReader {
  /** Takes the next piece. @returns The entries that are whole by now. */
  write(piece: string): SitemapEntry[];
  /** As far as it is known by now. */
  readonly kind: SitemapKind;
  /** Whether more pieces change nothing. */
  readonly isOver: boolean;
  /** No more comes. @returns The last entries. */
  end(): { readonly entries: SitemapEntry[]; readonly end: SitemapEnd };
}

/** The names that matter in each kind: of an entry, and of the fields in it. */
interface Grammar {
  readonly kind: 'urlset' | 'index' | 'rss' | 'atom';
  readonly entry: string;
  readonly fields: Readonly<Record<string, Field>>;
}

/** What is kept of an entry. */
type Field = 'url' | 'guid' | 'lastmod' | 'published' | 'changefreq' | 'priority' | 'title';

const SITEMAP_FIELDS = { loc: 'url', lastmod: 'lastmod' } as const;
const RSS_FIELDS = { link: 'url', guid: 'guid', pubDate: 'lastmod', 'dc:date': 'lastmod', title: 'title' } as const;
/** By the local name of the root element. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  urlset: {
    kind: 'urlset',
    entry: 'url',
    fields: { ...SITEMAP_FIELDS, changefreq: 'changefreq', priority: 'priority' },
  },
  sitemapindex: { kind: 'index', entry: 'sitemap', fields: SITEMAP_FIELDS },
  rss: { kind: 'rss', entry: 'item', fields: RSS_FIELDS },
  RDF: { kind: 'rss', entry: 'item', fields: RSS_FIELDS },
  feed: { kind: 'atom', entry: 'entry', fields: { updated: 'lastmod', published: 'published', title: 'title' } },
};

/**
 * Makes a reader of one sitemap or feed.
 *
 * @param sitemapUrl - What relative URLs, which only feeds may have, are resolved against.
 * @throws Never
 * @see sitemaps.org protocol 0.9; RFC 4287; RSS 2.0
 */
export function createSitemapReader(sitemapUrl: string): SitemapReader {
  return new ArrivingSitemap(sitemapUrl);
}

class ArrivingSitemap implements SitemapReader {
  readonly #sitemapUrl: string;
  readonly #xml: XmlReader;
  #entries: SitemapEntry[] = [];
  #count = 0;
  #unusable = 0;
  #kind: SitemapKind | null = null;
  #stopped: SitemapEnd['stopped'] = null;
  #hasBegun = false;
  #isOver = false;

  // Of XML
  #grammar: Grammar | null = null;
  /** `sm:` where the root is `sm:urlset`: `image:loc` is no `loc`. */
  #prefix = '';
  #fields: Map<Field, string> | null = null;
  #alternates: SitemapAlternate[] = [];
  #field: Field | null = null;
  #depthInField = 0;
  #link: Map<string, string> | null = null;

  // Of text
  #line = '';
  #lines = 0;

  constructor(sitemapUrl: string) {
    this.#sitemapUrl = sitemapUrl;
    this.#xml = createXmlReader({
      open: (name) => this.#open(name),
      attribute: (name, value) => this.#attribute(name, value),
      text: (piece) => this.#text(piece),
      close: (name) => this.#close(name),
    });
  }

  get kind(): SitemapKind {
    return this.#kind ?? 'unknown';
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  write(piece: string): SitemapEntry[] {
    if (this.#isOver) return [];
    let rest = piece;
    if (!this.#hasBegun) {
      rest = rest.replace(/^[\uFEFF\s]+/, '');
      if (rest === '') return [];
      this.#hasBegun = true;
      if (!rest.startsWith('<')) this.#kind = 'text';
    }
    if (this.#kind === 'text') this.#writeText(rest);
    else this.#stop(this.#xml.write(rest));
    return this.#take();
  }

  end(): { readonly entries: SitemapEntry[]; readonly end: SitemapEnd } {
    if (!this.#isOver && this.#kind === 'text') this.#endLine();
    if (!this.#isOver && this.#kind !== 'text') this.#xml.end();
    this.#isOver = true;
    const isKnown = this.#kind !== 'text' || this.#count > 0;
    const kind = isKnown ? (this.#kind ?? 'unknown') : 'unknown';
    return { entries: this.#take(), end: { kind, stopped: this.#stopped, unusable: this.#unusable } };
  }

  #take(): SitemapEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  #stop(why: SitemapEnd['stopped']): void {
    if (why === null) return;
    this.#stopped ??= why;
    this.#isOver = true;
    this.#xml.stop();
  }

  #writeText(piece: string): void {
    const lines = (this.#line + piece).split(/\r\n|\r|\n/);
    // A line without end is cut: too long to be a URL it is anyway.
    this.#line = (lines.pop() ?? '').slice(0, MAX_LINK_URL_CHARS + 1);
    for (const line of lines) {
      this.#takeLine(line);
      if (this.#isOver) return;
    }
  }

  #endLine(): void {
    this.#takeLine(this.#line);
    this.#line = '';
  }

  #takeLine(line: string): void {
    const text = line.trim();
    if (text === '') return;
    this.#lines += 1;
    if (/^https?:\/\//i.test(text)) this.#add(text, new Map());
    else this.#unusable += 1;
    // A novel is no list of URLs.
    if (this.#count === 0 && this.#lines >= MAX_SITEMAP_LINES_WITHOUT_URL) this.#isOver = true;
  }

  #open(name: string): void {
    if (this.#grammar === null) {
      this.#openRoot(name);
      return;
    }
    const local = this.#localName(name);
    if (this.#fields === null) {
      if (local === this.#grammar.entry) this.#fields = new Map();
    } else if (this.#field !== null) {
      this.#depthInField += 1;
    } else if (local === 'link' && this.#grammar.kind === 'atom') {
      this.#link = new Map();
    } else if (this.#grammar.kind === 'urlset' && name.endsWith(':link')) {
      this.#link = new Map();
    } else if (Object.hasOwn(this.#grammar.fields, local)) {
      this.#field = this.#grammar.fields[local]!;
      // The first of several counts.
      if (this.#fields.has(this.#field)) this.#field = null;
      else this.#fields.set(this.#field, '');
    }
  }

  #openRoot(name: string): void {
    const at = name.indexOf(':') + 1;
    const local = name.slice(at);
    if (!Object.hasOwn(GRAMMARS, local)) {
      this.#kind = 'unknown';
      this.#isOver = true;
      this.#xml.stop();
      return;
    }
    this.#grammar = GRAMMARS[local]!;
    this.#kind = this.#grammar.kind;
    // The items of RDF stand in a namespace of their own, usually without a prefix.
    this.#prefix = local === 'RDF' ? '' : name.slice(0, at);
  }

  #localName(name: string): string {
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  #attribute(name: string, value: string): void {
    if (this.#link !== null && /^(?:rel|href|hreflang)$/.test(name)) {
      this.#link.set(name, value.slice(0, MAX_LINK_URL_CHARS + 1));
    } else if (this.#field === 'guid' && name === 'isPermaLink' && value.trim().toLowerCase() === 'false') {
      this.#field = null;
      this.#fields?.delete('guid');
    }
  }

  #text(piece: string): void {
    if (this.#field === null || this.#fields === null || this.#depthInField > 0) return;
    const soFar = this.#fields.get(this.#field) ?? '';
    // One character more than a URL may have says that it is too long.
    this.#fields.set(this.#field, soFar + piece.slice(0, Math.max(0, MAX_LINK_URL_CHARS + 1 - soFar.length)));
  }

  #close(name: string): void {
    if (this.#fields === null || this.#grammar === null) return;
    const local = this.#localName(name);
    if (this.#link !== null) {
      this.#takeLink(this.#link);
      this.#link = null;
    } else if (local === this.#grammar.entry) {
      const fields = this.#fields;
      this.#endEntry();
      this.#add(fields.get('url')?.trim() || fields.get('guid')?.trim() || '', fields);
      this.#alternates = [];
    } else if (this.#depthInField > 0) {
      this.#depthInField -= 1;
    } else {
      this.#field = null;
    }
  }

  #endEntry(): void {
    this.#fields = null;
    this.#field = null;
    this.#depthInField = 0;
  }

  #takeLink(link: ReadonlyMap<string, string>): void {
    const rel = (link.get('rel') ?? 'alternate').trim().toLowerCase();
    const href = link.get('href');
    if (rel !== 'alternate' || href === undefined) return;
    if (this.#grammar?.kind === 'atom') {
      if (this.#fields?.has('url') === false) this.#fields.set('url', href);
      return;
    }
    const hreflang = link.get('hreflang')?.trim().slice(0, MAX_SITEMAP_FIELD_CHARS);
    const url = this.#usable(href.trim());
    if (hreflang !== undefined && url !== null && this.#alternates.length < MAX_SITEMAP_ALTERNATES) {
      this.#alternates.push({ hreflang, url });
    }
  }

  #usable(text: string): string | null {
    const url = text.length > MAX_LINK_URL_CHARS || text === '' ? null : parseWebUrl(text, this.#sitemapUrl);
    return url === null || url.href.length > MAX_LINK_URL_CHARS ? null : url.href;
  }

  #add(text: string, fields: ReadonlyMap<Field, string>): void {
    if (this.#isOver) return;
    const url = this.#usable(text);
    if (url === null) {
      this.#unusable += 1;
      return;
    }
    if (this.#count >= MAX_SITEMAP_URLS) {
      this.#stop('too-many');
      return;
    }
    this.#count += 1;
    const field = (name: Field): string | null => shortText(fields.get(name));
    this.#entries.push({
      url,
      lastmod: field('lastmod') ?? field('published'),
      changefreq: field('changefreq'),
      priority: field('priority'),
      title: field('title'),
      alternates: this.#alternates,
    });
  }
}

function shortText(text: string | undefined): string | null {
  const short = text?.trim().replace(/\s+/g, ' ').slice(0, MAX_SITEMAP_FIELD_CHARS);
  return short === undefined || short === '' ? null : short;
}
