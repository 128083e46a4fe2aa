// An error without the line of the handler sends its author through the whole program. Node.js keeps ten frames of a
// stack, and a parser of HTML is deeper than that.

import { createCrawler, planCrawl } from 'mannerly';
import { createPoliteFetch } from 'mannerly/fetch';
import { crawlInVirtualTime, createFakeWeb } from 'mannerly/testing';
import { expect, it, onTestFinished } from 'vitest';

it('the stack of a page that `page.$` refuses has the line of the handler', async () => {
  const { stackTraceLimit } = Error;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  Error.stackTraceLimit = 10;
  const stacks: unknown[] = [];
  const web = createFakeWeb({ hosts: { 'a.test': { pages: { '/': '<div>'.repeat(2_000) } } } });
  const make = (fakes: ReturnType<typeof web.fakes>) =>
    createCrawler({
      identity: { name: 'test-bot', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 1 },
      log: ({ code, stack }) => void (code === 'handler-error' && stacks.push(stack)),
      ...fakes,
    }).on('html', (page) => void page.$);
  await crawlInVirtualTime(web, make, { mayThrow: true });
  expect(stacks).toEqual([expect.stringMatching(/too much for a DOM[\s\S]*errors-name-the-line\.test\.ts/)]);
});

const IDENTITY = { name: 'test-bot', contact: 'https://example.org/us' };
const POLITENESS = { profile: { minMs: 'soon' } } as never;
const WRONG = { identity: IDENTITY, scope: { seeds: [] }, bounds: { pages: 1 }, politeness: POLITENESS };

it.each<[string, () => unknown]>([
  ['createCrawler', () => createCrawler(WRONG)],
  ['planCrawl', () => planCrawl(WRONG)],
  ['createPoliteFetch', () => createPoliteFetch({ identity: IDENTITY, politeness: POLITENESS })],
])('the stack of a wrong option begins with the call of %s', async (_name, call) => {
  const error = await Promise.resolve()
    .then(call)
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'option-invalid' });
  expect(String((error as Error).stack).split(/^ +at /m)[1]).toContain('errors-name-the-line.test.ts');
});
