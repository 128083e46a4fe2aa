// A synthetic web whose pages are known exactly: seeded, so that two crawlers of one run get the same bytes. Sizes are
// distributed as on the real web (log-normal, median about 25 KB), with about 60 links per page: navigation, a tree
// that reaches every page, other pages of the host in several spellings, other hosts, and paths that robots.txt closes.

const SECTIONS = ['news', 'science', 'culture', 'travel', 'economy', 'people', 'health', 'law'];
const BRANCHES = 6;
const LINKS = 60;

/** A generator of uniform random numbers from 0 to 1 (xorshift32). */
function random(seed) {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function sentences() {
  const next = random(7);
  const syllables = [
    'la',
    'ver',
    'mon',
    'ti',
    'sa',
    'gre',
    'no',
    'dal',
    'pe',
    'ru',
    'cho',
    'est',
    'ni',
    'bra',
    'ko',
    'fel',
  ];
  const word = () =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => syllables[Math.floor(next() * 16)]).join('');
  return Array.from({ length: 2_000 }, () => {
    const words = Array.from({ length: 6 + Math.floor(next() * 14) }, word);
    if (next() < 0.2) words[2] = `<em>${words[2]}</em>`;
    if (next() < 0.1) words[4] = `${words[4]}&nbsp;&amp;`;
    return `${words.join(' ')}.`;
  });
}

/** The web of one run. `pathOf(0)` is the start page of a host. */
export function createWeb({ hosts, pages, port, scheme = 'http' }) {
  const text = sentences();
  const hostOf = (host) => `h${host}.test`;
  const originOf = (host) => `${scheme}://${hostOf(host)}:${port}`;
  const pathOf = (page) => {
    if (page === 0) return '/';
    const section = SECTIONS[page % SECTIONS.length];
    return page % 10 === 4
      ? `/view?id=${page}&lang=en`
      : `/${section}/${text[page % 500].replaceAll(/[^a-z]/g, '').slice(0, 8)}-${page}.html`;
  };

  function hrefs(host, page, next) {
    const any = (count) => Math.floor(next() * count);
    const found = Array.from({ length: Math.min(10, pages) }, (_, at) => pathOf(at));
    for (let child = BRANCHES * page + 1; child <= BRANCHES * (page + 1) && child < pages; child += 1)
      found.push(pathOf(child));
    while (found.length < LINKS - 10) {
      const path = pathOf(any(pages));
      const spelling = next();
      if (spelling < 0.6) found.push(path);
      else if (spelling < 0.8) found.push(originOf(host) + path);
      else if (spelling < 0.9) found.push(`/x/..${path}`);
      else found.push(`${path}#part${any(9)}`);
    }
    for (let other = 0; other < 6; other += 1) found.push(originOf(any(hosts)) + pathOf(any(pages)));
    found.push(`/private/${any(100)}.html`, 'mailto:desk@example.test', '#top', `http://elsewhere.test/${any(1_000)}`);
    return found;
  }

  return {
    seeds: Array.from({ length: hosts }, (_, host) => `${originOf(host)}/`),
    hostNames: Array.from({ length: hosts }, (_, host) => hostOf(host)),
    pages: hosts * pages,
    robots: 'User-agent: *\nDisallow: /private/\n',
    /** The page numbers of a host by path and query. */
    paths: new Map(Array.from({ length: pages }, (_, page) => [pathOf(page), page])),
    html(host, page) {
      const next = random(host * 100_003 + page + 1);
      const normal = Math.sqrt(-2 * Math.log(next() || 0.5)) * Math.cos(2 * Math.PI * next());
      const bytes = Math.min(400_000, Math.max(3_000, 25_000 * Math.exp(0.75 * normal)));
      const links = hrefs(host, page, next).map(
        (href) => `<a class="link" href="${href.replaceAll('&', '&amp;')}">${href.slice(-12)}</a>`,
      );
      const parts = [
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${page} of ${hostOf(host)}</title>`,
        '<link rel="stylesheet" href="/site.css"><script>if (1 < 2) { document.title += "" }</script></head><body>',
      ];
      let size = 0;
      for (let at = 0; size < bytes; at += 1) {
        const paragraph = `<p class="text">${text[Math.floor(next() * text.length)]} ${links[at] ?? ''}</p>\n`;
        parts.push(paragraph);
        size += paragraph.length;
        if (at >= links.length && size > bytes - 4_000) break;
      }
      return `${parts.join('')}<nav>${links.join('\n')}</nav></body></html>`;
    },
  };
}
