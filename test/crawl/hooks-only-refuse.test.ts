// A hook may refuse, never permit. If any answer of a hook, or any missing answer, opened what a site closes,
// robots.txt would depend on user code.

import fc from 'fast-check';
import { type CrawlEventMap, type HookOptions, type PlannedFetch, refuse } from 'mannerly';
import { type FakeHost, fakePage } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { crawlVirtually } from '../support/virtual-crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const OPEN = ['/', '/a', '/b', '/go', '/target'];
const CLOSED = ['/private/x', '/private/y', '/gone/z'];
const REDIRECT = { status: 302, headers: { location: '/target' } };
const HOSTS: Readonly<Record<string, FakeHost>> = {
  'a.test': {
    robots: 'User-agent: *\nDisallow: /private\nDisallow: /gone\n',
    pages: {
      '/': fakePage('Start', ['/a', '/b', '/go', '/private/x', 'https://other.test/']),
      '/a': fakePage('A', ['/private/y']),
      '/b': fakePage('B'),
      '/go': REDIRECT,
      '/target': { status: 302, headers: { location: '/gone/z' } },
      '/private/x': fakePage('X'),
      '/private/y': fakePage('Y'),
      '/gone/z': fakePage('Z'),
    },
  },
  // Its rules are not known.
  'dark.test': { robots: { status: 503 }, pages: { '/': fakePage('Dark') } },
  'other.test': { pages: { '/': fakePage('Out of scope') } },
};

async function crawlWith(hooks: HookOptions) {
  const broken: CrawlEventMap['hook-error'][] = [];
  const own: string[] = [];
  const story = await crawlVirtually({
    hosts: HOSTS,
    seeds: ['https://a.test/', 'https://dark.test/'],
    hooks,
    // Shorter than the minute until a failed robots.txt is requested again.
    maxIdleMs: 50_000,
    bounds: { pages: 50, minutes: 60 },
    handlers(crawler) {
      crawler.events.on('hook-error', (error) => broken.push(error));
      crawler.on('html', async (page) => {
        await page.emit({ title: page.title });
        await page.follow();
        const answer = await page.fetch('/private/x', { waitMs: 1_000 });
        own.push('reason' in answer ? `${answer.kind} ${answer.reason}` : answer.kind);
      });
    },
  });
  const asked = story.log.map(({ host, path }) => `${host}${path}`);
  const wordOf = (path: string) => story.decisions.find(({ url }) => url === `https://a.test${path}`);
  return { ...story, asked, broken, own, wordOf };
}

/** The guarantee: nothing that is closed, unknown or out of scope was requested, whatever the hooks did. */
function expectRulesKept({ asked, decisions }: Awaited<ReturnType<typeof crawlWith>>): void {
  for (const path of CLOSED) expect(asked).not.toContain(`a.test${path}`);
  expect(asked.filter((each) => each.startsWith('dark.test')).filter((each) => !each.endsWith('/robots.txt'))).toEqual(
    [],
  );
  expect(asked.filter((each) => each.startsWith('other.test'))).toEqual([]);
  expect(new Set(decisions.map(({ url }) => url)).size).toBe(decisions.length);
}

/** Invalid answers: each is a refusal → the detail of the decision. */
const INVALID: readonly (readonly [title: string, answer: (planned: unknown) => unknown, detail: RegExp])[] = [
  ['true', () => true, /answered true/],
  ['false', () => false, /answered false/],
  ['null', () => null, /answered null/],
  ['the word allow', () => 'allow', /answered "allow"/],
  ['an object that allows', () => ({ kind: 'allow' }), /answered \{"kind":"allow"\}/],
  ['a promise of the word go', async () => 'go', /answered "go"/],
  ['an object that resists', () => Object.create(null), /answered \{\}/],
  [
    'a throw',
    () => {
      throw new Error('no table');
    },
    /threw: Error: no table/,
  ],
  [
    'a throw of nothing',
    () => {
      throw undefined;
    },
    /threw: undefined/,
  ],
  [
    'a rejection',
    async () => {
      throw new Error('no table');
    },
    /threw: Error: no table/,
  ],
  ['silence', () => new Promise(() => undefined), /did not answer within 2000 ms/],
  ['a thenable that keeps silent', () => ({ then: () => undefined }), /did not answer within 2000 ms/],
  ['a refusal of its own make', () => ({ kind: 'refuse' }), /^$/],
  [
    'a change of its argument',
    (planned) => {
      (planned as { url: string }).url = 'https://a.test/private/x';
    },
    /threw: TypeError/,
  ],
];

