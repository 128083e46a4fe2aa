// Documents and sitemaps that fill their limits. They are too large for the one crawl of all scenarios: processes of
// their own fetch them, and measure memory.

import { gzipSync } from 'node:zlib';
import { byPath, floods, type HostileAnswer, responds } from './answers.js';
import type { HostileScenario } from './scenario.js';

const MIB = 1024 * 1024;
const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n';
const XML = 'HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n';
/** They expect nothing of the page: the process is judged. */
const expects = { result: 200, status: 'fetched', reason: 'fetched' } as const;

const names: HostileAnswer = (socket, request) =>
  responds(`Sitemap: ${request.url('/sitemap.xml')}\n`, { headers: ['Content-Type: text/plain'] })(socket, request);

const document = (name: string, does: string, start: string, piece: string): HostileScenario => ({
  name: `document-${name}`,
  does,
  serve: floods(HTML + start, Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))),
  expects,
});

const sitemap = (name: string, does: string, answer: HostileAnswer): HostileScenario => ({
  name: `sitemap-${name}`,
  does,
  robots: names,
  serve: byPath({ '/': responds('<p>start'), '/sitemap.xml': answer }),
  expects,
});

/** Pages up to the limit of a body. */
export const GROWING_DOCUMENTS: readonly HostileScenario[] = [
  document('nested', 'opens elements without end', '', '<div>'),
  document('foreign', 'opens pictures in pictures without end', '', '<svg><foreignObject>'),
  document('links', 'links without end', '', '<a href=/a>'),
  document('attributes', 'has a tag of attributes without end', '<p ', 'a=b '),
  document('attribute', 'has an attribute without end', '<a href="', 'x'),
  document('title', 'has a title without end', '<title>', 'long '),
  document('comment', 'has a comment without end', '<!--', 'x'),
  document('script', 'has a script without end', '<script>', 'x</scrip>'),
  document('references', 'has references without end', '<title>', '&amp;&#x41;'),
  document('metas', 'has metas without end', '', '<meta name=robots content=noindex>'),
];

/** Sitemaps up to their limit. */
export const GROWING_SITEMAPS: readonly HostileScenario[] = [
  sitemap(
    'endless',
    'lists one page without end',
    floods(`${XML}<urlset>`, Buffer.from('<url><loc>/x</loc></url>'.repeat(3_000))),
  ),
  sitemap('endless-nested', 'nests without end', floods(`${XML}<urlset>`, Buffer.from('<a>'.repeat(20_000)))),
  sitemap('endless-text', 'is one line without end', floods(XML, Buffer.alloc(65_536, 'x'))),
  sitemap('bomb', 'is a hundred mebibytes of entries in one', (socket, request) =>
    responds(gzipSync(Buffer.from(`<urlset>${'<url><loc>/x</loc></url>'.repeat((100 * MIB) / 24)}`)), {
      headers: ['Content-Type: application/gzip'],
    })(socket, request),
  ),
];
