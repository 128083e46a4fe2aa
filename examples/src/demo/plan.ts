// The plan of the town: eight hosts, their answers, and what each expects of a polite crawler. The expectations are
// written by hand, not derived from the robots.txt next to them: the crawl is compared with them.

/** One answer of a host. */
export interface TownAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One host of the town. */
export interface TownHost {
  readonly name: string;
  /** What is special about it, in one sentence. */
  readonly about: string;
  /** The answer to a path and query; `null`: there is no such page. */
  readonly answer: (path: string) => TownAnswer | null;
  /** Whether the host forbids requests for this path. */
  readonly isClosed: (path: string) => boolean;
  /** The minimum time from the end of an answer to the next request, milliseconds, once robots.txt has been read. */
  readonly gapMs: number;
  /** The minimum time from request to request, milliseconds, once robots.txt has been read. */
  readonly startToStartMs: number;
}

/** The minimum interval of the `polite` profile, milliseconds. */
const PROFILE_GAP_MS = 1_000;

/** The town's hosts. @param port - The port that all of them share. */
export function townPlan(port: number): TownHost[] {
  const at = (host: string, path = '/'): string => `http://${host}:${port}${path}`;
  return [
    host('meadow.test', 'Open to everybody.', {
      '/robots.txt': text('User-agent: *\nDisallow:\n'),
      '/': page('The meadow', ['/flowers', '/bees', '/brook', at('quarry.test'), at('harbour.test')]),
      '/flowers': page('Flowers', ['/', '/bees', '/bees#hive']),
      '/bees': page('Bees', ['/flowers', '/brook?from=bees']),
      '/brook': page('The brook', ['/', 'flowers']),
      '/brook?from=bees': page('The brook, seen by bees', ['/']),
      '/data.txt': text('path: /data/flowers.csv\nname: Flowers of the meadow\ntype: text/csv\nlicense: CC0-1.0\n'),
      '/data/flowers.csv': {
        status: 200,
        headers: { 'content-type': 'text/csv' },
        body: 'name,count\ndaisy,12\nclover,40\n',
      },
    }),
    host(
      'quarry.test',
      'Partly closed, with an open path inside the closed folder.',
      {
        '/robots.txt': text(
          `# The quarry of the town\nUser-agent: *\nComment: Blasting on weekdays. Please stay behind the fence.\nDisallow: /blasting/\nAllow: /blasting/visitors\nDisallow: /*.zip$\nSitemap: ${at('quarry.test', '/sitemap.xml')}\n`,
        ),
        '/sitemap.xml': sitemap([
          at('quarry.test'),
          at('quarry.test', '/stones'),
          at('quarry.test', '/blasting/visitors'),
          at('quarry.test', '/blasting/plan'),
          at('elsewhere.test'),
        ]),
        '/': page('The quarry', [
          '/stones',
          '/blasting/visitors',
          '/blasting/plan',
          '/blasting/schedule',
          '/maps/all.zip',
        ]),
        '/stones': page('Stones', ['/', '/blasting/plan']),
        '/blasting/visitors': page('For visitors', ['/', '/blasting/schedule']),
        '/blasting/plan': page('Danger', []),
        '/blasting/schedule': page('Danger', []),
        '/maps/all.zip': text('maps'),
      },
      { isClosed: (path) => (path.startsWith('/blasting/') && path !== '/blasting/visitors') || path.endsWith('.zip') },
    ),
    host(
      'mill.test',
      'Asks for two seconds between visits (Crawl-delay).',
      {
        '/robots.txt': text(`User-agent: *\nCrawl-delay: 2\nSitemap: ${at('mill.test', '/sitemap.xml')}\n`),
        '/sitemap.xml': sitemap(['/', '/flour', '/wheel', '/millpond'].map((path) => at('mill.test', path))),
        '/': page('The mill', ['/flour', '/wheel', '/millpond']),
        '/flour': page('Flour', ['/']),
        '/wheel': page('The wheel', ['/flour']),
        '/millpond': page('The pond', ['/wheel']),
      },
      { gapMs: 2_000 },
    ),
    host(
      'ferry.test',
      'Takes one passenger every two seconds (Request-rate).',
      {
        '/robots.txt': text(`User-agent: *\nRequest-rate: 1/2s\nSitemap: ${at('ferry.test', '/sitemap.xml')}\n`),
        '/sitemap.xml': sitemap(['/', '/timetable', '/fares', '/north-bank'].map((path) => at('ferry.test', path))),
        '/': page('The ferry', ['/timetable', '/fares', '/north-bank']),
        '/timetable': page('Timetable', ['/fares']),
        '/fares': page('Fares', ['/']),
        '/north-bank': page('The north bank', ['/timetable']),
      },
      { startToStartMs: 2_000 },
    ),
    host(
      'castle.test',
      'Its robots.txt answers 503: no one knows the rules, so no one enters.',
      {
        '/robots.txt': { status: 503, headers: { 'retry-after': '3600' }, body: 'The porter is asleep.' },
        '/': page('The castle', ['/keep']),
      },
      { isClosed: (path) => path !== '/robots.txt' },
    ),
    host('harbour.test', 'Has no robots.txt, and one pier that leads into the closed part of the quarry.', {
      '/': page('The harbour', ['/pilot', '/old-pier']),
      '/pilot': redirect(302, at('quarry.test', '/blasting/plan')),
      '/old-pier': redirect(301, '/pier'),
      '/pier': page('The new pier', ['/']),
    }),
    host(
      'abbey.test',
      'Speaks through its pages: nofollow, noindex and a link not to be followed.',
      {
        '/robots.txt': text('User-agent: *\nDisallow:\n'),
        '/': page('The abbey', ['/library', '/cells'], { more: '<a href="/tombs" rel="nofollow">tombs</a>' }),
        '/library': page('The library', ['/library/scriptorium', '/library/crypt'], { robots: 'nofollow' }),
        '/cells': page('The cells', ['/garden'], { robots: 'noindex' }),
        '/garden': page('The garden', ['/']),
      },
      { isClosed: (path) => path.startsWith('/library/') || path === '/tombs' },
    ),
    maze(),
  ];
}

