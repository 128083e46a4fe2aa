// Endless URL spaces that crawlers meet, each in a few lines: the content and links of a page follow from its URL
// alone. Next to every trap are thirty ordinary pages, which a crawl has to fetch completely.

import { page, type ReplyParts, type Routes, redirect } from './web.js';

/** One trap. */
export interface TrapSite {
  readonly name: string;
  /** The answer to a path, also on hosts that the trap invents. */
  readonly answer: (path: string, host: string, port: string) => string | ReplyParts;
  /** The path at which the trap starts. */
  readonly entry: string;
}

/** The paths of the ordinary pages. */
export const ORDINARY: readonly string[] = Array.from({ length: 30 }, (_, at) => `/guide/${words(at)}.html`);

/** The site of a trap: a front page, the ordinary pages, and the trap. */
export function trapRoutes({ answer, entry }: TrapSite): Routes {
  const ordinaryPages = Object.fromEntries(
    ORDINARY.map((path, at) => [path, prose(words(at), [...ORDINARY.slice(at + 1, at + 4), '/'])]),
  );
  return {
    '/robots.txt': { status: 404 },
    '/': page('front', [ORDINARY[0] ?? '', ORDINARY[10] ?? '', ORDINARY[20] ?? '', entry]),
    ...ordinaryPages,
    '*': ({ path, host, headers }) => answer(path, host, headers['host']?.split(':')[1] ?? '80'),
  };
}

/** Every host name under the trap's domain, created on request. */
export function anyHost(site: TrapSite): Readonly<Record<string, Routes>> {
  const routes = trapRoutes(site);
  return new Proxy({}, { get: () => routes, has: () => true });
}

const segments = (path: string): string[] =>
  path
    .split('?')[0]
    ?.split('/')
    .filter((each) => each !== '') ?? [];
const param = (path: string, name: string): string => new URL(path, 'http://x.test').searchParams.get(name) ?? '';
const num = (text: string | undefined): number => Number.parseInt(text ?? '', 10) || 0;

/** A random token for each URL, the same on each request for that URL. */
function token(of: string, length = 10, letters = 'abcdefghijklmnopqrstuvwxyz0123456789'): string {
  let state = 7;
  for (const character of of) state = (Math.imul(state ^ character.charCodeAt(0), 16_777_619) ^ (state >>> 13)) >>> 0;
  let drawn = '';
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    drawn += letters[Math.floor((state / 2 ** 32) * letters.length)];
  }
  return drawn;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MENU = ['about', 'news', 'shop', 'team', 'contact', 'help', 'blog', 'jobs'];
const FACETS = [
  ...['color=red', 'color=blue', 'size=m', 'size=l', 'brand=acme', 'sale=1', 'sort=price', 'view=list'],
  ...['new=1', 'stock=1', 'rating=4', 'price=low', 'ship=free', 'material=wool', 'season=winter', 'fit=slim'],
];

