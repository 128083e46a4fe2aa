// Serves the synthetic web on one loopback port, host by Host field, compressed once. Configured by its arguments. It
// reports `{ port }` to its parent, and its requests when asked.
// Usage: node server.mjs HOSTS PAGES [SCHEME] (as a child process); SCHEME is that of its links; it never uses TLS

import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createWeb } from './web.mjs';

const [hosts, pages] = process.argv.slice(2, 4).map(Number);
const scheme = process.argv[4] ?? 'http';
const counts = { pages: 0, again: 0, disallowed: 0, other: 0 };
const asked = new Set();
const bodies = new Map();
let web = null;

const server = createServer((request, response) => {
  const name = request.headers.host?.split(':')[0] ?? '';
  const page = web.paths.get(request.url);
  if (request.url === '/robots.txt') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(web.robots);
    return;
  }
  if (page === undefined) {
    counts[request.url.startsWith('/private/') ? 'disallowed' : 'other'] += 1;
    response.writeHead(404).end();
    return;
  }
  const key = name + request.url;
  counts.pages += 1;
  if (asked.has(key)) counts.again += 1;
  asked.add(key);
  const body = bodies.get(key);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': body.length,
  });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  web = createWeb({ hosts, pages, port, scheme });
  for (const [host, name] of web.hostNames.entries()) {
    for (const [path, page] of web.paths) bodies.set(name + path, gzipSync(web.html(host, page), { level: 6 }));
  }
  process.send({ port });
});
process.on('message', (message) => {
  if (message === 'end') process.exit(0);
  process.send({ ...counts, missing: hosts * pages - asked.size });
  Object.assign(counts, { pages: 0, again: 0, disallowed: 0, other: 0 });
  asked.clear();
});