describe.each(INVALID)('a hook whose answer is %s', (_title, answer, detail) => {
  it('refuses before the fetch: only robots.txt is requested', async () => {
    const story = await crawlWith({ beforeFetch: answer as never, timeoutMs: 2_000 });
    expectRulesKept(story);
    expect(story.asked.filter((each) => !each.endsWith('/robots.txt'))).toEqual([]);
    expect(story.wordOf('/')).toMatchObject({
      status: 'dropped',
      reason: 'hook-refused',
      layer: 'hook',
      httpStatus: null,
    });
    expect(story.wordOf('/')?.detail).toMatch(
      detail.source === '^$' ? detail : new RegExp(`^beforeFetch .*${detail.source}`),
    );
    expect(story.broken).toHaveLength(detail.source === '^$' ? 0 : 1);
    expect(story.report.pages).toBe(0);
  });

  it('refuses after the fetch: nothing of the page is kept or followed', async () => {
    const story = await crawlWith({ afterFetch: answer as never, timeoutMs: 2_000 });
    expectRulesKept(story);
    expect(story.asked.filter((each) => !each.endsWith('/robots.txt'))).toEqual(['a.test/']);
    expect(story.wordOf('/')).toMatchObject({
      status: 'dropped',
      reason: 'hook-refused',
      layer: 'hook',
      httpStatus: 200,
    });
    expect(story.items).toEqual([]);
    expect(story.report.pages).toBe(1);
  });

  it('changes nothing when it is informed of an exclusion', async () => {
    const story = await crawlWith({ onExclusion: answer as never });
    expectRulesKept(story);
    expect(
      story
        .paths('a.test')
        .filter((path) => path !== '/robots.txt')
        .sort(),
    ).toEqual([...OPEN].sort());
    expect(story.wordOf('/private/x')).toMatchObject({ status: 'excluded', reason: 'robots-rule', line: 2 });
    expect(story.wordOf('/gone/z')).toMatchObject({ status: 'excluded', reason: 'robots-rule', line: 3 });
  });
});

it('no answer of any hook at any time opens what is closed', async () => {
  const answers = fc.oneof(
    fc.constant(undefined),
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
    fc.constantFrom('allow', true, { kind: 'allow' }, { kind: 'go' }, { allowed: true }, refuse('no')),
  );
  const acts = fc.record({
    answer: answers,
    way: fc.constantFrom('returns', 'resolves', 'throws', 'rejects', 'hangs'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 8 }), async (script) => {
      let at = 0;
      const hook = (): never => {
        const { answer, way } = script[at++ % script.length] ?? { answer: undefined, way: 'returns' };
        if (way === 'throws') throw answer;
        if (way === 'rejects') return Promise.reject(answer) as never;
        if (way === 'hangs') return new Promise(() => undefined) as never;
        return (way === 'resolves' ? Promise.resolve(answer) : answer) as never;
      };
      expectRulesKept(await crawlWith({ beforeFetch: hook, afterFetch: hook, onExclusion: hook, timeoutMs: 1_000 }));
    }),
    { numRuns: 20, seed: 20_261_120 },
  );
});

