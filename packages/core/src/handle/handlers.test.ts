// Which handler gets a page, and that a handler's requests take effect completely or not at all. If half of a page's
// items were kept before a retry, they would be stored twice.

import { createManualClock, type NewUrl } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { NO_TOOLS } from '../../test-support/page-tools.js';
import { pageReader, pageWork, response } from '../../test-support/page-work.js';
import type { ExclusionGroups } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import type { HandledPage } from './handled-page.js';
import { type Handled, HandlerPool } from './handler-pool.js';
import { type Handler, Handlers, type Route } from './handlers.js';
import type { Staged } from './staged.js';

const URL_OF_PAGE = 'https://example.com/a/';

async function pageOf(
  html: string,
  more: { type?: string; label?: string; options?: ExclusionGroups } = {},
): Promise<PageInCrawl> {
  const reader = pageReader(more.options);
  const headers = [['Content-Type', more.type ?? 'text/html']] as const;
  return reader.read(pageWork(URL_OF_PAGE, { label: more.label ?? null }), response(URL_OF_PAGE, html, headers));
}

function poolOf(
  routes: readonly (readonly [Route, Handler])[],
  more: { concurrency?: number; signal?: AbortSignal } = {},
) {
  const handlers = new Handlers();
  for (const [route, handler] of routes) handlers.on(route, handler);
  const clock = createManualClock();
  const pool = new HandlerPool({
    handlers,
    concurrency: more.concurrency ?? 2,
    handlerTimeoutMs: 1_000,
    clock,
    signal: more.signal ?? new AbortController().signal,
    tools: NO_TOOLS,
  });
  return { pool, clock };
}

async function stagedBy(handler: Handler, page: PageInCrawl): Promise<Staged> {
  const handled = await poolOf([['any', handler]]).pool.handle(page);
  if (handled.kind !== 'handled') throw new Error(`expected it to be handled: ${handled.kind}`);
  return handled.staged;
}

const urls = (staged: { readonly links: readonly NewUrl[] }): string[] =>
  staged.links.map(({ url }) => url.replace('https://example.com', ''));

describe('the route of a page', () => {
  const all: Route[] = ['label:x', 'text/html', 'html', 'any'];
  const rows: [routes: Route[], page: { type?: string; label?: string }, expected: string | null][] = [
    [all, { label: 'x' }, 'label:x'],
    [all, { label: 'y' }, 'text/html'],
    [all, {}, 'text/html'],
    [['html', 'any'], {}, 'html'],
    [['any'], {}, 'any'],
    [['json', 'pdf'], {}, null],
    [all, { type: 'application/xhtml+xml' }, 'html'],
    [all, { type: 'application/json' }, 'any'],
    [['json'], { type: 'application/feed+json' }, 'json'],
    [['image'], { type: 'image/png' }, 'image'],
    [['TEXT/HTML' as Route], {}, 'text/html'],
    [[], {}, 'default'],
    [[], { type: 'application/json' }, null],
  ];
  it.each(rows)('of %j for %j is %s', async (routes, page, expected) => {
    const handled = await poolOf(routes.map((route) => [route, () => undefined] as const)).pool.handle(
      await pageOf('', page),
    );
    expect(handled).toMatchObject({ kind: 'handled', route: expected });
  });

  it.each(['', 'htm', 'label:', 'text/', 'text/html; charset=utf-8', 7])('cannot be %j', (route) => {
    expect(() => new Handlers().on(route as Route, () => undefined)).toThrow(
      expect.objectContaining({ code: 'route-invalid' }),
    );
  });

  it('has one handler, and that is a function', () => {
    const handlers = new Handlers();
    handlers.on('html', () => undefined);
    expect(() => handlers.on('html', () => undefined)).toThrow(expect.objectContaining({ code: 'route-invalid' }));
    expect(() => handlers.on('json', 'x' as unknown as Handler)).toThrow(
      expect.objectContaining({ code: 'route-invalid' }),
    );
  });

  it('follows every permitted link of HTML if there is no handler', async () => {
    const handled = await poolOf([]).pool.handle(await pageOf('<a href=b>1</a><a href=c rel=nofollow>2</a>'));
    expect(handled.kind === 'handled' && urls(handled.staged)).toEqual(['/a/b']);
  });
});

