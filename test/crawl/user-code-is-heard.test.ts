// A handler that throws used to be only a number. Errors in the user's code must be reported by default: on standard
// error, in `errors.jsonl`, and by `explain`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCrawler, explanationText, readErrors } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { describe, expect, it } from 'vitest';
import { captureStderr, PAGES, SITE } from '../support/throwing-crawl.js';

const captured = captureStderr();

describe('a handler that throws', () => {
  it('is printed five times with its line of source, then counted', async () => {
    await captured.crawl();
    const heads = captured.printed.filter((text) => text.includes('the handler failed'));
    expect(heads).toHaveLength(5);
    expect(heads[0]).toMatch(
      /^mannerly: https:\/\/a\.test\/p\d: the handler failed: TypeError: no price\[31m \(.*throwing-crawl.*:\d+:\d+\)\n {4}at /,
    );
    expect(heads.slice(1).join('')).not.toMatch(/\n {4}at /);
    expect(heads.join('')).not.toContain('\u001b');
    expect(heads.join('')).not.toContain('node_modules');
    expect(captured.printed.at(-1)).toMatch(/^mannerly: 3 more of the kind handler-error at .*errors\.jsonl\)\.\n$/);
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
      { run: { out: captured.out }, mayThrow: true },
    );
    expect(report).toMatchObject({ state: 'finished', outcomes: { failed: { 'handler-error': thrown.length } } });
    expect(captured.printed.join('')).toContain('the handler failed: {"a":1}');
  });

  it('has a line in errors.jsonl, with its stack and its causes', async () => {
    await captured.crawl();
    const errors = [];
    for await (const error of readErrors(join(captured.out, 'errors.jsonl'))) errors.push(error);
    expect(errors.map(({ url }) => url).sort()).toEqual(PAGES.map((path) => `https://a.test${path}`));
    expect(errors[0]).toMatchObject({ code: 'handler-error', name: 'TypeError', message: 'no price\u001b[31m' });
    expect(errors[0]?.source).toMatch(/throwing-crawl\.ts:\d+:\d+$/);
    expect(errors[0]?.stack).toContain('Caused by: Error: deeper');
  });

  it.each([['in the directory'], ['in memory']])('is quoted by explain, kept %s', async (where) => {
    const { crawler } = await captured.crawl({}, SITE, where === 'in memory' ? {} : { out: captured.out });
    const explained = explanationText(await crawler.explain('https://a.test/p3'));
    expect(explained).toMatch(/Error of the handler, .*: TypeError: no price\[31m \(.*\n {4}at .*throwing-crawl/);
  });

  it('leaves no file if nothing throws', async () => {
    await captured.crawl({}, { pages: { '/': fakePage('Start') } });
    await expect(readFile(join(captured.out, 'errors.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a hook and a sink that throw', () => {
  const noted = async (): Promise<(string | undefined)[][]> => {
    const found = [];
    for await (const { code, hook, message } of readErrors(join(captured.out, 'errors.jsonl')))
      found.push([code, hook, message]);
    return found;
  };

  it('are kept, and the sink’s own error is named', async () => {
    const hooks = {
      beforeFetch: () => {
        throw new Error('no table');
      },
    };
    await captured.crawl({ hooks });
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
      { run: { out: captured.out, reset: true } },
    );
    await expect(failing).rejects.toMatchObject({ code: 'sink-failed' });
    expect(await noted()).toEqual([['sink-failed', undefined, 'disk full']]);
    expect(captured.printed.join('')).toContain('a sink failed: Error: disk full');
    const closing = { ...sink, write: none, close: () => Promise.reject(new Error('not closed')) };
    const ends = crawlInVirtualTime(
      web,
      (fakes) => createCrawler({ ...base, scope: { seeds: ['https://a.test/'] }, sinks: [closing], ...fakes }),
      { run: { out: captured.out, reset: true } },
    );
    await expect(ends).rejects.toMatchObject({ code: 'sink-failed' });
    expect(await noted()).toEqual([['sink-failed', undefined, 'not closed']]);
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
  expect(captured.printed.join('')).toMatch(
    /a\.test\/: the handler failed: .*is lost\. Await everything.*user-code-is-heard/s,
  );
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
