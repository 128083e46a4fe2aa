// Every reader of foreign bytes, in one table for the tests of growth and for the fuzzer. A new reader needs a new row.
// No reader throws.

import { parseUrlParts } from '@mannerly/frontier/internal';
import { compileRules, parseRobots } from '@mannerly/robots';
import { decodeAccess, nextHop, parseRetryAfter, resolveAccessOptions } from '@mannerly/robots/access';
import { parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { diagnose } from '@mannerly/robots/diagnostics';
import { explain } from '@mannerly/robots/explain';
import { matchesPattern } from '@mannerly/robots/matches-pattern';
import { parseTdmRep, readPageSignals, tdmForUrl } from '@mannerly/robots/page';
import { simhashOf } from '../src/admit/near-duplicates.js';
import { pageFingerprint } from '../src/admit/page-fingerprint.js';
import { groupsOf } from '../src/admit/trap-rules.js';
import { readSurts } from '../src/admit/url-pattern.js';
import { parseCdxjLine } from '../src/archive/cdxj.js';
import { parseResponseHead } from '../src/archive/http-head.js';
import { parseContentEncoding } from '../src/fetch/content-coding.js';
import { Cookies, createJarFactory } from '../src/fetch/cookies.js';
import { safeName } from '../src/handle/save.js';
import { readLicenseDocument } from '../src/licensing/license-document.js';
import { assessLicenses } from '../src/licensing/license-terms.js';
import { decodeText } from '../src/page/charset.js';
import { contentOf } from '../src/page/content-kind.js';
import { readHtml, utf8Page } from '../src/page/html.js';
import { resolveLinks } from '../src/page/links.js';
import { excerptOf } from '../src/page/read-page.js';
import { parseRefresh } from '../src/page/redirect.js';
import { cssUrls, htmlRequisites } from '../src/page/requisites.js';
import { SitemapReader } from '../src/page/sitemap.js';
import { redacted } from '../src/redacted.js';
import { jsonForScript } from '../src/report/page/write-report.js';
import { printable } from '../src/report/table.js';
import { parseItem, parseMembers } from '../src/signatures/structured-field.js';
import { verifySignature } from '../src/signatures/verify-signature.js';

const URL_A = 'https://a.example/';
const TOKENS = ['examplebot'];

const rulesOf = (file: Buffer) =>
  compileRules(parseRobots(file, { robotsUrl: `${URL_A}robots.txt` }), { tokens: TOKENS });
const lineOf = (text: string) => text.replace(/[\r\n\0]/g, ' ');
const signalsOf = (name: string) => (bytes: Buffer) =>
  readPageSignals({ url: URL_A, tokens: TOKENS, headers: [[name, lineOf(bytes.toString('latin1'))]] });
const sitemapOf = (start: string) => (bytes: Buffer) => {
  const reader = new SitemapReader(URL_A, () => undefined);
  reader.write(start + bytes.toString('latin1'));
  return reader.end();
};
const tdmOf = (location: string) =>
  tdmForUrl(parseTdmRep([{ location, 'tdm-reservation': 1 }], URL_A), URL_A + location);

/**
 * A reader: its name, the call, and units that are significant to it. It returns an answer or a promise for any bytes.
 */
export type Reader = readonly [name: string, read: (bytes: Buffer) => unknown, own?: readonly string[]];

const units = (...lines: readonly string[]): readonly string[] => lines.join('¦').split('¦');

/** Units for every reader. */
export const UNITS = units(
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

/** The table: synchronous readers. */
export const READERS: readonly Reader[] = [
  ['HTML', (bytes) => readHtml(utf8Page(bytes)), TAGS],
  ['HTML as text', (bytes) => readHtml(bytes.toString('latin1')), TAGS],
  ['links', (bytes) => resolveLinks(readHtml(utf8Page(bytes)), URL_A), TAGS],
  [
    'one link',
    (bytes) => resolveLinks(readHtml(`<a href="${bytes.toString('latin1').slice(0, 16_000)}">`), URL_A),
    ['a/'],
  ],
  [
    'robots metas of two lines',
    (bytes) => signalsOfMetas(Buffer.concat([bytes, Buffer.from('\nx')])),
    ['unavailable_after:'],
  ],
  ['robots metas', (bytes) => signalsOfMetas(bytes), ['noindex,', 'unavailable_after:', 'max-snippet: 1,', 'a b,']],
  ['fingerprint', pageFingerprint, TAGS],
  ['simhash', simhashOf, TAGS],
  [
    'style sheets',
    (bytes) => cssUrls(bytes.toString('latin1'), 1_000),
    units('/*¦*/¦url(¦url("¦)¦@import ¦@import "¦"¦\'¦\\¦\\26 ¦u¦@¦\n¦ ¦a,'),
  ],
  [
    'requisites',
    (bytes) => htmlRequisites(bytes.toString('latin1'), URL_A),
    [
      ...TAGS,
      ...units(
        '<img srcset="a 1x, b¦<link rel=stylesheet href=a>¦<style>url(¦</style>¦<base href=a>¦<p style="¦a, ¦,,',
      ),
    ],
  ],
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
  ['robots.txt, explained', (bytes) => explain(rulesOf(bytes), `${URL_A}a/b?c`).sentence, LINES],
  ['robots.txt, kept', (bytes) => decodeAccess(bytes), ['{"', '[', '":']],
  [
    'redirect of robots.txt',
    (bytes) => nextHop(301, bytes.toString('latin1'), `${URL_A}robots.txt`, [], ACCESS),
    ['a.', 'https://'],
  ],
  ['robots pattern', (bytes) => matchesPattern(`/*${bytes.toString('latin1')}`, `/${bytes.toString('latin1')}`)],
  [
    'robots pattern that nearly occurs',
    // A segment of half the length, and a text in which it starts at every position.
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
    'tdmrep.json, whole',
    (bytes) => tdmForUrl(parseTdmRep(bytes.toString(), URL_A), `${URL_A}a`),
    ['{"location":"/a*","tdm-reservation":1},', '[', '{"":'],
  ],
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
  [
    'licence',
    (bytes) => {
      const text = `<rsl xmlns="https://rslstandard.org/rsl">${bytes.toString('latin1')}`;
      const reading = readLicenseDocument(bytes.length % 2 === 0 ? text : `${text}</rsl>`);
      const user = { purposes: ['ai-train'], party: {}, accepted: [], licensedOrigins: [], isStrict: true } as const;
      return assessLicenses(`${URL_A}a/b?c`, [{ document: URL_A, reading }], user);
    },
    units(
      '<content url="*a*">¦<license>¦<content url="/*a"><license/></content>¦<permits type="usage">¦all ¦</rsl>¦<x>¦<!--',
      '<payment>¦<x xmlns="a">¦<a xmlns:b="c"/>¦<license a="b" a="b"¦,¦<accepts/>¦<legal>a¦<![CDATA[',
    ),
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
  [
    'kind of content',
    (bytes) => contentOf([['content-type', lineOf(bytes.toString('latin1'))]], bytes),
    ['text/html;', '%PDF-', '<?xml ', '<!--'],
  ],
  ['meta refresh', (bytes) => parseRefresh(`0${bytes.toString('latin1')}`), ['url', ';url', 'url =', "0;url='"]],
  ['URL', (bytes) => parseUrlParts(`https://${bytes.toString('latin1')}`), ['a.', 'a@', '1.', '[']],
  [
    'groups of a trap',
    (bytes) => groupsOf(`${URL_A}${bytes.toString('latin1')}/b`, `${URL_A}1/a`),
    ['12', 'a1', '1b '],
  ],
  ['SURT', (bytes) => SURTS(parseUrlParts(`https://a.example/${bytes.toString('latin1')}`)!), ['a/']],
  [
    'head of a kept response',
    (bytes) => parseResponseHead(Buffer.concat([STATUS, bytes])),
    ['a: b\r\n', '\r\n ', 'a:\n'],
  ],
  ['line of an index', (bytes) => parseCdxjLine(bytes.toString('latin1')), ['a,b)/ 2026 {"a":"b"}', '{', '[', '"']],
  [
    'fields of a signature',
    (bytes) => {
      const field = lineOf(bytes.toString('latin1'));
      return [parseItem(field), parseMembers(field), parseMembers(`a=(${field}`)];
    },
    ['a=(', '"a" ', ';a=1', ', ', 'a=("b";c);d=:AA==:, ', '\\"', '%"', '@1', '=?0', '1.1'],
  ],
  [
    'signed request',
    (bytes) => {
      const fields = ['signature', 'signature-input', 'signature-agent'];
      const headers = fields.map((name) => [name, lineOf(bytes.toString('latin1'))] as const);
      return verifySignature({ method: 'GET', url: URL_A, headers }, () => null, { nowMs: 0 });
    },
    ['a=("@authority");created=1;tag="web-bot-auth", ', 'a=:AA==:, ', '"@path" '],
  ],
  ['name of a file', (bytes) => safeName(bytes.toString('latin1')), ['. ', 'CON.', '%2e', 'a/']],
  ['data of the report page', (bytes) => jsonForScript({ text: bytes.toString('latin1') }), ['</script>']],
  [
    'text without passwords',
    (bytes) => redacted(`${bytes.toString('latin1')} a://b@`),
    ['a.', 'a-', 'a://', 'http://a@'],
  ],
  ['text on the dashboard', (bytes) => printable(bytes.toString('latin1'), 200), ['\x1b[', '\u202e']],
];

/** Asynchronous readers. */
export const LATE_READERS: readonly Reader[] = [
  [
    'cookies',
    async (bytes) => {
      const cookies = new Cookies((await createJarFactory('usual', null))!);
      const lines = bytes.toString('latin1').split('\n');
      const headers = lines.map((line) => ['set-cookie', line] as const);
      await cookies.storeFrom(new URL(URL_A), 'page', headers);
      return cookies.valueFor(new URL(URL_A), 'page');
    },
    units('a=b\n¦; Domain=¦; Path=/¦; Expires=Thu, 01 Jan 1970¦; Max-Age=9¦__Host-a=¦; Secure¦; SameSite=Lax'),
  ],
];

const ACCESS = resolveAccessOptions();
const CLEANED = parseRobots(Array.from({ length: 500 }, (_, at) => `Clean-param: a&b${at} /*${at}`).join('\n'));
const SURTS = readSurts('scope.surts', ['https://(example,a,)/']);
const STATUS = Buffer.from('HTTP/1.1 200 OK\r\n');

/** The signals of three metas of one page. */
export function signalsOfMetas(bytes: Buffer): unknown {
  const content = bytes.toString('latin1');
  const metas = [content, content.slice(9), content.slice(19)].map((each) => ({ name: 'robots', content: each }));
  return readPageSignals({ url: URL_A, tokens: TOKENS, headers: [], metas });
}