describe('following', () => {
  it('takes permitted links once, with depth and origin, and reports those that it leaves out', async () => {
    const page = await pageOf(
      '<a href=b>1</a><a href=b#x>2</a><a href=c rel=nofollow>3</a><a href=d rel=nofollow>4</a><a href=d>5</a>',
    );
    const staged = await stagedBy((each) => each.follow(), page);
    expect(urls(staged)).toEqual(['/a/b', '/a/d']);
    expect(staged.links[0]).toEqual({ url: 'https://example.com/a/b', depth: 3, via: 'link', from: URL_OF_PAGE });
    expect(staged.skipped).toEqual([{ url: 'https://example.com/a/c', reason: 'link-nofollow' }]);
  });

  it('takes no link of a nofollow page, and all if an option says so', async () => {
    const html = '<meta name=robots content=nofollow><a href=b>1</a>';
    const staged = await stagedBy((page) => page.follow(), await pageOf(html));
    expect([urls(staged), staged.skipped.map(({ reason }) => reason)]).toEqual([[], ['page-nofollow']]);
    const ignoring = await pageOf(html, { options: { links: { pageNofollow: 'ignore' } } });
    expect(urls(await stagedBy((page) => page.follow(), ignoring))).toEqual(['/a/b']);
  });

  it('with a selector takes what it finds or what is inside, judged like any link', async () => {
    const page = await pageOf(
      '<base href=/z/><nav><a href=b>1</a><a href=c rel="ugc NoFollow">2</a></nav><a class=next href=d>3</a><p><a href=e>4</a>',
    );
    expect(urls(await stagedBy((each) => each.follow('nav'), page))).toEqual(['/z/b']);
    expect(urls(await stagedBy((each) => each.follow('.next'), page))).toEqual(['/z/d']);
    expect(urls(await stagedBy((each) => each.follow('nav, .next'), page))).toEqual(['/z/b', '/z/d']);
    expect(urls(await stagedBy((each) => each.follow('h1'), page))).toEqual([]);
  });

  it('says how many URLs it staged that were not staged before', async () => {
    const page = await pageOf(
      '<a class=x href=b>1</a><a class=x href=b>2</a><a href=c>3</a><a href=d rel=nofollow>4</a>',
    );
    const counts: number[] = [];
    await stagedBy(async (each) => {
      for (const selector of ['.y', '.x', undefined, undefined]) counts.push(await each.follow(selector));
    }, page);
    expect(counts).toEqual([0, 1, 1, 0]);
  });

  it('takes images only from a page that permits it', async () => {
    const img = '<img src=i.png>';
    expect(urls(await stagedBy((page) => page.follow('img'), await pageOf(img)))).toEqual(['/a/i.png']);
    const refusing = await stagedBy(
      (page) => page.follow('img'),
      await pageOf(`<meta name=robots content=noimageindex>${img}`),
    );
    expect([urls(refusing), refusing.skipped.map(({ reason }) => reason)]).toEqual([[], ['noimageindex']]);
  });

  it('passes on label, user data and priority, and the first call wins', async () => {
    const staged = await stagedBy(
      async (page) => {
        await page.follow('.x', { label: 'item', userData: { n: 1 }, priority: 2 });
        await page.follow();
      },
      await pageOf('<a class=x href=b>1</a><a href=c>2</a>'),
    );
    expect(staged.links).toMatchObject([{ label: 'item', userData: { n: 1 }, priority: 2 }, { via: 'link' }]);
    expect(staged.links[1]).not.toHaveProperty('label');
  });
});

