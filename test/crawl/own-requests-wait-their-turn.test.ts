// A request of a handler is like any other: checked by robots.txt, spaced, guarded, logged. A handler that requests
// from its own host does not deadlock.

import type { HandledPage, PageFetch } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { CONTACT, type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Route, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OPEN = text('User-agent: *\nDisallow: /closed\n');

async function run(
  hosts: Readonly<Record<string, Routes>>,
  handler: (page: HandledPage, url: (host: string, path: string) => string) => Promise<void>,
  more: Partial<TestCrawlOptions> = {},
): Promise<CrawlStory & { readonly paths: (host?: string) => string[]; readonly early: unknown }> {
  const web = await webForTest({ hosts });
  const seeds = [web.url('a.test')];
  const story = await crawl({
    seeds,
    scope: { seeds, within: 'list', hosts: Object.keys(hosts) },
    politeness: { profile: { factor: 0, minMs: 30, maxMs: 30 } },
    handlers: (crawler) => crawler.on('html', (each) => handler(each, web.url)),
    ...more,
  });
  const early = judge(web.log, {
    contact: CONTACT,
    rules: Object.fromEntries(Object.keys(hosts).map((host) => [host, { gapMs: 30 }])),
  });
  return { ...story, early, paths: (host = 'a.test') => web.paths(host) };
}

/** Runs a crawl whose first page requests one path. */
async function ask(hosts: Readonly<Record<string, Routes>>, path: string, more: Partial<TestCrawlOptions> = {}) {
  const answers: PageFetch[] = [];
  const story = await run(
    hosts,
    async (each) => {
      if (new URL(each.url).pathname === '/') answers.push(await each.fetch(path, { waitMs: 60_000 }));
    },
    more,
  );
  return { ...story, answer: answers[0] };
}

describe('page.fetch', () => {
  it('of its own host gets its answer, in the host’s slot and before its queue', async () => {
    const bodies: string[] = [];
    const { paths, requests, report, early } = await run(
      {
        'a.test': {
          '/robots.txt': OPEN,
          '/': page('start', ['/1', '/2', '/3']),
          '/data.json': text('{"a":1}'),
          '*': page('x'),
        },
      },
      async (each) => {
        await each.follow();
        if (new URL(each.url).pathname !== '/') return;
        const answer = await each.fetch('data.json');
        if (answer.kind === 'response') bodies.push(new TextDecoder().decode(answer.body));
      },
    );
    expect(bodies).toEqual(['{"a":1}']);
    expect(paths().slice(0, 3)).toEqual(['/robots.txt', '/', '/data.json']);
    expect(requests.map(({ purpose }) => purpose).slice(0, 3)).toEqual(['robots', 'page', 'handler']);
    expect(report.pages).toBe(4);
    expect(early).toEqual(POLITE);
  });

  it('of another host waits for its robots.txt', async () => {
    const seen: string[] = [];
    const { paths, early } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a') }, 'b.test': { '/robots.txt': OPEN, '/api': text('yes') } },
      async (each, url) => {
        for (const path of ['/api', '/closed/x']) seen.push((await each.fetch(url('b.test', path))).kind);
      },
    );
    expect(seen).toEqual(['response', 'excluded']);
    expect(paths('b.test')).toEqual(['/robots.txt', '/api']);
    expect(early).toEqual(POLITE);
  });

  it('by many handlers of one host at once does not deadlock', async () => {
    const links = Array.from({ length: 12 }, (_, at) => `/p${at}`);
    let answers = 0;
    const { report, early } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('start', links), '*': page('x') } },
      async (each) => {
        await each.follow();
        const more = await Promise.all(
          ['/own?1', '/own?2'].map((path) => each.fetch(`${path}&${new URL(each.url).pathname}`)),
        );
        answers += more.filter(({ kind }) => kind === 'response').length;
      },
    );
    expect(report.state).toBe('finished');
    expect(report.pages).toBe(13);
    expect(answers).toBe(26);
    expect(early).toEqual(POLITE);
  });

  it('with a concurrency of one page in all does not deadlock either', async () => {
    const kinds: string[] = [];
    const { report } = await run(
      {
        'a.test': { '/robots.txt': OPEN, '/': page('start', ['/1']), '*': page('x') },
        'b.test': { '/robots.txt': OPEN, '*': text('b') },
      },
      async (each, url) => {
        await each.follow();
        kinds.push((await each.fetch(url('b.test', '/x'))).kind);
      },
      { network: { concurrency: 1 } },
    );
    expect(report.state).toBe('finished');
    expect(kinds).toEqual(['response', 'response']);
  });

  it('is refused with the rule that closes it', async () => {
    const { answer, paths } = await ask(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a'), '*': page('x') } },
      '/closed/x',
    );
    expect(answer).toMatchObject({ kind: 'excluded', reason: 'robots-rule', line: 2, pattern: '/closed' });
    expect(paths()).toEqual(['/robots.txt', '/']);
  });

  it.each([
    ['http://elsewhere.test/', 'out-of-scope'],
    ['javascript:alert(1)', 'url-invalid'],
    [`/${'x'.repeat(10_000)}`, 'url-invalid'],
  ])('of %s is dropped', async (path, reason) => {
    const { answer } = await ask({ 'a.test': { '/robots.txt': OPEN, '/': page('a') } }, path);
    expect(answer).toMatchObject({ kind: 'dropped', reason });
  });

  it('is guarded: there is no connection to an internal address', async () => {
    const { answer } = await ask(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a') }, 'inside.test': { '*': text('secret') } },
      'http://inside.test/',
      {
        network: {
          allowAddresses: ['127.0.0.0/8'],
          resolve: async (name) => [name === 'inside.test' ? '10.0.0.1' : '127.0.0.1'],
        },
      },
    );
    expect(answer).toMatchObject({ kind: 'dropped', reason: 'address-forbidden' });
  });

  it('gets a redirect as its answer, which the handler may follow', async () => {
    const { answer } = await ask(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a'), '/go': redirect('/there') } },
      '/go',
    );
    expect(answer).toMatchObject({ kind: 'response', status: 302 });
  });

  it('gets the failure as its answer, and the host gets its pause', async () => {
    const { answer, early } = await ask(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a'), '/broken': { misbehave: 'reset' } } },
      '/broken',
    );
    expect(answer).toMatchObject({ kind: 'failed', wasSent: true });
    expect(early).toEqual(POLITE);
  });

  const SLOW: Routes = { '/robots.txt': text('User-agent: *\nCrawl-delay: 60\n'), '*': text('x') };

  it('to a host that asks for a long delay is held, as soon as that is known', async () => {
    const answers: PageFetch[] = [];
    const { paths } = await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a') }, 'slow.test': SLOW },
      async (each, url) => {
        answers.push(await each.fetch(url('slow.test', '/x'), { waitMs: 50_000 }));
      },
    );
    expect(answers).toMatchObject([{ kind: 'held', reason: 'crawl-delay' }]);
    expect(paths('slow.test')).toEqual(['/robots.txt']);
  });

  it('to a host whose robots.txt cannot be fetched is held', async () => {
    const { answer, paths } = await ask(
      {
        'a.test': { '/robots.txt': OPEN, '/': page('a') },
        'dark.test': { '/robots.txt': { status: 503 }, '*': text('x') },
      },
      'http://dark.test/x',
      {},
    );
    expect(answer).toMatchObject({ kind: 'held', reason: 'robots-unreachable' });
    expect(paths('dark.test').every((path) => path === '/robots.txt')).toBe(true);
  });

  it('is bounded in number', async () => {
    const kinds: string[] = [];
    await run(
      { 'a.test': { '/robots.txt': OPEN, '/': page('a'), '*': text('x') } },
      async (each) => {
        const answers = await Promise.all(Array.from({ length: 103 }, () => each.fetch('/closed/x')));
        kinds.push(...answers.map((answer) => ('reason' in answer ? answer.reason : answer.kind)));
      },
      { politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } } },
    );
    expect(kinds.filter((kind) => kind === 'robots-rule')).toHaveLength(100);
    expect(kinds.filter((kind) => kind === 'page-fetch-limit')).toHaveLength(3);
  });

  it('has neither cookies nor credentials nor a referrer, and a handler that sets one gets an error', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/robots.txt': OPEN,
          '/': { body: page('a') as string, headers: { 'content-type': 'text/html', 'set-cookie': 'a=1' } },
          '/x': text('x'),
        },
      },
    });
    const refused: unknown[] = [];
    await crawl({
      seeds: [web.url('a.test')],
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          const fields = ['Cookie', 'authorization', 'Referer', 'User-Agent'].map((name) => ({ [name]: 'mine' }));
          for (const headers of [...fields, new Headers() as never])
            refused.push(await each.fetch('/x', { headers }).catch((error: unknown) => error));
          await each.fetch('/x', { headers: { Accept: 'application/json' } });
        }),
    });
    const code = 'option-invalid';
    expect(refused).toMatchObject([
      { code, message: 'expected `fetch.headers` to be fields that a handler may set, got "Cookie"' },
      { code, hint: 'authorization: a credential may go to one origin only.' },
      { code, message: expect.stringContaining('got "Referer"') },
      { code, hint: 'User-Agent: it says who asks: see `identity`.' },
      { code, message: expect.stringContaining('to be an object of names and values') },
    ]);
    expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/x']);
    const { headers } = web.log[2]!;
    expect(headers['accept']).toBe('application/json');
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  });

  it('does not outlast a stop', async () => {
    const web = await webForTest({ hosts: { 'a.test': { '/robots.txt': OPEN, '/': page('a') }, 'slow.test': SLOW } });
    const seeds = [web.url('a.test')];
    const answers: PageFetch[] = [];
    const { report } = await crawl({
      seeds,
      scope: { seeds, within: 'list', hosts: ['a.test', 'slow.test'] },
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          const waits = each.fetch(web.url('slow.test', '/x'), { waitMs: 600_000 });
          crawler.stop();
          answers.push(await waits, await each.fetch('/y'));
        }),
    });
    expect(report.state).toBe('stopped');
    expect(answers).toMatchObject([
      { kind: 'held', reason: 'stopping' },
      { kind: 'held', reason: 'stopping' },
    ]);
  });
});

