// Every reader of other people's bytes, fed hostile units N, 2N and 4N times: its work grows as its input does. The
// table is where a new reader is added. What is measured is the processor's time, the least of many rounds.

import { parseUrlParts } from '@mannerly/frontier/internal';
import { compileRules, matchesPattern, parseRobots } from '@mannerly/robots';
import { parseRetryAfter } from '@mannerly/robots/access';
import { parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { diagnose } from '@mannerly/robots/diagnostics';
import { parseTdmRep, readPageSignals, tdmForUrl } from '@mannerly/robots/page';
import { describe, expect, it } from 'vitest';
import { likenessOf } from './admit/page-likeness.js';
import { readSurts } from './admit/url-pattern.js';
import { parseResponseHead } from './archive/http-head.js';
import { decodeText } from './fetch/charset.js';
import { parseContentEncoding } from './fetch/content-coding.js';
import { Cookies, jarMaker } from './fetch/cookies.js';
import { safeName } from './handle/save.js';
import { readHtml, utf8Page } from './page/html.js';
import { resolveLinks } from './page/links.js';
import { excerptOf } from './page/page.js';
import { parseRefresh } from './page/redirect.js';
import { SitemapReader } from './page/sitemap.js';
import { jsonForScript } from './report/page/write-report.js';
import { printable } from './report/table.js';

const URL_A = 'https://a.example/';
const TOKENS = ['examplebot'];
/** Bytes at N: long enough that a square at 4N shows, short enough for all of them. */
const BYTES = 8_192;
/** The most by which work may grow where the input doubles. */
const MOST_GROWTH = 2.3;
/** Milliseconds that say nothing: the engine's own work. */
const LEAST_MS = 5;
/** Milliseconds that 4N may take: what is square up to a limit and flat beyond it does not grow either. */
const MOST_MS = 100;
const ROUNDS = 24;

const rulesOf = (file: Buffer) =>
  compileRules(parseRobots(file, { robotsUrl: `${URL_A}robots.txt` }), { tokens: TOKENS });
const lineOf = (text: string) => text.replace(/[\r\n\0]/g, ' ');
const signalsOf = (name: string) => (bytes: Buffer) =>
  readPageSignals({ url: URL_A, tokens: TOKENS, headers: [[name, lineOf(bytes.toString('latin1'))]] });
const sitemapOf = (start: string) => (bytes: Buffer) => {
  const reader = new SitemapReader(URL_A);
  reader.write(start + bytes.toString('latin1'));
  return reader.end();
};
const tdmOf = (location: string) =>
  tdmForUrl(parseTdmRep([{ location, 'tdm-reservation': 1 }], URL_A), URL_A + location);

type Reader = readonly [name: string, read: (bytes: Buffer) => unknown, own?: readonly string[]];

const units = (...lines: readonly string[]): readonly string[] => lines.join('¦').split('¦');

/** Units for every reader. */
const UNITS = units(
  ' ¦\t¦\n¦\r¦\0¦\xff¦\xc2\xa0¦a¦a ¦%¦%41¦<¦<a>¦"¦\'¦\\¦/¦../¦.¦*¦*a¦,¦;¦;a=¦=¦:¦(¦&¦&#¦?¦-¦0',
  'a=b&¦a:b\n¦a, "b\\',
);
const TAGS = units(
  '<script>¦<style>¦<SCRIPT>¦<Script >¦<img src¦<img ¦<!--¦<!-¦</¦<svg><desc>¦<template>¦<p ¦<p =a ¦<a href=x>¦<a href="',
  '<title>¦<script><!--¦<svg></b><g>¦<svg><![CDATA[¦<meta charset=¦<meta name=robots content="a,b">¦<base href=x>',
  '<link rel=a href=b>¦<?¦&amp;¦&a',
);
const LINES = units(
  'User-agent: a\n¦Allow: /*\n¦Disallow: /a*b$\n¦Clean-param: a&b /*c\n¦a:b\n¦\xff\n¦x\n¦User-agent: ¦Sitemap: a\n',
  'http://a\n¦Disallow /\n¦Crawl-dela: 1\n¦#¦ #\n¦Comment: a\n¦Content-Usage: /a a=n\n¦Request-rate: 1/1\n',
  'Visit-time: 0600-0700\n¦\xe2\x80\x91¦Host: a\n',
);

const READERS: readonly Reader[] = [
  ['HTML', (bytes) => readHtml(utf8Page(bytes)), TAGS],
  ['HTML as text', (bytes) => readHtml(bytes.toString('latin1')), TAGS],
  ['links', (bytes) => resolveLinks(readHtml(utf8Page(bytes)), URL_A), TAGS],
  [
    'one link',
    (bytes) => resolveLinks(readHtml(`<a href="${bytes.toString('latin1').slice(0, 16_000)}">`), URL_A),
    ['a/'],
  ],
  ['robots metas', (bytes) => signalsOfMetas(bytes), ['noindex,', 'unavailable_after:', 'max-snippet: 1,', 'a b,']],
  ['likeness', likenessOf, TAGS],
  ['excerpt', (bytes) => excerptOf(bytes.toString('latin1'), 300, 200), ['a\n ']],
  ['charset', (bytes) => decodeText(bytes, null, 'html'), TAGS],
  [
    'charset of a field',
    (bytes) => decodeText(bytes.subarray(0, 9), lineOf(bytes.toString('latin1')), 'text'),
    ['charset='],
  ],
  ['robots.txt', (bytes) => rulesOf(bytes).isAllowed('/a/b'), LINES],
  ['robots.txt, all views', (bytes) => rulesOf(bytes).document.fields.length, LINES],
  ['robots.txt, diagnostics', (bytes) => diagnose(parseRobots(bytes)), LINES],
  ['robots pattern', (bytes) => matchesPattern(`/*${bytes.toString('latin1')}`, `/${bytes.toString('latin1')}`)],
  [
    'robots pattern that nearly occurs',
    // A stretch of half the length, and a text in which it begins at every place.
    (bytes) => matchesPattern(`/*b${bytes.toString('latin1', 0, bytes.length / 2)}b`, `/${bytes.toString('latin1')}`),
  ],
  [
    'robots rules that nearly occur',
    (bytes) =>
      rulesOf(Buffer.from(`User-agent: *\nDisallow: /*${bytes.toString('latin1', 0, 999)}b`)).isAllowed(
        `/${bytes.toString('latin1', 0, 8_000)}`,
      ),
  ],
  ['Clean-param', (bytes) => dedupeKey(parseRobots(bytes), `${URL_A}${'%C3%A4'.repeat(300)}?b=1&c=2`), LINES],
  ['Clean-param, query', (bytes) => dedupeKey(CLEANED, `${URL_A}?${bytes.toString('latin1')}`)],
  [
    'data.txt',
    (bytes) => {
      const half = bytes.length / 2;
      const text = `${'User-agent: a\n'.repeat(half / 14)}${'- p: /a\n'.repeat(half / 8)}`;
      return [viewDataTxt(parseDataTxt(text), TOKENS), viewDataTxt(parseDataTxt(bytes), TOKENS).decide(`${URL_A}a`)];
    },
    ['- path: /a\n', 'User-agent: a\n', 'Disallow: /a\n', '---\n', 'path: a\n', '- '],
  ],
  ['tdmrep.json', (bytes) => tdmOf(`/${bytes.toString('latin1')}`)],
  [
    'sitemap',
    sitemapOf('<urlset>'),
    ['<url><loc>', '<url><loc>https://a.example/</loc></url>', '<!--', '<a ', '&amp;', '<a b="'],
  ],
  [
    'feed',
    sitemapOf('<rss><channel>'),
    ['<item><link>', '<item><link>/a</link></item>', '<![CDATA[', ']]>', '<item>', '&lt;'],
  ],
  ['list of URLs', sitemapOf('https://a.example/\n'), ['https://a.example/\n', 'x\n', 'https:']],
  ['Link', signalsOf('link'), ['<a>;', '<a>; rel="b",', '<a>;rel=b;']],
  [
    'X-Robots-Tag',
    signalsOf('x-robots-tag'),
    ['noindex,', 'a: b,', 'unavailable_after:', 'unavailable_after: 1 Jan 2026, '],
  ],
  ['Robots-Tag', signalsOf('robots-tag'), ['*=noindex;', 'a=b;']],
  ['Content-Usage', signalsOf('content-usage'), ['a=y,', 'a=(b ', 'a;b=1']],
  ['Content-Signal', signalsOf('content-signal'), ['use=full,', 'search=yes,']],
  ['TDM-Policy', signalsOf('tdm-policy')],
  ['Retry-After', (bytes) => parseRetryAfter(bytes.toString('latin1'), 0), ['1 Jan ']],
  ['Content-Encoding', (bytes) => parseContentEncoding(bytes.toString('latin1')), ['gzip,']],
  ['meta refresh', (bytes) => parseRefresh(`0${bytes.toString('latin1')}`), ['url', ';url', 'url =', "0;url='"]],
  ['URL', (bytes) => parseUrlParts(`https://${bytes.toString('latin1')}`), ['a.', 'a@', '1.', '[']],
  ['SURT', (bytes) => SURTS(parseUrlParts(`https://a.example/${bytes.toString('latin1')}`)!), ['a/']],
  [
    'head of a kept response',
    (bytes) => parseResponseHead(Buffer.concat([STATUS, bytes])),
    ['a: b\r\n', '\r\n ', 'a:\n'],
  ],
  ['name of a file', (bytes) => safeName(bytes.toString('latin1')), ['. ', 'CON.', '%2e', 'a/']],
  ['data of the report page', (bytes) => jsonForScript({ text: bytes.toString('latin1') }), ['</script>']],
  ['text on the dashboard', (bytes) => printable(bytes.toString('latin1'), 200), ['\x1b[', '\u202e']],
];

const CLEANED = parseRobots(Array.from({ length: 500 }, (_, at) => `Clean-param: a&b${at} /*${at}`).join('\n'));
const SURTS = readSurts('scope.surts', ['https://(example,a,)/']);
const STATUS = Buffer.from('HTTP/1.1 200 OK\r\n');

function signalsOfMetas(bytes: Buffer): unknown {
  const content = bytes.toString('latin1');
  const metas = [content, content.slice(9), content.slice(19)].map((each) => ({ name: 'robots', content: each }));
  return readPageSignals({ url: URL_A, tokens: TOKENS, headers: [], metas });
}

/** The least processor time of a call over some rounds, milliseconds. */
function costMs(
  read: (bytes: Buffer) => unknown,
  bytes: Buffer,
  rounds: number,
  known = Number.POSITIVE_INFINITY,
): number {
  let leastMs = known;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    read(bytes);
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1_000);
  }
  return leastMs;
}

