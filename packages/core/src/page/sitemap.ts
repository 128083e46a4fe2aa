// Reads a sitemap as it arrives: the sitemap and the sitemap index of sitemaps.org, a text file of URLs, RSS and Atom,
// recognized by how they begin. Entries are passed on as they are read. XML is read by htmlparser2 in its XML mode: it
// never throws, and never expands what `<!ENTITY>` declares (no billion laughs).

import { Parser } from 'htmlparser2';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import {
  MAX_FREQUENCY_FIELDS,
  MAX_SITEMAP_ALTERNATES,
  MAX_SITEMAP_FIELD_CHARS,
  MAX_SITEMAP_LINES_WITHOUT_URL,
  MAX_SITEMAP_URLS,
  MAX_XML_ATTRIBUTES,
  MAX_XML_DEPTH,
  MAX_XML_TOKEN_CHARS,
} from './limits.js';
import { parseWebUrl } from './links.js';

/** What a document turned out to be. `unknown`: nothing that lists URLs. */
export type SitemapKind = 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'unknown';

/** One URL of a sitemap or feed. Texts are as written, trimmed, and cut if too long. */
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
  readonly alternates: readonly { readonly hreflang: string; readonly url: string }[];
}

/** How often a feed may be read at most, as it says itself. */
export interface FeedFrequency {
  /** The longer of `ttl`, and `sy:updatePeriod` divided by `sy:updateFrequency`; 0: not given. */
  readonly minutes: number;
  /** Hours of the day, UTC, and days of the week (0: Sunday) at which it must not be read. */
  readonly skipHours: readonly number[];
  readonly skipDays: readonly number[];
}

export interface SitemapEnd {
  readonly kind: SitemapKind;
  /** The bound that ended the reading (`too-many`: more URLs than a sitemap may have); `null`: read to its end. */
  readonly stopped: 'too-deep' | 'too-long-a-token' | 'too-many-attributes' | 'too-many' | null;
  /** Entries whose URL is too long or not one that we fetch. */
  readonly unusable: number;
  /** The rhythm of a feed; `null`: not given. */
  readonly frequency: FeedFrequency | null;
  /** The WebSub hub that a feed names first, as written; `null`: none. Nothing subscribes to it. */
  readonly hub: string | null;
}

type Field = 'url' | 'guid' | 'lastmod' | 'published' | 'changefreq' | 'priority' | 'title';

/** The names that matter in each kind: of an entry, and of its fields. */
interface Grammar {
  readonly kind: 'urlset' | 'index' | 'rss' | 'atom';
  readonly entry: string;
  readonly fields: Readonly<Record<string, Field>>;
}

