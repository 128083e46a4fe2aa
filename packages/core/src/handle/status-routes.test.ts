// Which handler gets an answer that is not a page.

import { expect, it } from 'vitest';
import { Handlers, type Route } from './handlers.js';

it('of an answer that is not a page is its status, then its class, and gets no pages', async () => {
  const handlers = new Handlers();
  for (const route of ['status:404', 'status:4xx', 'STATUS:5XX' as Route] as const) handlers.on(route, () => undefined);
  const found = [404, 410, 503, 300].map((status) => handlers.findByStatus(status)?.route ?? null);
  expect(found).toEqual(['status:404', 'status:4xx', 'status:5xx', null]);
  expect(handlers.find({ kind: 'html', mime: 'text/html', label: null })?.route).toBe('default');
});

it.each(['status:200', 'status:600', 'status:2xx', 'status:', 'status:4x'])('cannot be %j', (route) => {
  expect(() => new Handlers().on(route as Route, () => undefined)).toThrow(
    expect.objectContaining({ code: 'route-invalid' }),
  );
});
