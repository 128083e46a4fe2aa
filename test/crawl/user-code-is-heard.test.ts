// A handler that throws used to be only a number. Errors in the user's code, and a crawl that fetches nothing, must be
// reported by default: on standard error, in `errors.jsonl`, and by `explain`.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CrawlerOptions,
  createCrawler,
  explanationText,
  type Handler,
  type LogEntry,
  type Logger,
  readErrors,
} from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, type FakeHost, fakePage } from 'mannerly/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

let out: string;
let printed: string[];

beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'mannerly-heard-'));
  printed = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(out, { recursive: true });
});

const PAGES = Array.from({ length: 8 }, (_, index) => `/p${index}`);
const SITE: FakeHost = {
  pages: { '/': fakePage('Start', PAGES), ...Object.fromEntries(PAGES.map((path) => [path, fakePage(path)])) },
};

/** A crawl of a site whose handler throws on every page except the first. */
async function crawl(options: Partial<CrawlerOptions> = {}, host: FakeHost = SITE, where: { out?: string } = { out }) {
  return crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': host } }),
    (fakes) =>
      createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/'] },
        bounds: { pages: 20, minutes: 60 },
        ...options,
        ...fakes,
      }).on('html', async (page) => {
        if (page.url.includes('/p')) throw new TypeError('no price\u001b[31m', { cause: new Error('deeper') });
        await page.follow();
      }),
    { run: where, mayThrow: true },
  );
}