it('hooks that return nothing change nothing, and are called only for pages, retries, redirect targets and handlers’ requests', async () => {
  const planned: PlannedFetch[] = [];
  const ended: string[] = [];
  const excluded: string[] = [];
  const without = await crawlWith({});
  const story = await crawlWith({
    beforeFetch(each) {
      planned.push(each);
    },
    async afterFetch({ url, status, failure, headers, bodyBytes }) {
      ended.push(`${new URL(url).pathname} ${status} ${failure} ${headers.length > 0} ${bodyBytes > 0}`);
    },
    onExclusion: ({ url, reason }) => excluded.push(`${new URL(url).pathname} ${reason}`),
  });
  expectRulesKept(story);
  expect(story.asked.slice().sort()).toEqual(without.asked.slice().sort());
  expect(story.own).toEqual(without.own);
  expect(
    planned
      .filter(({ purpose }) => purpose === 'page')
      .map(({ url }) => new URL(url).pathname)
      .sort(),
  ).toEqual(OPEN.slice().sort());
  expect(planned.find(({ url }) => url.endsWith('/target'))).toMatchObject({
    purpose: 'page',
    via: 'redirect',
    from: 'https://a.test/go',
    depth: 1,
    label: null,
    userData: null,
    attempt: 1,
    visit: 0,
  });
  expect(ended.sort()).toEqual([
    '/ 200 null true true',
    '/a 200 null true true',
    '/b 200 null true true',
    '/go 302 null true false',
    '/target 302 null true false',
  ]);
  expect(excluded.sort()).toEqual(['/gone/z robots-rule', '/private/x robots-rule', '/private/y robots-rule']);
});

it('a refusal before the fetch costs neither a page nor a pause of the host', async () => {
  const { wordOf, paths, report } = await crawlWith({
    beforeFetch: ({ url }) => (url.endsWith('/a') ? refuse('seen last week') : undefined),
  });
  expect(wordOf('/a')).toMatchObject({
    status: 'dropped',
    reason: 'hook-refused',
    layer: 'hook',
    detail: 'seen last week',
  });
  expect(paths('a.test')).not.toContain('/a');
  expect(paths('a.test')).toContain('/b');
  expect(report.pages).toBe(2);
});

it('a refusal after a redirect does not follow it, and one after a failure is not retried', async () => {
  const hosts = {
    'a.test': {
      pages: {
        '/': fakePage('S', ['/go', '/down']),
        '/go': REDIRECT,
        '/down': { status: 500 },
        '/target': fakePage('T'),
      },
    },
  };
  const { paths, decisions } = await crawlVirtually({
    hosts,
    seeds: ['https://a.test/'],
    hooks: { afterFetch: ({ status }) => (status === 200 ? undefined : refuse(`a ${status}`)) },
  });
  expect(
    paths('a.test')
      .filter((path) => path !== '/robots.txt')
      .sort(),
  ).toEqual(['/', '/down', '/go']);
  expect(
    decisions
      .filter(({ status }) => status === 'dropped')
      .map(({ reason, detail, httpStatus }) => [reason, detail, httpStatus])
      .sort(),
  ).toEqual([
    ['hook-refused', 'a 302', 302],
    ['hook-refused', 'a 500', 500],
  ]);
});

it('a refusal also keeps a Refresh field from being followed', async () => {
  const refreshing = { headers: { 'content-type': 'text/html', refresh: '0; url=/target' }, body: '<title>R</title>' };
  const pages = { '/': fakePage('S', ['/refresh']), '/refresh': refreshing, '/target': fakePage('T') };
  const { paths, decisions } = await crawlVirtually({
    hosts: { 'a.test': { pages } },
    seeds: ['https://a.test/'],
    hooks: { afterFetch: ({ url }) => (url.endsWith('/refresh') ? refuse('it refreshes') : undefined) },
  });
  expect(paths('a.test')).not.toContain('/target');
  expect(decisions.find(({ url }) => url.endsWith('/refresh'))).toMatchObject({
    status: 'dropped',
    reason: 'hook-refused',
    detail: 'it refreshes',
  });
});

it('the same hook can refuse a handler’s request', async () => {
  const { own, asked } = await crawlWith({
    beforeFetch: ({ purpose }) => (purpose === 'handler' ? refuse('none') : undefined),
  });
  expect(new Set(own)).toEqual(new Set(['dropped hook-refused']));
  expect(asked).toContain('a.test/b');
});

