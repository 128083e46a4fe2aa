// A site says which parameters change nothing (Clean-param, robots §9.8). At stake: requesting the same page again and
// again in spite of that, also if the file was read only after the URLs had been queued; or not requesting a page
// because another site named its parameter.

import { expect, it } from 'vitest';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });
const FILE = 'User-agent: *\nDisallow: /no\nClean-param: sid&ref /forum\nClean-param: utm\n';

function crawlOf(file: string, robots: Record<string, unknown> = {}) {
  return setUp(make, (address) => (isRobots(address) ? { status: 200, body: file } : { status: 200, body: '' }), {
    robots: { tokens: ['tidepool'], cleanParam: 'dedupe', ...robots },
  });
}

const pages = (requestedUrls: readonly string[]) => requestedUrls.filter((address) => !isRobots(address));

it('URLs queued before the file was read are looked up again under their clean name', async () => {
  const { frontier, work, requestedUrls, verdicts } = crawlOf(FILE);
  await frontier.open();
  const same = [
    'http://a.test/forum?sid=1',
    'http://a.test/forum?sid=2&ref=3',
    'http://a.test/forum',
    'http://a.test/forum?utm=9',
  ];
  await frontier.add([
    ...same.map((each) => url(each)),
    url('http://a.test/shop?sid=1'),
    url('http://a.test/shop?sid=2'),
  ]);
  expect(await work(frontier)).toBe('finished');
  // The requested URLs are those that were found, not their keys.
  expect(pages(requestedUrls()).sort()).toEqual([
    'http://a.test/forum',
    'http://a.test/shop?sid=1',
    'http://a.test/shop?sid=2',
  ]);
  expect(verdicts().map(({ status, reason, detail, url: of }) => `${status} ${reason} ${of} ${detail}`)).toEqual([
    'dropped duplicate http://a.test/forum?sid=1 http://a.test/forum',
    'dropped duplicate http://a.test/forum?sid=2&ref=3 http://a.test/forum',
    'dropped duplicate http://a.test/forum?utm=9 http://a.test/forum',
  ]);
  expect(frontier.counts().queued).toBe(0);
});

it('one of several is requested if the clean URL was never found', async () => {
  const { frontier, work, requestedUrls, verdicts } = crawlOf(FILE);
  await frontier.open();
  await frontier.add(['http://a.test/forum?b=1&sid=1', 'http://a.test/forum?sid=2&b=1'].map((each) => url(each)));
  expect(await work(frontier)).toBe('finished');
  expect(pages(requestedUrls())).toEqual(['http://a.test/forum?b=1&sid=1']);
  expect(verdicts().map(({ reason }) => reason)).toEqual(['duplicate']);
});

it('with cached rules, such URLs are known when they are added', async () => {
  const { frontier, work, requestedUrls, verdicts } = crawlOf(FILE);
  await frontier.open();
  await frontier.add([url('http://a.test/forum')]);
  await work(frontier);
  const answers = await frontier.add(['http://a.test/forum?sid=7', 'http://a.test/forum?x=7'].map((each) => url(each)));
  expect(answers).toEqual([{ kind: 'known' }, { kind: 'new' }]);
  await work(frontier);
  expect(pages(requestedUrls())).toEqual(['http://a.test/forum', 'http://a.test/forum?x=7']);
  expect(verdicts()).toEqual([]);
});

it.each([{ cleanParam: 'expose' }, { cleanParam: undefined }])('%o leaves every URL as it is', async (robots) => {
  const { frontier, work, requestedUrls } = crawlOf(FILE, robots);
  await frontier.open();
  await frontier.add(['http://a.test/forum?sid=1', 'http://a.test/forum?sid=2'].map((each) => url(each)));
  await work(frontier);
  expect(pages(requestedUrls())).toHaveLength(2);
});

it.each([
  ['expose', 'www.a.test', 2],
  ['canonicalize', 'www.a.test', 1],
  ['canonicalize', 'b.test', 2],
  ['canonicalize', 'nota.test', 2],
] as const)('host: %s, Host: %s, a page of two hosts of that site: %d requests', async (host, mirror, requests) => {
  const { frontier, work, requestedUrls } = crawlOf(`User-agent: *\nDisallow: /no\nHost: ${mirror}\n`, { host });
  await frontier.open();
  const other = mirror === 'www.a.test' ? 'www.a.test' : mirror;
  await frontier.add([url('http://a.test/page'), url(`http://${other}/page`)]);
  await work(frontier);
  expect(pages(requestedUrls())).toHaveLength(requests);
});

it.each([
  [{ cleanParam: 'yes' }, '`robots.cleanParam`'],
  [{ host: 'mirror' }, '`robots.host`'],
])('%j is refused with its code', (robots, name) => {
  expect(() => crawlOf(FILE, robots)).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(name) }),
  );
});

it('a further visit is one under the clean name too', async () => {
  const { frontier, work, requestedUrls } = crawlOf(FILE);
  await frontier.open();
  await frontier.add([url('http://a.test/forum')]);
  await work(frontier, 500);
  await frontier.add([url('http://a.test/forum?sid=1', { visit: 1 }), url('http://a.test/forum?sid=2', { visit: 1 })]);
  expect(await work(frontier)).toBe('finished');
  expect(pages(requestedUrls())).toEqual(['http://a.test/forum', 'http://a.test/forum?sid=1']);
});
