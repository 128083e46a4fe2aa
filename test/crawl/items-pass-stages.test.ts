// Items are cleaned, dropped, divided and enriched between handlers and sinks, in a crawl as in its replay. At stake:
// if an id changed when another item is dropped, items would be doubled after a crash; an error without its line would
// be hard to find.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Item, type ItemStage, memorySink, readCrawlDirectory, readErrors, replay, writeReport } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

interface Product {
  name: string;
  price: string;
}

const priced: ItemStage<Product> = (item) => (item.price === '' ? null : { ...item, price: Number(item.price) });
const withPage: ItemStage<object> = async (item, { title, url }) => ({ ...item, title, host: new URL(url).host });
const byParts: ItemStage<{ name: string }> = (item) => item.name.split(' and ').map((name) => ({ ...item, name }));
const STAGES = [priced, withPage, byParts];

const PRODUCTS: readonly Product[] = [
  { name: 'net', price: '12' },
  { name: 'free', price: '' },
  { name: 'boots and bucket', price: '30' },
];

async function story(items: readonly ItemStage[], more: Parameters<typeof crawl>[0] | object = {}) {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': page('Shop', ['/quiet']),
        '/quiet': page('Quiet', [], '<meta name="robots" content="noindex">'),
      },
    },
  });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-stages-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const result = await crawl({
    seeds: [web.url('a.test')],
    out,
    archive: true,
    items,
    handlers: (crawler) =>
      crawler.on('html', async (each) => {
        for (const product of PRODUCTS) await each.emit({ ...product });
        await each.follow();
      }),
    ...more,
  });
  return { ...result, out };
}

const plain = (items: readonly Item[]) => items.map(({ id, data }) => [id.replace(/^.*\/[0-9a-f]{16}\//, ''), data]);

const EXPECTED = [
  ['0', { name: 'net', price: 12, title: 'Shop', host: expect.stringMatching(/^a\.test:/) }],
  ['2', expect.objectContaining({ name: 'boots', price: 30 })],
  ['2.1', expect.objectContaining({ name: 'bucket', price: 30 })],
];
const COUNTS = [
  { name: 'priced', in: 3, out: 2, dropped: 1, failed: 0 },
  { name: 'withPage', in: 2, out: 2, dropped: 0, failed: 0 },
  { name: 'byParts', in: 2, out: 3, dropped: 0, failed: 0 },
];

it('items pass the stages in order, keep their ids, and a replay gives the same result', async () => {
  const { items, report, out } = await story(STAGES);
  expect(plain(items)).toEqual(EXPECTED);
  // A page that must not be kept has no items for the stages.
  expect(report.stages).toEqual(COUNTS);
  expect(report.items).toBe(3);
  const again = memorySink();
  const replayed = await replay({
    from: out,
    items: STAGES,
    sinks: [again],
    handlers: (routes) =>
      routes.on('html', async (each) => {
        for (const product of PRODUCTS) await each.emit({ ...product });
      }),
  });
  expect(again.items).toEqual(items);
  expect(replayed.stages).toEqual(COUNTS);
});

it('the report of the directory has the stages of all runs, in numbers and on its page', async () => {
  const { out } = await story(STAGES);
  await writeFile(join(out, 'runs.jsonl'), `${JSON.stringify({ stages: [...COUNTS, 1] })}\n`, { flag: 'a' });
  await writeFile(join(out, 'runs.jsonl'), `${JSON.stringify({ stages: COUNTS.slice(0, 1) })}\n`, { flag: 'a' });
  const { data, htmlPath } = await writeReport(await readCrawlDirectory(out));
  const twice = { name: 'priced', in: 6, out: 4, dropped: 2, failed: 0 };
  expect(data.stages).toEqual([twice, ...COUNTS.slice(1)]);
  expect(await readFile(htmlPath, 'utf8')).toContain(JSON.stringify(twice));
});

it('a stage that throws fails its page, with the file and line of the stage, and nothing of the page is kept', async () => {
  const breaks: ItemStage<Product> = (item) => {
    if (item.name === 'free') throw new RangeError('nothing is free');
    return item;
  };
  const { items, report, decisions, out } = await story([breaks]);
  expect(items).toEqual([]);
  expect(report.stages).toEqual([{ name: 'breaks', in: 2, out: 1, dropped: 0, failed: 1 }]);
  expect(decisions).toMatchObject([
    { status: 'failed', reason: 'handler-error', detail: 'RangeError: nothing is free' },
  ]);
  const errors = [];
  for await (const error of readErrors(join(out, 'errors.jsonl'))) errors.push(error);
  expect(errors).toMatchObject([
    {
      code: 'handler-error',
      name: 'RangeError',
      source: expect.stringMatching(/items-pass-stages\.test\.ts:\d+:\d+$/),
    },
  ]);
});

it('a stage that takes too long fails its page like a handler', async () => {
  const waits: ItemStage = () => new Promise(() => undefined);
  const { decisions } = await story([waits], { handlerTimeoutMs: 50 });
  expect(decisions).toMatchObject([{ status: 'failed', reason: 'handler-timeout' }]);
});