describe('a handler that throws', () => {
  it('is printed five times with its line of source, then counted', async () => {
    await crawl();
    const heads = printed.filter((text) => text.includes('the handler failed'));
    expect(heads).toHaveLength(5);
    expect(heads[0]).toMatch(
      /^mannerly: https:\/\/a\.test\/p\d: the handler failed: TypeError: no price\[31m \(.*user-code-is-heard.*:\d+:\d+\)\n {4}at /,
    );
    expect(heads.slice(1).join('')).not.toMatch(/\n {4}at /);
    expect(heads.join('')).not.toContain('\u001b');
    expect(heads.join('')).not.toContain('node_modules');
    expect(printed.at(-1)).toMatch(/^mannerly: 3 more of the kind handler-error at .*errors\.jsonl\)\.\n$/);
  });

  it('may throw anything, and the crawl continues', async () => {
    const thrown = ['text', undefined, { a: 1 }, Object.create(null), Symbol('x'), Proxy.revocable({}, {}).proxy];
    const errors = [...thrown];
    const { report } = await crawlInVirtualTime(
      createFakeWeb({ hosts: { 'a.test': SITE } }),
      (fakes) =>
        createCrawler({
          identity: { name: 'test-bot', contact: 'https://example.org/us' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages: 20 },
          ...fakes,
        }).on('html', async (page) => {
          await page.follow();
          if (page.url.includes('/p') && errors.length > 0) throw errors.shift();
        }),
      { run: { out }, mayThrow: true },
    );
    expect(report).toMatchObject({ state: 'finished', outcomes: { failed: { 'handler-error': thrown.length } } });
    expect(printed.join('')).toContain('the handler failed: {"a":1}');
  });

  it('has a line in errors.jsonl, with its stack and its causes', async () => {
    await crawl();
    const errors = [];
    for await (const error of readErrors(join(out, 'errors.jsonl'))) errors.push(error);
    expect(errors.map(({ url }) => url).sort()).toEqual(PAGES.map((path) => `https://a.test${path}`));
    expect(errors[0]).toMatchObject({ code: 'handler-error', name: 'TypeError', message: 'no price\u001b[31m' });
    expect(errors[0]?.source).toMatch(/user-code-is-heard\.test\.ts:\d+:\d+$/);
    expect(errors[0]?.stack).toContain('Caused by: Error: deeper');
  });

  it.each([['in the directory'], ['in memory']])('is quoted by explain, kept %s', async (where) => {
    const { crawler } = await crawl({}, SITE, where === 'in memory' ? {} : { out });
    const said = explanationText(await crawler.explain('https://a.test/p3'));
    expect(said).toMatch(/Error of the handler, .*: TypeError: no price\[31m \(.*\n {4}at .*user-code-is-heard/);
  });

  it('leaves no file if nothing throws', async () => {
    await crawl({}, { pages: { '/': fakePage('Start') } });
    await expect(readFile(join(out, 'errors.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a hook and a sink that throw', () => {
  const noted = async (): Promise<(string | undefined)[][]> => {
    const found = [];
    for await (const { code, hook, message } of readErrors(join(out, 'errors.jsonl')))
      found.push([code, hook, message]);
    return found;
  };

  it('are kept, and the sink’s own error is named', async () => {
    const hooks = {
      beforeFetch: () => {
        throw new Error('no table');
      },
    };
    await crawl({ hooks });
    expect(await noted()).toEqual([['hook-error', 'beforeFetch', 'no table']]);
    const none = async () => undefined;
    const sink = { name: 'full', open: none, close: none, write: () => Promise.reject(new Error('disk full')) };
    const web = createFakeWeb({ hosts: { 'a.test': SITE } });
    const base = { identity: { name: 'test-bot', contact: 'https://example.org/us' }, bounds: { pages: 3 } };
    const failing = crawlInVirtualTime(
      web,
      (fakes) =>
        createCrawler({ ...base, scope: { seeds: ['https://a.test/'] }, sinks: [sink], ...fakes }).on('html', (page) =>
          page.emit({ n: 1 }).then(() => undefined),
        ),
      { run: { out, reset: true } },
    );
    await expect(failing).rejects.toMatchObject({ code: 'sink-failed' });
    expect(await noted()).toEqual([['sink-failed', undefined, 'disk full']]);
    expect(printed.join('')).toContain('a sink failed: Error: disk full');
    const closing = { ...sink, write: none, close: () => Promise.reject(new Error('not closed')) };
    const ends = crawlInVirtualTime(
      web,
      (fakes) => createCrawler({ ...base, scope: { seeds: ['https://a.test/'] }, sinks: [closing], ...fakes }),
      { run: { out, reset: true } },
    );
    await expect(ends).rejects.toMatchObject({ code: 'sink-failed' });
    expect(await noted()).toEqual([['sink-failed', undefined, 'not closed']]);
  });
});

describe('a run', () => {
  /** Runs on the system's clock, as a program does; a test may check the requests only. */
  const emitting = (handler: Handler = (page) => page.emit({ url: page.url })) =>
    createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 9 },
      politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
      ...createFakeWeb({ hosts: { 'a.test': SITE } }).fakes(),
    }).on('html', handler);

  it('says that its items go nowhere', async () => {
    await emitting().run();
    expect(printed).toEqual([expect.stringMatching(/Items are written nowhere: .*run\(\{ out \}\).*sinks/)]);
  });

  it('does not say so if they are kept or a listener gets them', async () => {
    await emitting().run({ out });
    const crawler = emitting();
    crawler.events.on('item', () => undefined);
    await crawler.run();
    expect(printed).toEqual([]);
  });

  it('says once that an object which a handler returns is ignored', async () => {
    await emitting((page) => page.follow().then(() => ({ url: page.url }))).run({ out });
    expect(printed).toEqual([expect.stringMatching(/a\.test\/.* returned an object.*await page\.emit\(object\)/)]);
  });

  it('continues after a forgotten await, and reports it, since a rejection would end the process', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    let late: Promise<void> = Promise.resolve();
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      release = resolve;
    });
    const report = await emitting((page) => {
      late = ended.then(async () => {
        await page.emit({ late: true });
        await page.follow();
      });
    }).run({ out });
    release();
    await late;
    process.off('unhandledRejection', onUnhandled);
    expect([report.state, report.items, unhandled]).toEqual(['finished', 0, []]);
    expect(printed.join('')).toMatch(/has ended/);
  });

  it('names the routes of labels that got no page, unless it continues another run', async () => {
    const crawler = () => emitting().on('label:shelf', () => undefined);
    await crawler().run({ out });
    expect(printed).toEqual([expect.stringMatching(/No page came to `label:shelf`/)]);
    await crawler().run({ out });
    expect(printed.join('').match(/label:shelf/g)).toHaveLength(1);
  });

  it.each([
    [['https://a.test/'], 'option-invalid', /`run`.*out/],
    ['out', 'option-invalid', /"out"/],
    [{ dir: 'x' }, 'option-unknown', /`run\.dir`.*known: out/],
    [{ out: 5 }, 'option-invalid', /`run\.out`.*5/],
  ])('refuses %j', async (options, code, message) => {
    const refused = emitting().run(options as object);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('a crawl that fetches nothing', () => {
  it('says in a line that nothing was fetched, and why', async () => {
    await crawl({}, { robots: 'User-agent: *\nDisallow: /\n', pages: {} }, {});
    const said = printed.filter((text) => text.includes('No page was fetched'));
    expect(said).toEqual([
      expect.stringMatching(/^mannerly: No page was fetched: robots-rule \(1\): A rule in robots.*\n$/),
    ]);
  });

  it('does not say so for one process among several', async () => {
    const web = createFakeWeb({ hosts: { 'a.test': { robots: 'User-agent: *\nDisallow: /\n' } } });
    const base = { identity: { name: 'test-bot', contact: 'https://example.org/us' }, bounds: { pages: 3 } };
    const scope = { seeds: ['https://a.test/'] };
    await crawlInVirtualTime(web, (fakes) => createCrawler({ ...base, scope, ...fakes }), {
      run: { out, shared: true },
    });
    expect(printed).toEqual([]);
  });

  it('says so if every link of the only page is out of scope', async () => {
    await crawl({}, { pages: { '/': fakePage('Start', ['https://b.test/']) } }, {});
    expect(printed).toEqual([
      expect.stringMatching(/^mannerly: Only one page was fetched: out-of-scope \(1\): .*within/),
    ]);
  });

  it('says so if no handler takes the only page', async () => {
    await crawl({}, { pages: { '/': { headers: { 'Content-Type': 'application/json' }, body: '{}' } } }, {});
    expect(printed).toEqual([expect.stringMatching(/Only one page was fetched: no-handler \(1\): .*no handler/)]);
  });

  it('is silent if pages were fetched, and says so if they were fetched by an earlier run', async () => {
    const site = { pages: { '/': fakePage('Start', ['/b']), '/b': fakePage('B') } };
    await crawl({}, site);
    expect(printed).toEqual([]);
    await crawl({}, site);
    expect(printed).toEqual([expect.stringMatching(/ended before: nothing was requested\. Start over with `reset/)]);
  });

  it('reports a host that only fails, a bounded number of times', async () => {
    await crawl(
      { bounds: { pages: 400, minutes: 600 } },
      { pages: { '/': fakePage('Start', PAGES), '*': { status: 503 } } },
    );
    const all = printed.join('');
    expect(all).toContain('a.test: host-paused: 503, number 1 in a row');
    expect(all).toContain('a.test: 3 requests in a row failed, the last with 503');
    expect(printed.length).toBeLessThan(16);
  });
});

describe('the option log', () => {
  const failing: FakeHost = { pages: { '/': fakePage('Start', ['/p']), '/p': fakePage('P') } };

  it.each([['silent'], [false]] as const)('%j switches it off', async (log) => {
    await crawl({ log }, failing);
    expect(printed).toEqual([]);
  });

  it.each([
    ['error', ['error']],
    ['info', ['info', 'error', 'info']],
  ] as const)('%s prints what matters at least so much', async (log, levels) => {
    await crawl({ log }, failing);
    expect(printed).toHaveLength(levels.length);
  });

  it('passes every entry to a function, and survives one that throws', async () => {
    const entries: LogEntry[] = [];
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { report } = await crawl({
      log: (entry) => {
        entries.push(entry);
        throw new Error('full');
      },
    });
    expect(report.pages).toBe(9);
    expect(entries.filter(({ code }) => code === 'handler-error')).toHaveLength(PAGES.length);
    expect(entries.filter(({ code }) => code === 'request')).toHaveLength(10);
    expect(entries.find(({ level }) => level === 'error')?.error).toBeInstanceOf(TypeError);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it.each([[true], [false]])('writes to a logger, structured: %s', async (isStructured) => {
    const calls: unknown[][] = [];
    const method = (...args: unknown[]): void => void calls.push(args);
    const logger = { debug: () => undefined, info: () => undefined, warn: method, error: method };
    const structured = { ...logger, bindings: () => ({}) };
    await crawl({ log: isStructured ? structured : logger }, failing);
    expect(calls).toHaveLength(1);
    if (isStructured)
      expect(calls[0]).toEqual([
        expect.objectContaining({ code: 'handler-error', url: 'https://a.test/p', err: expect.any(TypeError) }),
        expect.stringContaining('the handler failed: TypeError: no price'),
      ]);
    else expect(calls[0]).toEqual([expect.stringMatching(/the handler failed: .*\n {4}at .*user-code-is-heard/)]);
  });

  it('asks a logger for its level, and builds no entry below it', async () => {
    const calls: string[] = [];
    const method = (text: string): void => void calls.push(text);
    await crawl(
      { log: { level: 'info', debug: method, info: method, warn: method, error: method } as Logger },
      failing,
    );
    expect(calls.map((text) => text.replace(/:? .*/s, ''))).toEqual(['Crawling', 'https://a.test/p', 'The']);
  });

  it('is validated', () => {
    const scope = { seeds: ['https://a.test/'] };
    const base = { identity: { name: 'a', contact: 'https://a.test/' }, scope, bounds: { pages: 1 } };
    expect(() => createCrawler({ ...base, log: 'loud' as never })).toThrow(/expected `log` to be one of silent, debug/);
    expect(() => createCrawler({ ...base, log: { warn: () => 1 } as never })).toThrow(/expected `log`/);
  });
});

it('a handler that continues after its end gets an error that its items are lost, and fails a test', async () => {
  const crawl = crawlInVirtualTime(createFakeWeb({ hosts: { 'a.test': SITE } }), (fakes) =>
    createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 9 },
      ...fakes,
    }).on('html', (page) => {
      void page.fetch('/p1').then(() => {
        void page.emit({ url: page.url });
      });
    }),
  );
  await expect(crawl).rejects.toMatchObject({ code: 'page-over' });
  expect(printed.join('')).toMatch(/a\.test\/: the handler failed: .*is lost\. Await everything.*user-code-is-heard/s);
});

it('a crawl of the test kit fails if a handler threw, unless told not to', async () => {
  const run = (options: object) =>
    crawlInVirtualTime(
      createFakeWeb({ hosts: { 'a.test': SITE } }),
      (fakes) =>
        createCrawler({
          identity: { name: 'test-bot', contact: 'https://example.org/us' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages: 1 },
          log: false,
          ...fakes,
        }).on('html', () => {
          throw new RangeError('mine');
        }),
      options,
    );
  await expect(run({})).rejects.toThrow(new RangeError('mine'));
  await expect(run({ mayThrow: true })).resolves.toMatchObject({
    report: { outcomes: { failed: { 'handler-error': 1 } } },
  });
});

it('every line of a log has the same fields, so that tables can be made of them', async () => {
  await crawl({ bounds: { pages: 3, minutes: 9 } });
  await crawl({ bounds: { pages: 9, minutes: 9 } });
  const lines = async (name: string) =>
    (await readFile(join(out, name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = await lines('requests.jsonl');
  expect(new Set(requests.map((line) => Object.keys(line).join()))).toHaveLength(1);
  expect(await lines('runs.jsonl')).toHaveLength(2);
  expect(new Set((await lines('decisions.jsonl')).map(({ host }) => host))).toEqual(new Set(['a.test']));
});
