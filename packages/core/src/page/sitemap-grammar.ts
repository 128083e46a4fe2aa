// The elements that matter in sitemaps, sitemap indexes, RSS and Atom: data, read by `sitemap.ts`.

/** The names that matter in each kind: of an entry, and of the fields in it. */
export interface Grammar {
  readonly kind: 'urlset' | 'index' | 'rss' | 'atom';
  readonly entry: string;
  readonly fields: Readonly<Record<string, Field>>;
}

/** What is kept of an entry. */
export type Field = 'url' | 'guid' | 'lastmod' | 'published' | 'changefreq' | 'priority' | 'title';

const SITEMAP_FIELDS = { loc: 'url', lastmod: 'lastmod' } as const;
const RSS_FIELDS = { link: 'url', guid: 'guid', pubDate: 'lastmod', 'dc:date': 'lastmod', title: 'title' } as const;
/** By the local name of the root element. */
export const GRAMMARS: Readonly<Record<string, Grammar>> = {
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