describe('page.fetch from a site that names a licence', () => {
  const rsl = (license: string) =>
    text(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>${license}</license></content></rsl>`);
  const fetchFrom = async (document: Route, waitMs = 60_000) => {
    const answers: PageFetch[] = [];
    const hosts = {
      'a.test': { '/': page('start') },
      'b.test': {
        '/robots.txt': text('License: /license.xml\n'),
        '/license.xml': document,
        '/data': text('data'),
        '/.well-known/tdmrep.json': { status: 404 },
      },
    };
    const story = await run(
      hosts,
      async (each, url) => void answers.push(await each.fetch(url('b.test', '/data'), { waitMs })),
      { purposes: ['search'] },
    );
    return { ...story, answer: answers[0] };
  };

  it.each([
    ['free', rsl(''), { kind: 'response', status: 200 }],
    [
      'prohibited',
      rsl('<prohibits type="usage">search</prohibits>'),
      { kind: 'excluded', reason: 'license-prohibits' },
    ],
    ['for a price', rsl('<payment type="crawl"/>'), { kind: 'held', reason: 'license', untilMs: null }],
  ])('waits for its document, and is sent only if that allows it: %s', async (_terms, document, expected) => {
    const { answer, paths, early } = await fetchFrom(document);
    expect(answer).toMatchObject(expected);
    const isSent = expected.kind === 'response';
    expect(paths('b.test')).toEqual(['/robots.txt', '/license.xml', ...(isSent ? ['/data'] : [])]);
    expect(early).toEqual(POLITE);
  });

  it('is held if the document does not come in its time', async () => {
    const { answer, paths } = await fetchFrom({ status: 503 }, 1_500);
    expect(answer).toMatchObject({ kind: 'held', untilMs: expect.any(Number) });
    expect(paths('b.test')).not.toContain('/data');
  });
});
