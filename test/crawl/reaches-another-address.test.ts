// A site with several addresses, of which one is dead, is crawled at another one. If this breaks, such a site is lost,
// and so is every site with IPv4 to a machine that has only IPv6.

import { createServer } from 'node:net';
import { createUndiciFetcher, type Fetcher } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Nothing listens there. */
const [DEAD, ALSO_DEAD] = ['127.0.0.9', '127.0.0.8'];

/** A crawl of one site, and the addresses that its requests went to, the failed ones included. */
async function crawlAt(addresses: readonly string[], seed: (host: string) => string) {
  const connectedTo: string[] = [];
  const ours = createUndiciFetcher();
  const fetcher: Fetcher = {
    ...ours,
    fetch(request) {
      connectedTo.push(request.address.address);
      return ours.fetch(request);
    },
  };
  const story = await crawl({
    seeds: [seed('a.test')],
    fetcher,
    network: { allowAddresses: ['127.0.0.0/8', '::1/128'], resolve: async () => addresses },
    maxIdleMs: 0,
  });
  return { ...story, connectedTo };
}

const HOSTS = { 'a.test': { '/': page('a', ['/b']), '/b': page('b') } };

it('that can be connected to, at once and from then on', async () => {
  const web = await webForTest({ hosts: HOSTS });
  const { report, connectedTo, notices } = await crawlAt([DEAD, '127.0.0.1'], (host) => web.url(host));
  expect(report).toMatchObject({ state: 'finished', pages: 2 });
  expect(connectedTo).toEqual([DEAD, '127.0.0.1', '127.0.0.1', '127.0.0.1']);
  expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/b']);
  expect(notices.map(({ code }) => code)).toEqual(['robots-read']);
});

it('of the other family', async () => {
  const web = await webForTest({ hosts: HOSTS });
  const { report, connectedTo } = await crawlAt(['::1', '127.0.0.1'], (host) => web.url(host));
  expect([report.pages, connectedTo]).toEqual([2, Array.from({ length: 3 }, () => '127.0.0.1')]);
  const six = await crawlAt(['::1', DEAD], (host) => web.url(host));
  expect([six.report.pages, six.connectedTo]).toEqual([0, [DEAD, '::1']]);
});

it('but no more than two per attempt', async () => {
  const web = await webForTest({ hosts: HOSTS });
  const { connectedTo } = await crawlAt([DEAD, ALSO_DEAD, '127.0.0.1'], (host) => web.url(host));
  expect(connectedTo).toEqual([DEAD, ALSO_DEAD]);
});

it('never for a request that was sent', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const { connectedTo } = await crawlAt(['127.0.0.1', DEAD], (host) => `http://${host}:${port}/`);
  expect(connectedTo).toEqual(['127.0.0.1']);
});
