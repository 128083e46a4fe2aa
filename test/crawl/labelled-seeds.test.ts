// A seed may name its handler and what that handler gets, in a program, in a configuration file, and with workers.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { makeCrawler } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const SITE = {
  '/robots.txt': text('User-agent: *\nDisallow:'),
  '/': page('start', ['/linked']),
  '/list': page('list', []),
  '/linked': page('linked', []),
};

it('reach the handler of their label with their user data, the others that of their kind', async () => {
  const web = await webForTest({ hosts: { 'a.test': SITE } });
  const userData = { shelf: 3 };
  const handled: unknown[] = [];
  const crawler = makeCrawler({
    seeds: [web.url('a.test'), { url: web.url('a.test', '/list'), label: 'list', userData }],
    bounds: { pages: 10 },
    handlers(of) {
      of.on('html', async (each) => {
        handled.push(['html', each.title, each.userData]);
        await each.follow();
      });
      of.on('label:list', (each) => void handled.push([each.label, each.title, each.userData]));
    },
  });
  userData.shelf = 4;
  await crawler.run();
  expect(handled).toHaveLength(3);
  expect(handled).toEqual(
    expect.arrayContaining([
      ['html', 'start', null],
      ['list', 'list', { shelf: 3 }],
      ['html', 'linked', null],
    ]),
  );
  const wrong = () =>
    makeCrawler({ seeds: [{ url: web.url('a.test'), userData: () => 1 }] as never, bounds: { pages: 1 } });
  expect(wrong).toThrow(expect.objectContaining({ code: 'item-invalid' }));
});

it.each(['1', '2'])('reach it from a configuration file, with %s worker(s)', async (workers) => {
  const web = await webForTest({ hosts: { '127.0.0.1': SITE } });
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-seeds-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const config = join(folder, 'mannerly.config.json');
  const seeds = [{ url: web.url('127.0.0.1', '/list'), label: 'list', userData: { shelf: 3 } }, web.url('127.0.0.1')];
  const network = { allowAddresses: ['127.0.0.0/8'] };
  const identity = { name: 'seed-test', contact: 'https://example.org/our-crawler' };
  await writeFile(join(folder, 'handlers.mjs'), HANDLERS);
  await writeFile(config, JSON.stringify({ identity, scope: { seeds }, network, handlers: './handlers.mjs' }));
  const out = join(folder, 'out');
  const args = ['crawl', '--config', config, '--workers', workers, '--out', out, '--interval', '0'];
  await promisify(execFile)(process.execPath, [COMMAND, ...args]);
  const items = (await promisify(execFile)(process.execPath, [COMMAND, 'export', out])).stdout.trim().split('\n');
  expect(items.map((line) => JSON.parse(line).data)).toEqual(
    expect.arrayContaining([
      ['list', { shelf: 3 }],
      ['html', null],
    ]),
  );
  expect(JSON.parse(await readFile(join(out, 'crawl.json'), 'utf8')).seeds).toContain(web.url('127.0.0.1', '/list'));
});

const HANDLERS = `export function handlers(crawler) {
  crawler.on('html', (page) => page.emit(['html', page.userData]));
  crawler.on('label:list', (page) => page.emit([page.label, page.userData]));
}
`;
