// No page on the web can make a crawl connect to its operator's network: in any notation, by any name, whatever the
// name resolves to next. The evidence: servers that listen inside, and every connection that this process attempts.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OUTSIDE = '127.0.0.1';
const INSIDE = '127.0.0.2';

/** Hosts as a link or a redirect may write them; all of them are internal. */
const LITERALS: readonly string[] = [
  // loopback, where a server listens: decimal, short, octal, hexadecimal, mixed, dotted, encoded, wide
  '127.0.0.2',
  '127.2',
  '127.0.2',
  '2130706434',
  '0x7f000002',
  '0x7f.0.0.2',
  '0x7f.0x0.0x0.0x2',
  '017700000002',
  '0177.0.0.2',
  '0177.0.0x0.2',
  '00000177.0.0.2',
  '127.0.0.2.',
  '%31%32%37.0.0.2',
  '127%2e0%2e0%2e2',
  '①②⑦.0.0.2',
  '１２７.０.０.２',
  '127。0。0。2',
  '127｡0｡0｡2',
  'UPPER-CASE.TEST',
  'user:pass@127.0.0.2',
  'open.test@127.0.0.2',
  // loopback over IPv6, and IPv4 inside it
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[0:0:0:0:0:ffff:7f00:0002]',
  '[::127.0.0.2]',
  '[::ffff:0:127.0.0.2]',
  '[64:ff9b::127.0.0.2]',
  '[64:ff9b:1::127.0.0.2]',
  '[2002:7f00:2::]',
  '[2001:0:7f00:2::80ff:fffd]',
  // this machine by another name
  '0',
  '0.0.0.0',
  '0x0',
  '[::]',
  // private, shared, link-local, metadata
  '10.0.0.1',
  '167772161',
  '172.16.0.1',
  '192.168.0.1',
  '0xc0a80001',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0251.0376.0251.0376',
  '168.63.129.16',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  // addresses that are not public unicast
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
];

/** Names, and what they resolve to: at first, and at every later lookup. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'open.test': [[OUTSIDE]],
  'inside.test': [[INSIDE]],
  'inside.test.': [[INSIDE]],
  'six.test': [['::1']],
  'mapped.test': [['::ffff:127.0.0.2']],
  'translated.test': [['64:ff9b::7f00:2']],
  'both.test': [[OUTSIDE, INSIDE]],
  'both-families.test': [[OUTSIDE, '::1']],
  'zone.test': [['fe80::1%lo']],
  'short.test': [['127.2']],
  'metadata.test': [['169.254.169.254']],
  'unspecified.test': [['0.0.0.0']],
  localhost: [[INSIDE]],
  'deep.localhost': [[INSIDE]],
  'printer.local': [[INSIDE]],
  'db.internal': [[INSIDE]],
  // Outside for its robots.txt, inside for its pages: the crawl connects to the address that was judged.
  'rebinds.test': [[OUTSIDE], [INSIDE]],
};

/** A server that nothing may connect to; counts the attempts. `null` if this machine has no such address. */
async function listenInside(host: string, port: number): Promise<{ port: number; connections: () => number } | null> {
  let connections = 0;
  const server = createServer((socket) => {
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

/** The addresses to which this process connects, until the test has finished. */
function watchAttempts(): Set<string> {
  const attempts = new Set<string>();
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string) => attempts.add(address));
  };
  subscribe('net.client.socket', onSocket);
  onTestFinished(() => {
    unsubscribe('net.client.socket', onSocket);
  });
  return attempts;
}

