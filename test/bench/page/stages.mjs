// The stages between a body and the links for the frontier, and complete parsers that do the same work, each for one
// page; and the cost of a stage per page. It imports built files directly, because the stages are not part of the
// package's interface.

import { createRequire } from 'node:module';
import { canonicalize } from '@mannerly/frontier';
import { parse } from 'parse5';

const core = new URL('../../../packages/core/', import.meta.url);
const built = (file) => import(new URL(`dist/${file}`, core).href);
const { decodeText } = await built('page/charset.js');
const { readHtml, utf8Page } = await built('page/html.js');
const { loadDocument } = await built('page/cheerio.js');
const { resolveLinks } = await built('page/links.js');
const require = createRequire(new URL('package.json', core));
const { Parser } = require('htmlparser2');
const { load } = require('cheerio');

const TYPE = 'text/html; charset=utf-8';

/** A page with the data that later stages need from earlier ones. */
export function preparedPage(url, bytes) {
  const text = decodeText(bytes, TYPE, 'html');
  const facts = readHtml(text);
  return { url, bytes, text, facts, links: resolveLinks(facts, url) };
}

/** Our stages: each returns a number for a prepared page. */
export const OURS = {
  decode: ({ bytes }) => decodeText(bytes, TYPE, 'html').length,
  'facts of a decoded page': ({ text }) => readHtml(text).links.length,
  'facts of a page in UTF-8': ({ bytes }) => readHtml(utf8Page(bytes)).links.length,
  'resolve links': ({ facts, url }) => resolveLinks(facts, url).length,
  'page.$, load and find the links': ({ text }) => loadDocument(text, false)('a[href]').length,
  'canonicalize links': ({ links }) => links.reduce((sum, { url }) => sum + canonicalize(url).length, 0),
};

/** The parsers, likewise. */
export const OTHERS = {
  'htmlparser2, the same facts but rel': ({ text }) => byParser(text),
  'parse5, the tree alone': ({ text }) => parse(text, { scriptingEnabled: false }).childNodes.length,
  'cheerio, load and find the links': ({ text }) => load(text, { scriptingEnabled: false })('a[href]').length,
  'the URL parser for every link': ({ facts, url }) =>
    facts.links.reduce((sum, { href }) => sum + byUrlParser(href, url), 0),
};

/** CPU microseconds per page, the best of many rounds: other work on the machine can only add. */
export function perPage(stage, pages, rounds) {
  let [best, sum] = [Number.POSITIVE_INFINITY, 0];
  for (let round = 0; round < rounds; round += 1) {
    const start = cpuUs();
    for (const page of pages) sum += stage(page);
    best = Math.min(best, (cpuUs() - start) / pages.length);
  }
  // The sum is used, so that the compiler cannot remove a stage.
  if (Number.isNaN(sum)) throw new Error('a stage answered with no number');
  return best;
}

/** CPU microseconds of this process, all threads, so waiting for a busy machine does not count. */
function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What the bare loop of the crawl benchmark gets from its parser, and metas and link elements. */
function byParser(text) {
  const facts = { title: '', base: null, hrefs: [], metas: [] };
  let isInTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'a' || name === 'area') facts.hrefs.push(attributes.href);
      else if (name === 'meta' || name === 'link') facts.metas.push(attributes);
      else if (name === 'base') facts.base ??= attributes.href;
      else if (name === 'title') isInTitle = facts.title === '';
    },
    ontext(piece) {
      if (isInTitle) facts.title += piece;
    },
    onclosetag(name) {
      if (name === 'title') isInTitle = false;
    },
  });
  parser.write(text);
  parser.end();
  return facts.hrefs.length;
}

function byUrlParser(href, base) {
  try {
    return new URL(href, base).href.length;
  } catch {
    return 0; // Not a URL.
  }
}