/** Why the work of a reader for a unit is more than linear, or `null`. */
function faultOf(read: (bytes: Buffer) => unknown, unit: string): string | null {
  const input = (times: number) => {
    const count = Math.floor((times * BYTES) / unit.length);
    return Buffer.from(`a${unit.repeat(count)}x`, 'latin1');
  };
  const inputs = [input(1), input(2), input(4)] as const;
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [
    number,
    number,
    number,
  ];
  let fault: string | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    costs[2] = costMs(read, inputs[2], 1, costs[2]);
    if (costs[2] < LEAST_MS) return null;
    if (costs[2] > 10 * MOST_MS) return `${JSON.stringify(unit)}: ${costs[2].toFixed(0)} ms`;
    costs[0] = costMs(read, inputs[0], 3, costs[0]);
    costs[1] = costMs(read, inputs[1], 2, costs[1]);
    if (costs[2] <= Math.min(MOST_GROWTH ** 2 * costs[0] + LEAST_MS, MOST_MS)) return null;
    fault = `${JSON.stringify(unit)}: ${costs.map((ms) => ms.toFixed(1)).join(', ')} ms`;
  }
  return fault;
}

describe('work grows no faster than the input', () => {
  it.each(READERS.map(([name, read, own = []]) => ({ name, read, fed: [...UNITS, ...own] })))(
    '$name',
    { timeout: 120_000 },
    ({ read, fed }) => {
      // The first is enough: each may take long.
      for (const unit of fed) expect(faultOf(read, unit)).toBeNull();
    },
  );

  it('cookies', async () => {
    const makeJar = (await jarMaker('usual'))!;
    const keep = async (lines: number): Promise<number> => {
      const cookies = new Cookies(makeJar);
      const headers = Array.from({ length: lines }, (_, at) => ['set-cookie', `a${at}=${'b;'.repeat(500)}`] as const);
      const before = process.cpuUsage();
      await cookies.keep(new URL(URL_A), 'page', headers);
      await cookies.valueFor(new URL(URL_A), 'page');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const costs = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.few = Math.min(costs.few, await keep(500));
      costs.many = Math.min(costs.many, await keep(2_000));
    }
    expect(Math.sqrt(costs.many / Math.max(costs.few, LEAST_MS))).toBeLessThan(MOST_GROWTH);
  });
});

