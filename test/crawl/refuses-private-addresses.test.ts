// A page on the web cannot make a crawl reach hosts behind its operator's firewall: not by a link, a redirect or a
// robots.txt, in any notation and by any name. The evidence is a server that listens inside.

import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const INSIDE = '127.0.0.2';

/** A server that nothing may connect to; counts the attempts. */
async function listenInside(host: string, port: number): Promise<{ port: number; connections: () => number } | null> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
  if (!isListening) return null;
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** Spellings of the internal host, as a link may write them. */
const SPELLINGS: readonly string[] = [
  '127.0.0.2',
  '127.2',
  '0x7f.0.0.2',
  '0x7f000002',
  '2130706434',
  '0177.0.0.2',
  '017700000002',
  '127.0.0.2.',
  '%31%32%37.0.0.2',
  '①②⑦.0.0.2',
  'user:pass@127.0.0.2',
  'open.test@127.0.0.2',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[::127.0.0.2]',
  '[64:ff9b::127.0.0.2]',
  '[2002:7f00:2::]',
  'inside.test',
  'inside.test.',
  'INSIDE.TEST',
  'inside-six.test',
  'inside-mapped.test',
  'mixed.test',
  'localhost',
];

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'open.test': ['127.0.0.1'],
  'moves-robots.test': ['127.0.0.1'],
  'inside-six.test': ['::1'],
  'inside-mapped.test': ['::ffff:127.0.0.2'],
  'mixed.test': ['127.0.0.1', INSIDE],
};

it('no connection to an internal address, and everything outside is still fetched', async () => {
  const inside = await listenInside(INSIDE, 0);
  if (inside === null) throw new Error(`cannot listen on ${INSIDE}`);
  const insideSix = await listenInside('::1', inside.port);
  const links = SPELLINGS.map((host, index) => `http://${host}:${inside.port}/secret-${index}`);
  const web = await webForTest({
    hosts: {
      'open.test': {
        '/robots.txt': text('User-agent: *\nDisallow:\n'),
        '/': page('start', [...links, '/hop-1', '/hop-2', '/last']),
        '/hop-1': redirect(`http://${INSIDE}:${inside.port}/from-redirect`),
        '/hop-2': redirect(`http://inside.test:${inside.port}/from-redirect`),
        '/last': page('last', []),
      },
      'moves-robots.test': { '/robots.txt': redirect(`http://${INSIDE}:${inside.port}/robots.txt`) },
    },
  });
  const hosts = [...links, web.url('open.test'), web.url('moves-robots.test')].map((url) => new URL(url).hostname);
  const story = await crawl({
    seeds: [web.url('open.test'), web.url('moves-robots.test')],
    scope: { seeds: [web.url('open.test'), web.url('moves-robots.test')], within: 'list', hosts: [...new Set(hosts)] },
    network: {
      allowAddresses: ['127.0.0.1/32'],
      ports: 'any',
      resolve: async (name) => NAMES[name] ?? [INSIDE],
    },
  });
  expect(web.paths('open.test').sort()).toEqual(['/', '/hop-1', '/hop-2', '/last', '/robots.txt']);
  expect(inside.connections()).toBe(0);
  if (insideSix !== null) expect(insideSix.connections()).toBe(0);
  expect(story.requests.filter(({ remoteAddress }) => remoteAddress !== '127.0.0.1')).toEqual([]);
  const fetched = story.decisions.filter(({ status }) => status === 'fetched').map(({ url }) => new URL(url).hostname);
  expect([...new Set(fetched)]).toEqual(['open.test']);
});

it('a name that changes to an internal address during the crawl is not connected to', async () => {
  const inside = await listenInside(INSIDE, 0);
  if (inside === null) throw new Error(`cannot listen on ${INSIDE}`);
  let lookups = 0;
  const web = await webForTest({
    hosts: {
      'moving.test': { '/robots.txt': text(''), '/': page('a', ['/b', '/c']), '/b': page('b'), '/c': page('c') },
    },
  });
  await crawl({
    seeds: [web.url('moving.test')],
    network: {
      allowAddresses: ['127.0.0.1/32'],
      // A second lookup of the name returns the internal address.
      resolve: async () => {
        lookups += 1;
        return [lookups === 1 ? '127.0.0.1' : INSIDE];
      },
    },
  });
  expect(lookups).toBe(1);
  expect(inside.connections()).toBe(0);
  expect(web.paths('moving.test').sort()).toEqual(['/', '/b', '/c', '/robots.txt']);
});
