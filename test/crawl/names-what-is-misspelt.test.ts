// A misspelt selector or label ends a crawl early, without an error: its author must be told.

import { createCrawler, type HandledPage } from 'mannerly';
import { createFakeWeb, fakePage } from 'mannerly/testing';
import { expect, it } from 'vitest';

async function logged(handler: (page: HandledPage) => Promise<unknown>, about = 'selector-unused'): Promise<string[]> {
  const entries: string[] = [];
  const web = createFakeWeb({
    hosts: { 'a.test': { pages: { '/': fakePage('Start', ['/a']), '/a': fakePage('A') } } },
  });
  await createCrawler({
    identity: { name: 'test-bot', contact: 'https://example.org/us' },
    scope: { seeds: ['https://a.test/'] },
    bounds: { pages: 9 },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
    log: ({ code, message }) => {
      if (code === about) entries.push(message);
    },
    ...web.fakes(),
  })
    .on('html', handler)
    .on('label:shelf', () => undefined)
    .run();
  return entries;
}

it('a selector that found no link on any page is named when the crawl has finished', async () => {
  const handler = async (page: HandledPage) => {
    for (const selector of ['a', 'a.nxet', 'a[href$="/a"]']) await page.follow(selector);
  };
  expect(await logged(handler)).toEqual(['No page had a link for `page.follow("a.nxet")`']);
});

it('no selector is named if handlers build them as they go', async () => {
  let made = 0;
  const handler = async (page: HandledPage) => {
    for (let at = 0; at < 10; at += 1) await page.follow(`a.of-${++made}`);
    await page.follow();
  };
  expect(await logged(handler)).toEqual([]);
});

it('a label without a route is named together with the route that got no page', async () => {
  const handler = (page: HandledPage) => page.follow('a', { label: 'shlef' });
  expect(await logged(handler, 'route-unused')).toEqual([
    'No page came to `label:shelf`: no link was followed with this label. These labels have no route: shlef',
  ]);
});