/** What is linear and dear: next to what the platform takes to cut the same bytes into pieces, with a wide margin. */
const DEAR: readonly (readonly [string, read: (bytes: Buffer) => unknown, piece: string, most: number])[] = [
  ['robots metas', signalsOfMetas, 'a,', 10],
  ['lines of robots.txt that are no UTF-8', parseRobots, '\xff\n', 75],
  ['Clean-param lines', (bytes) => dedupeKey(parseRobots(bytes), LONG_LINK), 'Clean-param: a /a\n', 300],
];
const LONG_LINK = `${URL_A}${'%C3%A4'.repeat(300)}?b=1`;

describe('a byte costs little more than it must', () => {
  it.each(DEAR)('%s', (_, read, piece, most) => {
    const bytes = Buffer.from(piece.repeat(200_000 / piece.length), 'latin1');
    const cut = (text: Buffer) =>
      text
        .toString('latin1')
        .split(piece.at(-1)!)
        .map((each) => each.trim()).length;
    let [readMs, cutMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round += 1) {
      readMs = costMs(read, bytes, 1, readMs);
      cutMs = costMs(cut, bytes, 2, cutMs);
    }
    expect(readMs / cutMs).toBeLessThan(most);
  });
});

describe('the measure', () => {
  it('finds a square', () => {
    const square = (bytes: Buffer) => {
      let sum = 0;
      for (let at = 0; at < bytes.length; at += 1) for (let to = 0; to < at; to += 16) sum += bytes[to]!;
      return sum;
    };
    expect(faultOf(square, 'a')).toMatch(/ ms$/);
  });
});