/** The catalogue of traps. */
export const TRAP_SITES: readonly TrapSite[] = [
  {
    name: 'a calendar of months',
    entry: '/calendar/2026/11',
    answer: (path) => {
      const at = num(segments(path)[1]) * 12 + num(segments(path)[2]) - 1;
      const month = (of: number) => `/calendar/${Math.floor(of / 12)}/${(of % 12) + 1}`;
      return page(`${MONTHS[((at % 12) + 12) % 12]} ${Math.floor(at / 12)}`, [month(at - 1), month(at + 1)]);
    },
  },
  {
    name: 'a calendar of days in the query, with a clock',
    entry: '/events?date=2026-11-20',
    answer: (path) => {
      const day = (days: number) =>
        new Date(Date.parse(param(path, 'date')) + days * 86_400_000).toISOString().slice(0, 10);
      const links = [1, -1, 7, 30].map((days) => `/events?date=${day(days)}`);
      return `<h1>Events</h1><p>It is ${performance.now()}.</p>${page(day(0), links)}`;
    },
  },
  {
    name: 'numbers that go on',
    entry: '/item/1',
    answer: (path) => {
      const next = num(segments(path)[1]) + 1;
      return `<h1>Item ${next - 1}</h1><a href="/item/${next}">next</a>`;
    },
  },
  {
    name: 'pages of an empty list',
    entry: '/list?page=1',
    answer: (path) => `<h1>Nothing found</h1><a href="/list?page=${num(param(path, 'page')) + 1}">more</a>`,
  },
  {
    name: 'relative links that grow the path',
    entry: '/about/',
    answer: () =>
      page(
        'Our company',
        MENU.map((name) => `${name}/`),
      ),
  },
  {
    name: 'two folders in turns',
    entry: '/a/b/',
    answer: (path) => page('here', [path.endsWith('a/') ? 'b/' : 'a/']),
  },
  {
    name: 'a path that only grows, with new names',
    entry: '/deep/',
    answer: (path) =>
      page(
        'deep',
        [1, 2, 3].map((way) => `${token(path + way, 6)}/`),
      ),
  },
  {
    name: 'sessions in the query',
    entry: '/shop?sid=1',
    answer: (path) => {
      const sid = token(path, 16, '0123456789abcdef');
      return page(
        'Shop',
        MENU.map((name) => `/${name}?sid=${sid}`),
      );
    },
  },
  {
    name: 'sessions in the path',
    entry: '/s/start/shop.html',
    answer: (path) =>
      page(
        'Shop',
        MENU.map((name) => `/s/${token(path, 20)}/${name}.html`),
      ),
  },
  {
    name: 'sessions behind a semicolon',
    entry: '/app/index.jsp;jsessionid=1',
    answer: (path) =>
      page(
        'App',
        MENU.map((name) => `/app/${name}.jsp;jsessionid=${token(path, 24).toUpperCase()}`),
      ),
  },
  {
    name: 'facets in every combination',
    entry: '/find?sort=price',
    answer: (path) => {
      const chosen = (path.split('?')[1] ?? '').split('&').filter((each) => each !== '');
      const more = FACETS.filter((facet) => !chosen.includes(facet));
      return page(
        'Products',
        more.map((facet) => `/find?${[...chosen, facet].join('&')}`),
      );
    },
  },
  {
    name: 'facets as folders, in every order',
    entry: '/products/red/',
    answer: (path) => {
      const more = ['red', 'large', 'acme', 'new', 'sale', 'cotton', 'blue'].filter(
        (each) => !segments(path).includes(each),
      );
      return page(
        'Products',
        more.map((each) => `${path}${each}/`),
      );
    },
  },
  {
    name: 'a query that only grows',
    entry: '/view?a=1',
    answer: (path) => page('View', [`${path}&a=1`, `${path}&b${path.length}=1`]),
  },
  {
    name: 'leaves with tokens for names',
    entry: '/leaf/0',
    answer: (path) =>
      page(
        path,
        Array.from({ length: 10 }, (_, way) => `/leaf/${token(`${path} ${way}`)}`),
      ),
  },
  {
    name: 'redirects between pages that say the same',
    entry: '/hop/1',
    answer: (path) => {
      const [kind, name = ''] = segments(path);
      return kind === 'hop' ? redirect(`/land/${token(name)}`) : page('Wait', [`/hop/${token(`${name}!`)}`]);
    },
  },
  {
    name: 'redirects without end',
    entry: '/r/1',
    answer: (path) => redirect(`/r/${num(segments(path)[1]) + 1}`),
  },
  {
    name: 'hosts without end',
    entry: 'http://one.trap.test:PORT/w',
    answer: (path, host, port) =>
      page(
        'Welcome',
        [1, 2].map((way) => `http://${token(host + path + way, 8, 'abcdefghijklmnop')}.trap.test:${port}/w`),
      ),
  },
  {
    name: 'every error a page of its own',
    entry: '/missing/',
    answer: (path) =>
      `<h1>We could not find that</h1>${page('Not found', [`${path}x`, `${path}x/`, `/missing/${path.length}`])}`,
  },
];

/** A few sentences that are unique to a page. */
function prose(topic: string, links: readonly string[]): string {
  return page(topic, links).replace(
    '<body>',
    `<body><h1>${topic}</h1><p>This page is about ${topic} and nothing else.</p>`,
  );
}

function words(at: number): string {
  const first = ['river', 'stone', 'harbour', 'meadow', 'engine', 'copper'];
  const second = ['bridge', 'garden', 'market', 'window', 'letter'];
  return `${first[at % 6]}-${second[Math.floor(at / 6) % 5]}`;
}