it('no connection to an internal address, and everything outside is still fetched', async () => {
  const inside = await listenInside(INSIDE, 0);
  if (inside === null) throw new Error(`cannot listen on ${INSIDE}`);
  const insideSix = await listenInside('::1', inside.port);
  const attempts = watchAttempts();

  const forbidden = [...LITERALS, ...Object.keys(NAMES).filter((name) => !/^(open|rebinds)\.test$/.test(name))];
  expect(forbidden.length).toBeGreaterThanOrEqual(40);
  const targets = [...forbidden, 'inside.test'].map((host, at) => `http://${host}:${inside.port}/secret-${at}`);
  const hops = targets.map((_, at) => `/hop-${at}`);
  const routes: Routes = {
    '/robots.txt': text('User-agent: *\nDisallow:\n'),
    '/': page('start', [...targets, ...hops, '/last']),
    '/last': page('last'),
    // Raw UTF-8 in the field, as careless servers send it.
    ...Object.fromEntries(
      targets.map((target, at) => [`/hop-${at}`, redirect(Buffer.from(target).toString('latin1'))]),
    ),
  };
  const web = await webForTest({
    hosts: {
      'open.test': routes,
      'rebinds.test': { '/robots.txt': text(''), '/': page('a', ['/b']), '/b': page('b') },
    },
  });
  // The links keep their user names and passwords; a seed with one would be refused before any request.
  const seeds = [web.url('open.test'), web.url('rebinds.test'), ...targets.map((url) => url.replace(/\/\/.*@/, '//'))];
  const lookups = new Map<string, number>();
  const story = await crawl({
    seeds,
    scope: { seeds, within: 'list', hosts: [...new Set(seeds.map((url) => new URL(url).hostname))] },
    network: {
      allowAddresses: [`${OUTSIDE}/32`],
      ports: 'any',
      resolve: async (name) => {
        const before = lookups.get(name) ?? 0;
        lookups.set(name, before + 1);
        const answers = NAMES[name] ?? [[INSIDE]];
        return answers[Math.min(before, answers.length - 1)] ?? [];
      },
    },
  });

  // It waits for no robots.txt that it will never fetch.
  expect(story.report.state).toBe('finished');
  expect(inside.connections()).toBe(0);
  expect(insideSix?.connections() ?? 0).toBe(0);
  // The sockets of the crawl and of the tests connected to this address only.
  expect([...attempts]).toEqual([OUTSIDE]);
  expect(story.requests.filter(({ remoteAddress }) => remoteAddress !== OUTSIDE)).toEqual([]);
  expect([...lookups.values()].filter((times) => times > 1)).toEqual([]);

  // Everything outside was fetched: the pages, and every redirect up to its target.
  expect(web.paths('open.test').sort()).toEqual(['/', '/last', '/robots.txt', ...hops].sort());
  expect(web.paths('rebinds.test').sort()).toEqual(['/', '/b', '/robots.txt']);
  // Each target has a decision, and the guard made it.
  const verdicts = new Map(story.decisions.map(({ url, status, reason }) => [url, `${status} ${reason}`]));
  for (const target of targets) {
    const clean = new URL(target);
    clean.username = '';
    clean.password = '';
    const verdict = verdicts.get(clean.href) ?? verdicts.get(new URL(target).href);
    expect(`${target}: ${verdict}`).toBe(`${target}: dropped address-forbidden`);
  }
});

it('no connection by the hops of robots.txt', async () => {
  const inside = await listenInside(INSIDE, 0);
  if (inside === null) throw new Error(`cannot listen on ${INSIDE}`);
  const attempts = watchAttempts();
  const names = ['hops-1.test', 'hops-2.test', 'hops-3.test', 'hops-4.test'];
  const spelt = ['127.0.0.2', '0x7f000002', '[::ffff:127.0.0.2]', 'inside.test'];
  const web = await webForTest({
    hosts: Object.fromEntries(
      names.map((name, at) => [
        name,
        {
          '/robots.txt': redirect(`http://${spelt[at]}:${inside.port}/robots.txt`),
          '/': page('never asked for'),
        },
      ]),
    ),
  });
  const story = await crawl({
    seeds: names.map((name) => web.url(name)),
    network: { allowAddresses: [`${OUTSIDE}/32`], resolve: async (name) => [names.includes(name) ? OUTSIDE : INSIDE] },
  });
  expect(inside.connections()).toBe(0);
  expect([...attempts]).toEqual([OUTSIDE]);
  // The robots.txt is not known, so no page of these hosts was requested.
  for (const name of names) expect(web.paths(name)).toEqual(['/robots.txt']);
  expect(new Set(story.decisions.map(({ status }) => status))).toEqual(new Set(['held']));
});

it('no connection by requests of a handler', async () => {
  const inside = await listenInside(INSIDE, 0);
  if (inside === null) throw new Error(`cannot listen on ${INSIDE}`);
  const attempts = watchAttempts();
  const web = await webForTest({ hosts: { 'open.test': { '/robots.txt': text(''), '/': page('start') } } });
  const targets = [
    '127.0.0.2',
    '0x7f000002',
    '[::ffff:127.0.0.2]',
    '[64:ff9b::7f00:2]',
    '169.254.169.254',
    'inside.test',
  ].map((host) => `http://${host}:${inside.port}/secret`);
  const answers: string[] = [];
  const story = await crawl({
    seeds: [web.url('open.test')],
    scope: {
      seeds: [web.url('open.test')],
      within: 'list',
      hosts: ['open.test', ...targets.map((url) => new URL(url).hostname)],
    },
    network: { allowAddresses: [`${OUTSIDE}/32`], resolve: async (name) => [name === 'open.test' ? OUTSIDE : INSIDE] },
    handlers: (crawler) =>
      crawler.on('html', async (one) => {
        for (const url of targets) answers.push((await one.fetch(url, { waitMs: 5_000 })).kind);
      }),
  });
  expect(answers).toEqual(targets.map(() => 'dropped'));
  expect(inside.connections()).toBe(0);
  expect([...attempts]).toEqual([OUTSIDE]);
  expect(story.requests.every(({ remoteAddress }) => remoteAddress === OUTSIDE)).toBe(true);
});
