// Anybody can write a sitemap: its URLs must be found, and its attacks must fail.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readSitemap, type SitemapFileEnd } from './read-sitemap.js';
import type { FeedFrequency, SitemapEntry } from './sitemap.js';

const URL_OF_IT = 'https://a.test/maps/sitemap.xml';

async function read(
  body: string | Uint8Array,
  cut = 0,
): Promise<{ readonly entries: SitemapEntry[]; readonly end: SitemapFileEnd; readonly kinds: string[] }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const pieces = cut === 0 ? [bytes] : Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
  const entries: SitemapEntry[] = [];
  const kinds: string[] = [];
  const source = { url: URL_OF_IT, bytes: pieces, decoderFor: () => new TextDecoder() };
  const end = await readSitemap(source, async (batch, kind) => {
    kinds.push(kind);
    entries.push(...batch);
  });
  return { entries, end, kinds };
}

const urlset = (inner: string, head = '<?xml version="1.0" encoding="UTF-8"?>'): string =>
  `${head}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${inner}</urlset>`;

const NESTED = urlset(
  `<url><loc> https://a.test/x?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq><priority>0.5</priority>
   <xhtml:link rel="alternate" hreflang="de" href="https://a.test/de/x"/><image:image><image:loc>https://a.test/x.png</image:loc></image:image></url>
   <url><loc><![CDATA[https://a.test/y]]></loc></url>`,
);

const KINDS: readonly (readonly [does: string, body: string, kind: string, urls: readonly string[]])[] = [
  ['a sitemap', NESTED, 'urlset', ['https://a.test/x?a=1&b=2', 'https://a.test/y']],
  [
    'a sitemap with a prefix, whose images are not pages',
    '<sm:urlset><sm:url><sm:loc>https://a.test/p</sm:loc><image:loc>https://a.test/no</image:loc></sm:url></sm:urlset>',
    'urlset',
    ['https://a.test/p'],
  ],
  [
    'an index',
    '<sitemapindex><sitemap><loc>https://a.test/1.xml.gz</loc></sitemap></sitemapindex>',
    'index',
    ['https://a.test/1.xml.gz'],
  ],
  [
    'text',
    '\uFEFFhttps://a.test/1\r\nhttps://a.test/2\n\nnonsense\n',
    'text',
    ['https://a.test/1', 'https://a.test/2'],
  ],
  [
    'RSS',
    `<rss version="2.0"><channel><link>https://a.test/</link><item><title>T</title><link>https://a.test/i1</link></item>
     <item><guid isPermaLink="false">urn:1</guid></item><item><guid>https://a.test/i2</guid></item></channel></rss>`,
    'rss',
    ['https://a.test/i1', 'https://a.test/i2'],
  ],
  [
    'RSS 1.0',
    '<rdf:RDF><channel><link>https://a.test/</link></channel><item rdf:about="x"><link>https://a.test/r</link></item></rdf:RDF>',
    'rss',
    ['https://a.test/r'],
  ],
  [
    'Atom, with a relative link and one to elsewhere first',
    `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/><entry><title>T</title>
     <link rel="edit" href="/edit"/><link href="../e1"/><updated>2026-02-03T00:00:00Z</updated></entry></feed>`,
    'atom',
    ['https://a.test/e1'],
  ],
  ['a page of HTML', '<!doctype html><html><body><a href="https://a.test/x">x</a></body></html>', 'unknown', []],
  ['a novel', 'It was a dark night.\n'.repeat(1_000), 'unknown', []],
  ['nothing', '', 'unknown', []],
  ['blanks', ' \n\n ', 'unknown', []],
];

describe('the format follows from the first bytes, whatever the file name', () => {
  it.each(KINDS)('%s', async (_does, body, kind, urls) => {
    for (const cut of [0, 1]) {
      const { entries, end } = await read(body, cut);
      expect(entries.map(({ url }) => url)).toEqual(urls);
      expect(end.kind).toBe(kind);
    }
  });

  it.each(KINDS)('%s, as gzip', async (_does, body, kind, urls) => {
    const { entries, end } = await read(gzipSync(body));
    expect(entries.map(({ url }) => url)).toEqual(urls);
    expect(end).toMatchObject({ kind, cut: null });
  });
});