const SITEMAP_FIELDS = { loc: 'url', lastmod: 'lastmod' } as const;
const URL_FIELDS = { ...SITEMAP_FIELDS, changefreq: 'changefreq', priority: 'priority' } as const;
const RSS_FIELDS = { link: 'url', guid: 'guid', pubDate: 'lastmod', 'dc:date': 'lastmod', title: 'title' } as const;
const ATOM_FIELDS = { updated: 'lastmod', published: 'published', title: 'title' } as const;
/** By the local name of the root element. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  urlset: { kind: 'urlset', entry: 'url', fields: URL_FIELDS },
  sitemapindex: { kind: 'index', entry: 'sitemap', fields: SITEMAP_FIELDS },
  rss: { kind: 'rss', entry: 'item', fields: RSS_FIELDS },
  RDF: { kind: 'rss', entry: 'item', fields: RSS_FIELDS },
  feed: { kind: 'atom', entry: 'entry', fields: ATOM_FIELDS },
};

/** Elements of a feed that say how often to read it, by local name. */
const FREQUENCY_FIELDS: ReadonlySet<string> = new Set(['ttl', 'hour', 'day', 'updatePeriod', 'updateFrequency']);
const PERIOD_MINUTES: Readonly<Record<string, number>> = {
  hourly: 60,
  daily: 1_440,
  weekly: 10_080,
  monthly: 43_200,
  yearly: 525_600,
};
const DAYS: readonly string[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The text of an open element. */
interface KeptText {
  text: string;
  readonly maxChars: number;
  readonly depth: number;
}

interface OpenEntry {
  readonly fields: Map<Field, { readonly text: string }>;
  readonly alternates: { readonly hreflang: string; readonly url: string }[];
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** Characters parsed at once, so that an endless token is noticed soon. */
const CHUNK_CHARS = 16_384;

/**
 * Reads one sitemap or feed. No call throws. Memory is bounded by depth, by the attributes of one tag and by the length
 * of one tag or comment. A document past one of these bounds is not read further, and what was read counts.
 * @see sitemaps.org protocol 0.9; RFC 4287; RSS 2.0
 */
export class SitemapReader {
  readonly #url: string;
  readonly #onEntry: (entry: SitemapEntry) => void;
  #kind: SitemapKind = 'unknown';
  #count = 0;
  #unusable = 0;
  #stopped: SitemapEnd['stopped'] = null;
  #hasBegun = false;
  #isDone = false;

  // Of XML
  readonly #parser: Parser;
  #depth = 0;
  #attributes = 0;
  #hub: string | null = null;
  /** Characters that the parser has received. */
  #received = 0;
  #grammar: Grammar | null = null;
  /** `sm:` if the root is `sm:urlset`: `image:loc` is not `loc`. */
  #prefix = '';
  #entry: OpenEntry | null = null;
  /** The element whose text is kept. What is inside its own elements is not. */
  #kept: KeptText | null = null;
  /** How often to read the feed, as it says. */
  readonly #frequency: (readonly [name: string, kept: KeptText])[] = [];

  // Of text
  #line = '';
  #lines = 0;

  /** @param url - Relative URLs, which only feeds may have, are resolved against it. */
  constructor(url: string, onEntry: (entry: SitemapEntry) => void) {
    this.#url = url;
    this.#onEntry = onEntry;
    this.#parser = new Parser(
      {
        onopentagname: () => {
          this.#attributes = 0;
        },
        onattribute: () => {
          this.#attributes += 1;
          if (this.#attributes > MAX_XML_ATTRIBUTES) this.#stop('too-many-attributes');
        },
        onopentag: (name, attributes) => this.#onOpenTag(name, attributes),
        ontext: (chunk) => this.#text(chunk),
        onclosetag: (name) => this.#onCloseTag(name),
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  /** The kind, as far as it is known yet. */
  get kind(): SitemapKind {
    return this.#kind;
  }

  /** Whether further pieces change nothing. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Takes the next piece. */
  write(chunk: string): void {
    const text = this.#hasBegun ? chunk : chunk.replace(/^[\uFEFF\s]+/, '');
    if (!this.#hasBegun && text !== '') {
      this.#hasBegun = true;
      if (!text.startsWith('<')) this.#kind = 'text';
    }
    if (this.#kind === 'text') this.#writeText(text);
    else this.#writeXml(text);
  }

  /** Ends the document. */
  end(): SitemapEnd {
    if (this.#kind === 'text') this.#takeLine(this.#line);
    else if (!this.#isDone) this.#parser.end();
    this.#isDone = true;
    const kind = this.#kind === 'text' && this.#count === 0 ? 'unknown' : this.#kind;
    const frequency = parseFrequency(this.#frequency);
    return { kind, stopped: this.#stopped, unusable: this.#unusable, frequency, hub: this.#hub };
  }

  #stop(reason: SitemapEnd['stopped']): void {
    this.#stopped ??= reason;
    this.#isDone = true;
  }

  #writeText(chunk: string): void {
    const lines = (this.#line + chunk).split(/\r\n|\r|\n/);
    // An endless line is cut, since it is too long for a URL anyway.
    this.#line = (lines.pop() ?? '').slice(0, MAX_LINK_URL_CHARS + 1);
    for (const line of lines) this.#takeLine(line);
  }

  #takeLine(line: string): void {
    const text = line.trim();
    if (text === '' || this.#isDone) return;
    this.#lines += 1;
    if (/^https?:\/\//i.test(text)) this.#add(text);
    else this.#unusable += 1;
    // A long text without URLs is not a list of URLs.
    if (this.#count === 0 && this.#lines >= MAX_SITEMAP_LINES_WITHOUT_URL) this.#isDone = true;
  }

  #writeXml(chunk: string): void {
    for (let at = 0; at < chunk.length && !this.#isDone; at += CHUNK_CHARS) {
      const part = chunk.slice(at, at + CHUNK_CHARS);
      this.#received += part.length;
      this.#parser.write(part);
      // It holds what comes after the end of the last tag, attribute, comment or text.
      if (this.#received - this.#parser.endIndex > MAX_XML_TOKEN_CHARS) this.#stop('too-long-a-token');
    }
  }

  #onOpenTag(name: string, attributes: Attributes): void {
    this.#depth += 1;
    if (this.#depth > MAX_XML_DEPTH) this.#stop('too-deep');
    if (this.#isDone) return;
    if (this.#grammar === null) this.#onRootTag(name);
    else if (this.#entry !== null) this.#onEntryTag(this.#grammar, this.#entry, name, attributes);
    else if (this.#localName(name) === this.#grammar.entry) {
      this.#entry = { fields: new Map(), alternates: [] };
      this.#kept = null;
    } else this.#onFeedTag(name.slice(name.indexOf(':') + 1), attributes);
  }

  #onRootTag(name: string): void {
    const at = name.indexOf(':') + 1;
    const local = name.slice(at);
    if (!Object.hasOwn(GRAMMARS, local)) {
      this.#isDone = true;
      return;
    }
    this.#grammar = GRAMMARS[local]!;
    this.#kind = this.#grammar.kind;
    // Items of RDF are in their own namespace, usually without a prefix.
    this.#prefix = local === 'RDF' ? '' : name.slice(0, at);
  }

  /** A tag of the feed itself, outside its entries. */
  #onFeedTag(name: string, { rel = '', href }: Attributes): void {
    if (name === 'link' && /(^|\s)hub(\s|$)/i.test(rel)) this.#hub ??= shortText(href);
    if (this.#kind === 'urlset' || !FREQUENCY_FIELDS.has(name)) return;
    if (this.#frequency.length < MAX_FREQUENCY_FIELDS)
      this.#frequency.push([name, this.#keepText(MAX_SITEMAP_FIELD_CHARS)]);
  }

  #onEntryTag({ kind, fields }: Grammar, entry: OpenEntry, name: string, attributes: Attributes): void {
    if (this.#kept !== null) return;
    const local = this.#localName(name);
    if (kind === 'atom' ? local === 'link' : kind === 'urlset' && name.endsWith(':link')) {
      this.#takeLink(attributes, entry);
    } else if (Object.hasOwn(fields, local)) {
      const field = fields[local]!;
      const isNoUrl = field === 'guid' && attributes['isPermaLink']?.trim().toLowerCase() === 'false';
      // The first of several counts. One character more than a URL may have shows that it is too long.
      if (!isNoUrl && !entry.fields.has(field)) entry.fields.set(field, this.#keepText(MAX_LINK_URL_CHARS + 1));
    }
  }

  #keepText(maxChars: number): KeptText {
    this.#kept = { text: '', maxChars, depth: this.#depth };
    return this.#kept;
  }

  #localName(name: string): string {
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }

  #text(chunk: string): void {
    const kept = this.#kept;
    if (this.#isDone || kept === null || kept.depth !== this.#depth) return;
    kept.text += chunk.slice(0, kept.maxChars - kept.text.length);
  }

  #onCloseTag(name: string): void {
    if (this.#kept?.depth === this.#depth) this.#kept = null;
    if (this.#entry !== null && !this.#isDone && this.#localName(name) === this.#grammar?.entry) {
      const { fields, alternates } = this.#entry;
      this.#add(fields.get('url')?.text.trim() || fields.get('guid')?.text.trim() || '', fields, alternates);
      this.#entry = null;
    }
    this.#depth -= 1;
  }

  #takeLink({ rel = 'alternate', href, hreflang: language }: Attributes, { fields, alternates }: OpenEntry): void {
    if (rel.trim().toLowerCase() !== 'alternate' || href === undefined) return;
    if (this.#kind === 'atom') {
      if (!fields.has('url')) fields.set('url', { text: href.slice(0, MAX_LINK_URL_CHARS + 1) });
      return;
    }
    const hreflang = language?.trim().slice(0, MAX_SITEMAP_FIELD_CHARS);
    const url = this.#usableUrl(href.trim());
    if (hreflang !== undefined && url !== null && alternates.length < MAX_SITEMAP_ALTERNATES)
      alternates.push({ hreflang, url });
  }

  #usableUrl(text: string): string | null {
    const url = text.length > MAX_LINK_URL_CHARS || text === '' ? null : parseWebUrl(text, this.#url);
    return url === null || url.href.length > MAX_LINK_URL_CHARS ? null : url.href;
  }

  #add(text: string, fields: OpenEntry['fields'] = new Map(), alternates: SitemapEntry['alternates'] = []): void {
    const url = this.#usableUrl(text);
    if (url === null) {
      this.#unusable += 1;
      return;
    }
    if (this.#count >= MAX_SITEMAP_URLS) {
      this.#stop('too-many');
      return;
    }
    this.#count += 1;
    const field = (name: Field): string | null => shortText(fields.get(name)?.text);
    this.#onEntry({
      url,
      lastmod: field('lastmod') ?? field('published'),
      changefreq: field('changefreq'),
      priority: field('priority'),
      title: field('title'),
      alternates,
    });
  }
}

function parseFrequency(fields: readonly (readonly [name: string, kept: KeptText])[]): FeedFrequency | null {
  const texts = (name: string): string[] => fields.flatMap(([each, { text }]) => (each === name ? text.trim() : []));
  const number = (text = ''): number => (/^\d{1,7}$/.test(text) ? Number(text) : 0);
  const [period, frequency] = [texts('updatePeriod')[0]?.toLowerCase(), texts('updateFrequency')[0]];
  const periodMinutes = period === undefined && frequency === undefined ? 0 : (PERIOD_MINUTES[period ?? 'daily'] ?? 0);
  const minutes = Math.max(number(texts('ttl')[0]), periodMinutes / Math.max(1, number(frequency)));
  // Midnight is 0, and 24 in old feeds.
  const skipHours = texts('hour').flatMap((text) =>
    /^\d+$/.test(text) && number(text) <= 24 ? number(text) % 24 : [],
  );
  const skipDays = texts('day')
    .flatMap((text) => DAYS.indexOf(text.toLowerCase()))
    .filter((day) => day >= 0);
  const hasFrequency = minutes > 0 || skipHours.length > 0 || skipDays.length > 0;
  return hasFrequency ? { minutes, skipHours, skipDays } : null;
}

function shortText(text: string | undefined): string | null {
  return text?.trim().replace(/\s+/g, ' ').slice(0, MAX_SITEMAP_FIELD_CHARS) || null;
}