/** A host from its pages. Never throws. */
export function host(
  name: string,
  about: string,
  pages: Readonly<Record<string, TownAnswer>>,
  expects: Partial<Pick<TownHost, 'isClosed' | 'gapMs' | 'startToStartMs'>> = {},
): TownHost {
  return {
    name,
    about,
    answer: (path) => (Object.hasOwn(pages, path) ? (pages[path] ?? null) : null),
    isClosed: () => false,
    gapMs: PROFILE_GAP_MS,
    startToStartMs: 0,
    ...expects,
  };
}

/** A host whose pages never end: each links to three new ones. */
function maze(): TownHost {
  const turns = ['left', 'right', 'ahead'];
  return {
    ...host('maze.test', 'A trap: every page links to three new ones, without end.', {}),
    answer: (path) => {
      if (path === '/robots.txt') return text('User-agent: *\nDisallow: /way-out\n');
      return page('The maze', [...turns.map((turn) => `${path === '/' ? '' : path}/${turn}`), '/way-out']);
    },
    isClosed: (path) => path.startsWith('/way-out'),
  };
}

/** A plain text answer. Never throws. */
export function text(body: string): TownAnswer {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** The sitemap of a host, with the dates of changes that it declares. Never throws. */
export function sitemap(urls: readonly (string | readonly [url: string, lastmod: string])[]): TownAnswer {
  const list = urls
    .map((each) => (typeof each === 'string' ? [each] : each))
    .map(
      ([url, lastmod]) => `<url><loc>${url}</loc>${lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`,
    )
    .join('');
  const body = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${list}</urlset>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function redirect(status: number, location: string): TownAnswer {
  return { status, headers: { location }, body: '' };
}

/** A page with a list of links. Never throws. */
export function page(
  title: string,
  links: readonly string[],
  extra: { robots?: string; more?: string } = {},
): TownAnswer {
  const meta = extra.robots === undefined ? '' : `<meta name="robots" content="${extra.robots}">`;
  const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('\n');
  const body = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">${meta}<title>${title}</title></head>\n<body><h1>${title}</h1>\n<ul>\n${list}\n</ul>\n${extra.more ?? ''}</body></html>\n`;
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