describe('the data of an entry', () => {
  it('includes lastmod, frequency, priority, languages', async () => {
    expect((await read(NESTED)).entries[0]).toEqual({
      url: 'https://a.test/x?a=1&b=2',
      lastmod: '2026-01-02',
      changefreq: 'daily',
      priority: '0.5',
      title: null,
      alternates: [{ hreflang: 'de', url: 'https://a.test/de/x' }],
    });
  });

  it('includes title and date for a feed', async () => {
    const rss = '<rss><item><title>A &amp; B</title><link>https://a.test/</link><pubDate>Mon</pubDate></item></rss>';
    expect((await read(rss)).entries[0]).toMatchObject({ title: 'A & B', lastmod: 'Mon' });
  });

  it.each<[string, string, FeedFrequency | null]>([
    ['nothing', '<title>ttl 60</title>', null],
    ['a ttl', '<ttl> 90 </ttl>', { minutes: 90, skipHours: [], skipDays: [] }],
    [
      'a period and how often in it',
      '<sy:updatePeriod>Daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>',
      { minutes: 360, skipHours: [], skipDays: [] },
    ],
    [
      'the longer of both',
      '<ttl>5</ttl><x:updatePeriod>weekly</x:updatePeriod>',
      {
        minutes: 10_080,
        skipHours: [],
        skipDays: [],
      },
    ],
    [
      'hours and days',
      '<skipHours><hour>0</hour><hour>24</hour><hour>7</hour><hour>25</hour></skipHours><skipDays><day>Monday</day><day>Noday</day></skipDays>',
      { minutes: 0, skipHours: [0, 0, 7], skipDays: [1] },
    ],
    ['what is none', '<ttl>soon</ttl><ttl>60</ttl><updatePeriod>often</updatePeriod>', null],
  ])('includes how often a feed wants to be read: %s', async (_what, xml, rhythm) => {
    const item = '<item><link>https://a.test/1</link><ttl>1</ttl></item>';
    const { entries, end } = await read(`<rss version="2.0"><channel>${xml}${item}</channel></rss>`);
    expect(end.frequency).toEqual(rhythm);
    expect(entries).toHaveLength(1);
    expect((await read(urlset(`${xml}<url><loc>https://a.test/1</loc></url>`))).end.frequency).toBeNull();
  });

  it('is not carried over to the next entry', async () => {
    const { entries } = await read(
      urlset('<url><loc>https://a.test/1</loc><lastmod>1</lastmod></url><url><loc>https://a.test/2</loc></url>'),
    );
    expect(entries[1]?.lastmod).toBeNull();
  });
});

describe('attacks', () => {
  it('a billion laughs: no entity is expanded', async () => {
    const laughs = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
    const head = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY l0 "lol">${laughs}]>`;
    const { entries } = await read(urlset('<url><loc>https://a.test/&l9;</loc></url>', head));
    expect(entries.map(({ url }) => url.length)).toEqual(['https://a.test/&l9;'.length]);
  });

  it('an external entity: nothing is loaded, and its name stays', async () => {
    const head = '<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const { entries } = await read(urlset('<url><loc>https://a.test/&f;</loc></url>', head));
    expect(entries[0]?.url).toBe('https://a.test/&f;');
  });

  it('one level per tag: reading stops, and earlier entries are kept', async () => {
    const { entries, end } = await read(
      urlset(`<url><loc>https://a.test/1</loc></url>${'<a>'.repeat(100_000)}<url><loc>https://a.test/2</loc></url>`),
    );
    expect(entries).toHaveLength(1);
    expect(end.stopped).toBe('too-deep');
  });

  it('attributes without end', async () => {
    const { end } = await read(`<urlset ${'a="1" '.repeat(100_000)}>`);
    expect(end.stopped).toBe('too-many-attributes');
  });

  it('a tag without end', async () => {
    const { end } = await read(`<urlset><url${'x'.repeat(1_000_000)}`);
    expect(end.stopped).toBe('too-long-a-token');
  });

  it('a URL of a megabyte, of another scheme, with credentials, with a line break inside', async () => {
    const { entries, end } = await read(
      urlset(
        [
          `https://a.test/${'x'.repeat(1_000_000)}`,
          'javascript:alert(1)',
          'https://u:p@a.test/c',
          'https://a.test/\n d',
        ]
          .map((loc) => `<url><loc>${loc}</loc></url>`)
          .join(''),
      ),
    );
    expect(entries.map(({ url }) => url)).toEqual(['https://a.test/c', 'https://a.test/%20d']);
    expect(end.unusable).toBe(2);
  });

  it('more URLs than a sitemap may have', async () => {
    const { entries, end } = await read(urlset('<url><loc>https://a.test/1</loc></url>'.repeat(50_001)));
    expect(entries).toHaveLength(50_000);
    expect(end.stopped).toBe('too-many');
  });

  it('gzip that is cut, or damaged', async () => {
    const whole = gzipSync(urlset('<url><loc>https://a.test/1</loc></url>'.repeat(20_000)));
    expect((await read(whole.subarray(0, whole.length / 2))).end.cut).toBe('gzip');
    expect((await read(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(100, 7)]))).end.cut).toBe('gzip');
  });

  it('a gzip bomb: cut at the maximum size of a sitemap', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('<urlset><url><loc>'), Buffer.alloc(60 * 1024 * 1024, 0x20)]));
    const { end } = await read(bomb);
    expect([end.cut, end.stopped]).toContain('too-large');
  });
});
