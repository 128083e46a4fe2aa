// Where records are in a store of several servers. A record that is written to one server and read from another is
// lost, and one that is not stored with its host makes a worker wait for a server that its host does not need.

import { describe, expect, it } from 'vitest';
import { memoryStore } from '../stores/memory.js';
import { hostOfRecord } from './processes.js';
import { StoreGuard } from './store-guard.js';

describe('a record is kept with', () => {
  const rows = [
    ['robots/https://www.example.org:8443', 'www.example.org', 'example.org'],
    ['owner/data-txt/https://www.example.org', 'www.example.org', 'example.org'],
    ['owner/licenses/http://example.org:81', 'example.org', 'example.org'],
    ['owner/lastmod/www.example.org:81', 'www.example.org', 'example.org'],
    ['owner/validators/[::1]:81', '[::1]', '[::1]'],
    ['owner/visit/www.example.co.uk/0123456789abcdefghijkl', 'www.example.co.uk', 'example.co.uk'],
    ['parts', ' crawl', ' crawl'],
    ['part/two/budget', ' crawl', ' crawl'],
    ['budget of news since 5', ' crawl', ' crawl'],
    ['owner/totals', ' crawl', ' crawl'],
    ['fingerprint-secret', undefined, undefined],
    ['owner/crawl', undefined, undefined],
    ['moved', undefined, undefined],
  ] as const;
  it.each(rows)('%s: %s, by domain %s', (key, byHost, byDomain) => {
    expect(hostOfRecord(key, 'host')).toBe(byHost);
    expect(hostOfRecord(key, 'domain')).toBe(byDomain);
  });
});

it('is read where it was written, by any part of the frontier', async () => {
  const inner = memoryStore();
  const places: unknown[] = [];
  const writeRecord: typeof inner.writeRecord = async (key, _, near) => void places.push([key, near]);
  const readRecord: typeof inner.readRecord = async (key, near) => {
    places.push([key, near]);
    return null;
  };
  const { store } = new StoreGuard(Object.assign(Object.create(inner), { readRecord, writeRecord }), 'domain');
  await store.writeRecord('robots/http://www.a.test', null);
  await store.readRecord('robots/http://www.a.test');
  await store.readRecord('moved');
  expect(places).toEqual([
    ['robots/http://www.a.test', 'a.test'],
    ['robots/http://www.a.test', 'a.test'],
    ['moved', undefined],
  ]);
});