describe('user data', () => {
  it('is a copy, and JSON', async () => {
    const staged = await stagedBy(
      async (page) => {
        const userData = { n: 0 };
        for (const url of ['/1', '/2']) {
          userData.n += 1;
          await page.add(url, { userData });
        }
      },
      await pageOf(''),
    );
    expect(staged.links.map(({ userData }) => userData)).toEqual([{ n: 1 }, { n: 2 }]);
    const add: Handler = (page) => page.add('/x', { userData: 1n as unknown as null });
    expect(await poolOf([['any', add]]).pool.handle(await pageOf(''))).toMatchObject({
      kind: 'threw',
      error: { code: 'item-invalid' },
    });
  });
});

describe('adding', () => {
  it('accepts any URL, relative to the base, and allows and records a single nofollow link (page-level §4)', async () => {
    const page = await pageOf('<base href=/z/><a href=b rel=nofollow>1</a><a href=c rel=nofollow>2</a><a href=c>3</a>');
    const answers: unknown[] = [];
    const staged = await stagedBy(async (each) => {
      for (const url of ['b', 'c', 'd', 'mailto:x', 'http://']) answers.push(await each.add(url));
    }, page);
    expect(answers).toEqual([
      { kind: 'staged', url: 'https://example.com/z/b', note: 'link-nofollow' },
      { kind: 'staged', url: 'https://example.com/z/c', note: null },
      { kind: 'staged', url: 'https://example.com/z/d', note: null },
      { kind: 'refused', reason: 'url-invalid' },
      { kind: 'refused', reason: 'url-invalid' },
    ]);
    expect(urls(staged)).toEqual(['/z/b', '/z/c', '/z/d']);
    expect(staged.links[0]).toMatchObject({ via: 'handler', depth: 3 });
    expect(staged.nofollow).toEqual(['https://example.com/z/b']);
  });
});

describe('a page in flight', () => {
  it('is the page, and its methods can be destructured', async () => {
    const page = await pageOf('<title>T</title><a href=b>x</a>', { label: 'x' });
    const staged = await stagedBy(async ({ title, links, kind, label, $, text, excerpt, emit, follow }) => {
      await emit([title, links.length, kind, label, $('a').text(), (await text()).length, excerpt('a b', 9)]);
      await follow();
    }, page);
    expect([staged.data, urls(staged)]).toEqual([[['T', 1, 'html', 'x', 'x', 31, 'a b']], ['/a/b']]);
  });
});

describe('emitting', () => {
  it('keeps a copy as JSON', async () => {
    const staged = await stagedBy(
      async (page) => {
        const item = { n: 1, gone: undefined as unknown as null };
        await page.emit(item);
        item.n = 2;
        await page.emit([item.n]);
      },
      await pageOf(''),
    );
    expect(staged.data).toEqual([{ n: 1 }, [2]]);
  });
});

