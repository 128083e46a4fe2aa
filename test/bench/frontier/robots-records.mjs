// Bytes of robots.txt records by kind of site: packed as they are stored, and as they would be if equal bodies were
// stored once. The files are modelled on those of large platforms, including which parts they share and where they name
// their host. A key of Redis takes about 100 bytes more (../../../docs/decisions/0049-robots-copies-are-not-shared.md).
// Usage: node test/bench/frontier/robots-records.mjs

import { initialAccess, nextAccess, resolveAccessOptions } from '@mannerly/robots/access';
import { encodeAuthority } from '../../../packages/frontier/dist/robots/authority-cache.js';
import { pack } from '../../../packages/frontier/dist/robots/packed-record.js';

const HOSTS = 6_000;
const KEY_BYTES = 100;
const options = resolveAccessOptions();
const text = new TextEncoder();
const lines = (agent, paths) => `User-agent: ${agent}\n${paths.map((path) => `Disallow: /${path}\n`).join('')}`;
const shopPaths =
  'admin cart orders checkouts/ checkout carts account collections/*sort_by* collections/*+* blogs/*+* policies/ search';
const bots = 'GPTBot CCBot Google-Extended ClaudeBot Bytespider PerplexityBot Amazonbot Applebot-Extended'.split(' ');
const words = 'news blog shop user api tag author feed print share login private tmp media search filter page'.split(
  ' ',
);

/** The share of the sites, and the file of a host. */
const KINDS = {
  'a common CMS': [0.28, (host) => `${lines('*', ['wp-admin/'])}\nSitemap: https://${host}/wp-sitemap.xml\n`],
  'the same with a plugin': [0.1, (host) => `# BLOCK\n${lines('*', [])}Sitemap: https://${host}/sitemap_index.xml\n`],
  'hosted shops': [
    0.08,
    (host) =>
      ['*', 'adsbot-google', 'AhrefsBot', 'MJ12bot', 'Pinterest']
        .map((agent) => `${lines(agent, shopPaths.split(' '))}Sitemap: https://${host}/sitemap.xml\n`)
        .join('\n'),
  ],
  'hosted pages, equal': [0.07, () => `${lines('*', ['*?lightbox='])}${lines('PetalBot', [''])}`],
  'a managed file, equal': [0.07, () => bots.map((bot) => lines(bot, [''])).join('\n')],
  'files of their own': [
    0.4,
    (host, at) =>
      `${lines(
        '*',
        Array.from({ length: 3 + (at % 40) }, (_, n) => `${words[(at * 7 + n * 3) % words.length]}/${(at * n) % 89}`),
      )}Sitemap: https://${host}/sitemap.xml\n`,
  ],
};

const total = { packed: 0, shared: 0 };
for (const [kind, [share, fileOf]] of Object.entries(KINDS)) {
  const bodies = new Map();
  const sum = { file: 0, packed: 0, without: 0 };
  const hosts = Math.round(share * HOSTS);
  for (let at = 0; at < hosts; at += 1) {
    const host = `www.${words[at % words.length]}-${at}.example.com`;
    const body = text.encode(fileOf(host, at));
    const robotsUrl = `https://${host}/robots.txt`;
    const response = { kind: 'response', status: 200, headers: {}, body, robotsUrl, finalUrl: robotsUrl };
    const access = nextAccess(initialAccess(), { kind: 'answer', answer: response }, 1.7e12 + at * 977, options);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
    const hash = Buffer.from(digest).toString('hex');
    const record = { access, hash, chain: null, hasAnswered: true };
    const copy = { ...access.copy, body: new Uint8Array(0) };
    bodies.set(hash, pack(body).length + KEY_BYTES);
    sum.file += body.length;
    sum.packed += encodeAuthority(record).length + KEY_BYTES;
    sum.without += encodeAuthority({ ...record, access: { ...access, copy } }).length + KEY_BYTES;
  }
  const shared = sum.without + [...bodies.values()].reduce((all, bytes) => all + bytes, 0);
  total.packed += sum.packed;
  total.shared += shared;
  const each = (bytes) => Math.round(bytes / hosts);
  console.log(`${kind}: ${each(sum.file)} bytes, ${bodies.size} of ${hosts} differ`);
  console.log(`  packed ${each(sum.packed)} a host, shared ${each(shared)}`);
}
console.log(`all: packed ${Math.round(total.packed / HOSTS)} a host, shared ${Math.round(total.shared / HOSTS)}`);
