// A process may have several copies of this package: a global command, and the one that a handlers module imports. If
// this breaks, a handler that stops the crawl only fails its page, and every further page is requested.

import { expect, it } from 'vitest';
import { handlerSignal } from './signals.js';

const ANOTHER_COPY = './signals.js?another-copy';

it('signals of another copy of the package mean the same', async () => {
  const { RefusePage, RetryPage, StopCrawl } = (await import(ANOTHER_COPY)) as typeof import('./signals.js');
  const thrown = [new RetryPage('a', { afterMs: 5 }), new RetryPage('b'), new RefusePage('c'), new StopCrawl('d')];
  expect(thrown.map(handlerSignal)).toEqual([
    { kind: 'retry', reason: 'a', afterMs: 5 },
    { kind: 'retry', reason: 'b', afterMs: null },
    { kind: 'refuse', reason: 'c' },
    { kind: 'stop', reason: 'd' },
  ]);
  expect([new Error('e'), Object.create(null), null, 'f', () => 'g'].map(handlerSignal)).toEqual(Array(5).fill(null));
});
