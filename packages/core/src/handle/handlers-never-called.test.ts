// A handler that no page can reach is a mistake that even a crawl of hours would not show.

import { expect, it } from 'vitest';
import { Handlers } from './handlers.js';

it.each<[what: string, register: (handlers: Handlers) => void, hasBrowser: boolean, hasForm: boolean]>([
  [
    '`inBrowser`',
    (handlers) => handlers.on('html', () => undefined, { inBrowser: async () => undefined }),
    true,
    false,
  ],
  ['a handler', (handlers) => handlers.on('login', () => ({})), false, true],
])('a crawl is refused with %s that would never be called', (what, register, hasBrowser, hasForm) => {
  const handlers = new Handlers();
  register(handlers);
  expect(() => handlers.checkFor({ hasBrowser, hasForm })).not.toThrow();
  expect(() => handlers.checkFor({ hasBrowser: !hasBrowser, hasForm: !hasForm })).toThrow(
    expect.objectContaining({ code: 'route-invalid', message: expect.stringContaining(what) }),
  );
});

it.each([
  function* () {
    yield 1;
  },
  async function* () {
    yield 1;
  },
])('a generator is refused: nothing would read what it yields', (handler) => {
  expect(() => new Handlers().on('html', handler)).toThrow(
    expect.objectContaining({ code: 'route-invalid', hint: expect.stringContaining('page.emit') }),
  );
});

it('an invalid route is refused, and the message says how a label is written', () => {
  expect(() => new Handlers().on('product' as 'html', () => undefined)).toThrow(
    expect.objectContaining({ code: 'route-invalid', hint: expect.stringContaining('label:product') }),
  );
});

it('a route for a status of pages is refused, and the message names the routes of pages', () => {
  expect(() => new Handlers().on('status:200' as 'html', () => undefined)).toThrow(
    expect.objectContaining({ code: 'route-invalid', hint: expect.stringMatching(/2xx.*`html`/) }),
  );
});
