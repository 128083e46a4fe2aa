// A whole crawl of ten thousand hosts, with everything on, once all of them have given a page and ask for an hour
// without requests: its CPU time and memory while nothing is due. Usage: node idle.mjs [HOSTS] [SECONDS] (as a child
// process). Its server is another process: node idle.mjs serve

import 'mannerly/v8-flags';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCrawler } from 'mannerly';

if (process.argv[2] === 'serve') serve();
else await measure(...process.argv.slice(2).map(Number));

function serve() {
  const server = createServer((request, response) => {
    const isRobots = request.url === '/robots.txt';
    response.setHeader('connection', 'close');
    response.setHeader('content-type', isRobots ? 'text/plain' : 'text/html');
    response.end(isRobots ? 'User-agent: *\nCrawl-delay: 3600\n' : '<a href="/one">1</a><a href="/two">2</a>');
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('disconnect', () => process.exit(0));
}

async function measure(hosts = 10_000, seconds = 20) {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [port] = await once(server, 'message');
  const out = mkdtempSync(join(tmpdir(), 'mannerly-bench-'));
  const crawler = createCrawler({
    identity: { name: 'mannerly-bench', contact: 'https://example.org/mannerly-bench' },
    scope: { seeds: Array.from({ length: hosts }, (_, host) => `http://h${host}.test:${port}/`), within: 'host' },
    bounds: { pages: 10 * hosts },
    maxIdleMs: 100_000_000,
    network: { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] },
  });
  const over = crawler.run({ out });
  // Every host is asked for its robots.txt, and waits from then on.
  while ((crawler.progress()?.requests ?? 0) < hosts) await pause(200);
  await pause(5_000);
  const [before, sinceMs] = [process.cpuUsage(), performance.now()];
  await pause(1_000 * seconds);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - sinceMs);
  const rssMb = process.memoryUsage.rss() / 1e6;
  crawler.stop();
  await over;
  rmSync(out, { recursive: true, force: true });
  const result = { hosts, share, rssMb };
  if (process.send) process.send(result);
  else console.log(result);
  process.disconnect?.();
  server.disconnect();
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
