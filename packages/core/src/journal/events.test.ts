// At stake: a listener that only watches a crawl must not be able to end it, or its process.
import { expect, it } from 'vitest';
import { createCrawlEmitter } from './events.js';

it.each<[name: string, listener: unknown, message: RegExp]>([
  ['page', () => undefined, /`event`.*decision, request,.*"page"/],
  ['toString', () => undefined, /`event`/],
  ['item', undefined, /`listener of item`.*function/],
])('a listener of %s that would never be called is refused', (name, listener, message) => {
  const emitter = createCrawlEmitter(() => undefined);
  expect(() => emitter.on(name as 'item', listener as () => void)).toThrow(message);
});

it.each<[string, () => void]>([
  ['throws', () => expect.unreachable()],
  ['rejects', () => Promise.reject(new Error('no'))],
])('a listener that %s is reported, and the others still get the event', async (_what, listener) => {
  const failures: unknown[] = [];
  const emitter = createCrawlEmitter((error) => failures.push(error));
  const received: string[] = [];
  emitter.on('nofollow-overridden', listener);
  emitter.on('nofollow-overridden', ({ url }) => received.push(url));
  emitter.emit('nofollow-overridden', { url: 'http://a.test/', from: 'http://a.test/' });
  await Promise.resolve();
  await Promise.resolve();
  expect([failures.length, received.length]).toEqual([1, 1]);
});
