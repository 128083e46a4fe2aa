// The reference: a loop that fetches and parses, and does nothing else. undici's dispatcher, gunzip in one call,
// htmlparser2, a Set of seen URLs, first in first out; no robots.txt, no frontier, no politeness, no log, no output.
// Usage: node bare-loop.mjs PORT HOSTS PAGES [dom] (as a child process); `dom`: cheerio instead of htmlparser2.

import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { Agent } from 'undici';
import { createWeb } from './web.mjs';

/** The package whose cheerio is used: the same copy for both. */
const core = new URL('../../../packages/core/package.json', import.meta.url);
const IN_FLIGHT = 64;
const [port, hosts, pages] = process.argv.slice(2, 5).map(Number);
const cheerio = process.argv[5] === 'dom' ? createRequire(core)('cheerio') : null;
const web = createWeb({ hosts, pages, port });
const scope = new Set(web.hostNames);
const agent = new Agent({
  connections: 8,
  connect: { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
});
const seen = new Set();
const queue = [];
let [next, inFlight, parsed, hrefs] = [0, 0, 0, 0];

function parsedUrl(href, base) {
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

function push(href, base) {
  const url = parsedUrl(href, base);
  if (url === null) return;
  if (url.protocol !== 'http:' || !scope.has(url.hostname) || url.pathname.startsWith('/private/')) return;
  url.hash = '';
  if (seen.has(url.href)) return;
  seen.add(url.href);
  queue.push(url.href);
}

function read(url, html) {
  const { title, found } = cheerio === null ? byParser(html) : byDocument(html);
  parsed += 1;
  hrefs += found.length;
  for (const href of found) push(href, url);
  return title;
}

function byDocument(html) {
  const $ = cheerio.load(html);
  const found = [];
  $('a[href]').each((_, { attribs }) => {
    found.push(attribs.href);
  });
  return { title: $('title').first().text(), found };
}

function byParser(html) {
  let title = '';
  let isInTitle = false;
  const found = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'a' && attributes.href !== undefined) found.push(attributes.href);
      if (name === 'title') isInTitle = true;
    },
    ontext(text) {
      if (isInTitle) title += text;
    },
    onclosetag(name) {
      if (name === 'title') isInTitle = false;
    },
  });
  parser.end(html);
  return { title, found };
}

function fetchOne(url, ended) {
  const { origin, pathname, search } = new URL(url);
  const chunks = [];
  agent.dispatch(
    {
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { 'accept-encoding': 'gzip', 'user-agent': 'bare-loop/1' },
    },
    {
      onConnect: () => undefined,
      onHeaders: () => true,
      onData(chunk) {
        chunks.push(chunk);
        return true;
      },
      onComplete() {
        read(url, gunzipSync(Buffer.concat(chunks)).toString('utf8'));
        ended();
      },
      onError(error) {
        throw error;
      },
    },
  );
}

await new Promise((resolve) => {
  const pump = () => {
    while (inFlight < IN_FLIGHT && next < queue.length) {
      inFlight += 1;
      fetchOne(queue[next++], () => {
        inFlight -= 1;
        pump();
      });
    }
    if (inFlight === 0 && next === queue.length) resolve();
  };
  for (const seed of web.seeds) push(seed);
  pump();
});
const { user, system } = process.cpuUsage();
process.send({ pages: parsed, hrefs, cpuUs: user + system, maxRssKb: process.resourceUsage().maxRSS });
process.disconnect();
await agent.close();