it('a slow hook delays only its own host', async () => {
  const hosts = Object.fromEntries(
    ['a.test', 'b.test'].map((host) => [
      host,
      { pages: { '/': fakePage(host, ['/1', '/2']), '/1': fakePage('1'), '/2': fakePage('2') } },
    ]),
  );
  const { log, report } = await crawlVirtually({
    hosts,
    seeds: ['https://a.test/', 'https://b.test/'],
    hooks: {
      beforeFetch: ({ url, signal }) =>
        url.startsWith('https://a.test')
          ? new Promise<undefined>((_, fail) =>
              signal.addEventListener('abort', () => fail(signal.reason), { once: true }),
            )
          : undefined,
      timeoutMs: 60_000,
    },
  });
  const pages = log.filter(({ path }) => path !== '/robots.txt');
  expect(pages.map(({ host }) => host)).toEqual(['b.test', 'b.test', 'b.test']);
  expect(Math.max(...pages.map(({ endMs }) => endMs))).toBeLessThan((log[0]?.startMs ?? 0) + 60_000);
  expect(report.outcomes).toMatchObject({ dropped: { 'hook-refused': 1 } });
});

it('after a slow hook the clock is checked again: no request is early, and none overlap', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/': page('s', ['/1', '/2']), '/1': page('1', []), '/2': page('2', []) } },
  });
  const think = () => new Promise<undefined>((resolve) => setTimeout(resolve, 30));
  const { report, itemUrls } = await crawl({
    seeds: [web.url('a.test')],
    politeness: { profile: { factor: 0, minMs: 100, maxMs: 100 } },
    hooks: { beforeFetch: think, afterFetch: think },
  });
  expect(itemUrls).toHaveLength(3);
  expect(report.politeness).toMatchObject([{ requests: 4, highestConcurrency: 1, early: 0 }]);
  expect(report.politeness[0]?.smallestGapMs).toBeGreaterThanOrEqual(100);
});

it.each(['beforeFetch', 'afterFetch'] as const)(
  'an immediate stop does not wait for %s, and no page fails by it',
  async (hook) => {
    let stop = (): void => undefined;
    const { report, decisions, items, tookMs } = await crawlVirtually({
      hosts: HOSTS,
      seeds: ['https://a.test/'],
      hooks: {
        [hook]: () => {
          stop();
          stop();
          return new Promise(() => undefined);
        },
        timeoutMs: 60_000,
      },
      handlers(crawler) {
        stop = () => crawler.stop();
        crawler.on('html', (page) => page.emit(1));
      },
    });
    expect(report.state).toBe('stopped');
    expect(tookMs).toBeLessThan(60_000);
    expect(decisions.filter(({ status }) => status !== 'held')).toEqual([]);
    expect(items).toEqual([]);
  },
);

it.each<[string, unknown, string]>([
  ['are none', 'all', 'option-invalid'],
  ['have a name that is none', { before: () => undefined }, 'option-unknown'],
  ['are no functions', { beforeFetch: true }, 'option-invalid'],
  ['may take for ever', { timeoutMs: Number.POSITIVE_INFINITY }, 'option-invalid'],
])('hooks that %s are refused', async (_title, hooks, code) => {
  await expect(crawlWith(hooks as HookOptions)).rejects.toMatchObject({ code });
});

const SEEDS = ['https://a.test/'];

it('what `scope.allows` throws or returns instead of true or false is reported like an error of a hook', async () => {
  const messages: string[] = [];
  const { decisions } = await crawlVirtually({
    hosts: HOSTS,
    seeds: SEEDS,
    scope: { seeds: SEEDS, allows: (url) => (url.endsWith('/a') ? (undefined as unknown as boolean) : true) },
    bounds: { pages: 50, minutes: 60 },
    handlers(crawler) {
      crawler.events.on('hook-error', ({ hook, url, error }) => messages.push(`${hook} ${url} ${error}`));
      crawler.on('html', (page) => page.follow());
    },
  });
  expect(messages).toEqual([
    'scope.allows https://a.test/a TypeError: answered undefined, which is neither true nor false',
  ]);
  expect(decisions).toContainEqual(
    expect.objectContaining({ url: 'https://a.test/a', status: 'dropped', reason: 'hook-refused' }),
  );
});