describe('results of a handler', () => {
  const busy = async (page: HandledPage): Promise<void> => {
    await page.emit({ n: 1 });
    await page.follow();
    await page.add('/z');
  };

  it('are dropped if it throws', async () => {
    const handled = await poolOf([
      [
        'any',
        async (page) => {
          await busy(page);
          throw new Error('oh');
        },
      ],
    ]).pool.handle(await pageOf('<a href=b>'));
    expect(handled).toEqual({ kind: 'threw', error: new Error('oh'), detail: 'Error: oh' });
  });

  it('are dropped if it throws at once, or throws undefined', async () => {
    const thrown = await poolOf([
      [
        'any',
        () => {
          throw new Error('oh');
        },
      ],
    ]).pool.handle(await pageOf(''));
    expect(thrown.kind).toBe('threw');
    const nothing = await poolOf([['any', () => Promise.reject(undefined)]]).pool.handle(await pageOf(''));
    expect(nothing.kind).toBe('threw');
  });

  it('are complete in spite of a forgotten await', async () => {
    const staged = await stagedBy(
      (page) => {
        void page.emit({ n: 1 });
        void page.follow();
      },
      await pageOf('<a href=b>'),
    );
    expect([staged.data, urls(staged)]).toEqual([[{ n: 1 }], ['/a/b']]);
  });

  it('are dropped after its end, and the caller gets an answer, without an exception', async () => {
    let kept: HandledPage | null = null;
    const staged = await stagedBy(
      (page) => {
        kept = page;
      },
      await pageOf('<a href=b>'),
    );
    const page = kept as unknown as HandledPage;
    const issues = [expect.objectContaining({ message: expect.stringContaining('has ended') })];
    expect(await page.emit(1)).toEqual({ kind: 'rejected', issues });
    expect([await page.follow(), await page.revisit(1)]).toEqual([0, undefined]);
    expect(await page.fetch('/x')).toEqual({ kind: 'dropped', url: '/x', reason: 'page-over' });
    expect(await page.save('a', { folder: 'none' })).toEqual({ kind: 'left-alone', reason: 'page-over' });
    expect(await page.add('/x')).toEqual({ kind: 'refused', reason: 'page-over' });
    expect([staged.data, staged.links]).toEqual([[], []]);
  });

  it('do not count after its timeout, which its signal reports', async () => {
    let done: () => void = () => undefined;
    let late: Promise<unknown> = Promise.resolve();
    let aborted: unknown = null;
    const { pool, clock } = poolOf([
      [
        'any',
        async (page) => {
          await page.emit({ n: 1 });
          page.signal.addEventListener('abort', () => {
            aborted = page.signal.reason;
          });
          await new Promise<void>((resolve) => {
            done = resolve;
          });
          late = page.emit({ n: 2 });
          await late;
        },
      ],
    ]);
    const handling = pool.handle(await pageOf(''));
    while (clock.nextTimerAt() === null) await Promise.resolve();
    clock.advance(999);
    expect(clock.nextTimerAt()).not.toBeNull();
    clock.advance(1);
    expect(await handling).toEqual({ kind: 'timed-out', detail: 'the handler took longer than 1000 ms' });
    expect(aborted).toMatchObject({ name: 'TimeoutError' });
    done();
    await Promise.resolve();
    await expect(late).rejects.toMatchObject({ code: 'page-over' });
  });

  it('leave no timer if it ends in time', async () => {
    const { pool, clock } = poolOf([['any', busy]]);
    await pool.handle(await pageOf(''));
    expect(clock.nextTimerAt()).toBeNull();
  });

  it('do not exist for a page that excludes handling', async () => {
    const options = { pageLevel: { noindex: 'skip-handler' } } as const;
    const page = await pageOf('<meta name=robots content=noindex>', { options });
    const handled = await poolOf([['any', busy]]).pool.handle(page);
    expect(handled).toMatchObject({ kind: 'handled', route: null, staged: { data: [], links: [] } });
  });
});

describe('the pool', () => {
  it('runs a bounded number of handlers at a time, and lets none starve', async () => {
    let running = 0;
    let highest = 0;
    const free: (() => void)[] = [];
    const { pool } = poolOf(
      [
        [
          'any',
          async () => {
            running += 1;
            highest = Math.max(highest, running);
            await new Promise<void>((resolve) => free.push(resolve));
            running -= 1;
          },
        ],
      ],
      { concurrency: 3 },
    );
    const page = await pageOf('');
    let ended = 0;
    const all: Promise<Handled>[] = Array.from({ length: 20 }, () =>
      pool.handle(page).finally(() => {
        ended += 1;
      }),
    );
    // Releases one whenever no other has started.
    for (let before = 0, turn = 0; ended < 20 && turn < 10_000; turn += 1) {
      if (running === before) free.shift()?.();
      before = running;
      await new Promise(setImmediate);
    }
    expect((await Promise.all(all)).every(({ kind }) => kind === 'handled')).toBe(true);
    expect(highest).toBe(3);
  });

  it('informs handlers of an immediate stop', async () => {
    const stop = new AbortController();
    const { pool } = poolOf(
      [
        [
          'any',
          (page) => {
            stop.abort(new Error('stopped'));
            return page.emit(String(page.signal.reason));
          },
        ],
      ],
      { signal: stop.signal },
    );
    const handled = await pool.handle(await pageOf(''));
    expect(handled.kind === 'handled' && handled.staged.data).toEqual(['Error: stopped']);
  });
});
