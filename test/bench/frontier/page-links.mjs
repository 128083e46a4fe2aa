// The links of the page-path benchmark, the same in every run: a site's navigation, identical on every page; pages that
// were linked before (some spelled differently); new pages, some of them on other hosts. Made before anything is
// measured.

/** The share of known links: navigation first, the rest from everything that was linked before. */
const KNOWN_SHARE = 0.7;
const NAVIGATION = 12;
/** Every how many known links one is spelled differently. */
const RESPELT_EVERY = 8;
/** Every how many new links one is on another host. */
const ELSEWHERE_EVERY = 6;

/** A typical file: a few closed paths, nothing about spacing. */
export const ROBOTS = new TextEncoder().encode(
  [
    'User-agent: *',
    ...['/admin/', '/cart', '/search?', '/*.cgi$', '/private/*/draft', '/tmp/', '/*?sessionid='].map(
      (path) => `Disallow: ${path}`,
    ),
    'Allow: /admin/help',
    'Sitemap: https://example.org/sitemap.xml',
  ].join('\n'),
);

/** The links of `pages` pages. */
export function createPages({ pages, hosts, links, seed = 1 }) {
  let state = seed;
  const below = (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * count);
  };
  const origin = (host) => `https://www.site-${host}.example.org`;
  const seeds = Array.from({ length: hosts }, (_, host) => `${origin(host)}/`);
  const made = [...seeds];
  const fresh = (host) => {
    const number = made.length;
    const url = `${origin(host)}/section-${number % 17}/article-${number}/${number % 3 === 0 ? `?page=${number % 9}&sort=asc` : 'index.html'}`;
    made.push(url);
    return url;
  };
  const all = [];
  for (let page = 0; page < pages; page += 1) {
    const host = page % hosts;
    const urls = Array.from({ length: Math.min(NAVIGATION, links) }, (_, at) => `${origin(host)}/nav/${at}.html`);
    const known = Math.round(links * KNOWN_SHARE);
    for (let at = urls.length; at < known; at += 1) urls.push(respelt(made[below(made.length)], at));
    for (let at = known; at < links; at += 1) urls.push(fresh(at % ELSEWHERE_EVERY === 0 ? below(hosts) : host));
    all.push(urls.map((url) => ({ url: flat(url), depth: 3, via: 'link', from: seeds[host] })));
  }
  return {
    seeds: seeds.map((url) => ({ url, depth: 0, via: 'seed' })),
    linksOf: (page) => all[page] ?? [],
  };
}

/** A flat copy of the string, as a page's links are, which the engine has not seen yet. */
function flat(text) {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Sometimes the same page in another spelling. */
function respelt(url, at) {
  if (at % RESPELT_EVERY !== 0) return url;
  const ways = [`${url}#top`, url.replace('article', '%61rticle'), url.replace('https://www', 'HTTPS://WWW')];
  return ways[(at / RESPELT_EVERY) % ways.length];
}
