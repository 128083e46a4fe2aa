// The depth of the URLs that a handler follows. Every link is one deeper than its page, except the next page of a list:
// otherwise a bound on the depth would cut every longer list. An invalid option, selector or URL is reported: if it
// were ignored, a crawl would silently lose links.

import { describe, expect, it } from 'vitest';
import { pageReader, pageWork, response } from '../../test-support/page-work.js';
import type { FetchedPage } from '../page/page.js';
import { Handlers } from './handlers.js';
import { addUrl, followLinks, nextVisit } from './page-context.js';
import { Stage } from './staged.js';

const URL_OF_PAGE = 'https://example.com/a/';
const LIST =
  '<link rel=next href=/l><a href=b>1</a><a href=c>2</a><a class=n href=c rel="nofollow">3</a>' +
  '<a class=n href=c rel="noopener NEXT">4</a><area href=d rel=next><a href=e rel=nexttime>5</a>';

const reader = pageReader();

type Options = Parameters<typeof followLinks>[3];

/** What the calls stage on the page of the list, which is two links from its seed. */
async function staged(...calls: ((page: FetchedPage, stage: Stage) => unknown)[]) {
  const page = await reader.read(pageWork(URL_OF_PAGE), response(URL_OF_PAGE, LIST, [['Content-Type', 'text/html']]));
  const stage = new Stage(page, null);
  for (const call of calls) call(page, stage);
  return stage.seal().links;
}

const follow =
  (selector?: string, options: Options = {}) =>
  (page: FetchedPage, stage: Stage) =>
    followLinks(page, { stage, handlers: new Handlers(), isArchived: true }, selector, options);
const add = (url: string, options: Options) => (page: FetchedPage, stage: Stage) =>
  addUrl(page, stage, new Set(), url, options);

it.each<[string, (page: FetchedPage, stage: Stage) => unknown, string, RegExp]>([
  ['no selector', follow('a['), 'option-invalid', /`selector`.*"a\["/],
  ['a name', follow('a', 'product' as Options), 'option-invalid', /an object of label, .*"product"/],
  ['an unknown option', add('b', { lable: 'x' } as Options), 'option-unknown', /`add.lable`.*known: label/],
  ['an option of a request', add('b', { method: 'POST' } as Options), 'option-unknown', /`add.method`.*known: label/],
  [
    'a priority past the last',
    add('b', { priority: 8 }),
    'option-invalid',
    /`add.priority`.*0 \(first\) to 7 \(last\), got 8/,
  ],
  ['a priority before the first', follow('a', { priority: -1 }), 'option-invalid', /`follow.priority`.*got -1/],
  ['half a priority', (page) => nextVisit(page, 0, { priority: 2.5 }), 'option-invalid', /`revisit.priority`.*got 2.5/],
  ['no URL', add(undefined as unknown as string, {}), 'option-invalid', /`url`/],
])('%s in place of a valid argument is refused', async (_what, call, code, message) => {
  await expect(staged(call)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

it.each<[string, (page: FetchedPage, stage: Stage) => unknown, string]>([
  ['a URL object', add(new URL('https://a.test/') as unknown as string, {}), '`href`'],
  ['a list of URLs', add(['b'] as unknown as string, {}), 'for each URL'],
  ['a method', follow('a', { method: 'POST' } as Options), 'with GET'],
])('%s leads to what is meant', async (_what, call, hint) => {
  await expect(staged(call)).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
});

describe('the depth', () => {
  it.each([
    ['of every link', follow(), ['/a/b 3', '/a/c 2', '/a/d 2', '/a/e 3']],
    ['by a selector', follow('.n'), ['/a/c 2']],
    ['of a link element', follow('link'), ['/l 2']],
    ['next to other options', follow('.n', { label: 'x', userData: 1 }), ['/a/c 2']],
    ['same', follow('[href=b]', { depth: 'same' }), ['/a/b 2']],
    ['deeper', follow('.n, link', { depth: 'deeper' }), ['/l 3', '/a/c 3']],
    ['of a URL that is added', add('c', {}), ['/a/c 3']],
    ['of a URL that is added as the next page', add('c', { depth: 'same' }), ['/a/c 2']],
    ['of another visit', (page: FetchedPage, stage: Stage) => stage.link(nextVisit(page, 0, {})), ['/a/ 2']],
  ])('%s', async (_what, call, expected) => {
    const links = await staged(call);
    expect(links.map(({ url, depth }) => `${new URL(url).pathname} ${depth}`)).toEqual(expected);
  });

  it('is the smaller one if a URL is followed twice', async () => {
    const links = await staged(follow('[href=b]', { label: 'first' }), follow('[href=b]', { depth: 'same' }));
    expect(links).toMatchObject([{ depth: 2, label: 'first' }]);
    expect(await staged(follow('[href=b]', { depth: 'same' }), follow('[href=b]'))).toMatchObject([{ depth: 2 }]);
  });

  it('has one of two values', async () => {
    const wrong = staged(follow('a', { depth: 2 as unknown as 'same' }));
    await expect(wrong).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('`follow.depth`'),
    });
  });
});
