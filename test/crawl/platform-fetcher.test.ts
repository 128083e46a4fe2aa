// A crawl with the platform's `fetch` is as polite as any other, says what it cannot guarantee, and works with nock. No
// socket is opened here: nock answers, and refuses unknown requests.

import { createCrawler, createPlatformFetcher, type Fetcher, MannerlyError } from 'mannerly';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';

const HOST = 'http://nocked.test';

beforeEach(() => {
  nock.disableNetConnect();
});

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
  nock.activate();
});

/** One exchange with generous limits. */
async function ask(
  url: string,
  capabilities: { readonly maxBodyBytes?: number; readonly headersTimeoutMs?: number } = {},
) {
  return createPlatformFetcher().fetch({
    url,
    method: 'GET',
    headers: { 'User-Agent': 'test-bot/1.0 (+https://example.org/bot)' },
    address: { address: '127.0.0.1', family: 4 },
    limits: {
      connectTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      maxBodyBytes: 10_000,
      maxEncodedBytes: 20_000,
      ...capabilities,
    },
    mayStart: () => true,
    signal: new AbortController().signal,
  });
}

describe('under nock, the platform fetcher', () => {
  it.each([200, 203, 404, 429, 500, 503])('returns status %d, fields and body', async (status) => {
    nock(HOST).get('/a').query({ b: 'c' }).reply(status, 'why', { 'X-Odd': '1', 'Content-Type': 'text/plain' });
    const outcome = await ask(`${HOST}/a?b=c`);
    expect(outcome).toMatchObject({ kind: 'response', status, truncated: null, remoteAddress: null });
    if (outcome?.kind !== 'response') return;
    expect(Buffer.from(outcome.body).toString()).toBe('why');
    expect(Object.fromEntries(outcome.headers)).toMatchObject({ 'x-odd': '1' });
  });

  it('follows no redirect', async () => {
    const scope = nock(HOST).get('/from').reply(302, '', { Location: '/to' });
    nock(HOST).get('/to').reply(200, 'there');
    expect(await ask(`${HOST}/from`)).toMatchObject({ kind: 'response', status: 302 });
    expect(scope.isDone()).toBe(true);
    expect(nock.pendingMocks()).toEqual([`GET ${HOST}:80/to`]);
  });

  it('cuts a body at the limit', async () => {
    nock(HOST).get('/').reply(200, 'x'.repeat(20_000));
    const outcome = await ask(`${HOST}/`);
    expect(outcome).toMatchObject({ kind: 'response', truncated: 'limit' });
    if (outcome?.kind === 'response') expect(outcome.body.length).toBe(10_000);
  });

  it('ends at the deadline for headers', async () => {
    nock(HOST).get('/').delay(200_000).reply(200, 'late');
    expect(await ask(`${HOST}/`, { headersTimeoutMs: 50 })).toMatchObject({
      kind: 'failed',
      failure: 'timeout-headers',
    });
  });

  it.each([
    ['ECONNRESET', 'reset'],
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'dns'],
  ])('reports %s as %s', async (code, failure) => {
    nock(HOST)
      .get('/')
      .replyWithError(Object.assign(new Error(code), { code }));
    expect(await ask(`${HOST}/`)).toMatchObject({ kind: 'failed', failure });
  });

  it('works for a whole crawl: robots.txt first, its rules obeyed, redirects as separate requests', async () => {
    const site = nock(HOST);
    site.get('/robots.txt').reply(200, 'User-agent: *\nDisallow: /closed\n', { 'Content-Type': 'text/plain' });
    const html = { 'Content-Type': 'text/html' };
    site.get('/').reply(200, '<a href="/next">n</a><a href="/closed">c</a><a href="/moved">m</a>', html);
    site.get('/next').reply(200, '<p>next', html);
    site.get('/moved').reply(301, '', { Location: '/new' });
    site.get('/new').reply(200, '<p>new', html);
    const story = await crawl({
      seeds: [`${HOST}/`],
      fetcher: createPlatformFetcher(),
      network: { allowUnpinnedDns: true },
    });
    expect(story.requests.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      '/',
      '/moved',
      '/new',
      '/next',
      '/robots.txt',
    ]);
    expect(story.decisions.find(({ url }) => url === `${HOST}/closed`)).toMatchObject({ status: 'excluded' });
    expect(nock.pendingMocks()).toEqual([]);
  });
});

describe('a fetcher that does not pin the address', () => {
  const options = (fetcher: Fetcher, allowUnpinnedDns?: boolean) => ({
    identity: { name: 'test-bot', contact: 'https://example.org/our-crawler' },
    scope: { seeds: ['https://example.org/'] },
    bounds: { pages: 1 },
    fetcher,
    ...(allowUnpinnedDns === undefined ? {} : { network: { allowUnpinnedDns } }),
  });

  it('is refused, with a hint, unless the operator allows it', () => {
    const fetcher = createPlatformFetcher();
    expect(() => createCrawler(options(fetcher))).toThrow(MannerlyError);
    expect(() => createCrawler(options(fetcher))).toThrow(
      expect.objectContaining({
        code: 'option-invalid',
        hint: expect.stringContaining('network: { allowUnpinnedDns: true }'),
      }),
    );
    expect(() => createCrawler(options(fetcher, false))).toThrow(MannerlyError);
    expect(() => createCrawler(options(fetcher, true))).not.toThrow();
  });

  it('still gets no request that the guard refuses', async () => {
    const site = nock(/.*/).persist();
    site.get(/.*/).reply(200, 'inside');
    const story = await crawl({
      seeds: ['http://127.0.0.2/', 'http://inside.test/'],
      fetcher: createPlatformFetcher(),
      network: { allowUnpinnedDns: true, allowAddresses: [], resolve: async () => ['127.0.0.1'] },
    });
    expect(story.requests).toEqual([]);
    expect(story.decisions.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'dropped address-forbidden',
      'dropped address-forbidden',
    ]);
  });
});
