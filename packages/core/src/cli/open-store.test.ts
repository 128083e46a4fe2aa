// A store by its URL: what is no store is refused with what to write instead, and no password is printed.

import { describe, expect, it } from 'vitest';
import { checkProcesses } from './crawl-flags.js';
import { whereOf } from './open-inspection.js';
import { openStore } from './open-store.js';

describe('--store', () => {
  const refused = [
    ['mysql://host/db', /is no URL of a store/],
    ['frontier', /is no URL of a store/],
    ['http://user:secret@host/', /\*\*\*@host/],
    ['postgres://u:s3cr/3tpw@h', /"postgres:\/\/\*\*\*@h" is no URL of a store/],
    ['redis://127.0.0.1/?crawl=a b', /letters, digits/],
    ['redis://127.0.0.1/?crawl=', /letters, digits/],
  ] as const;
  it.each(refused)('refuses %s', async (url, says) => {
    await expect(openStore(url, '')).rejects.toThrow(says);
  });

  const names = [
    ['redis://user:secret@127.0.0.1:1/2?crawl=docs', 'redis://127.0.0.1:1/2?crawl=docs'],
    ['postgres://user:secret@127.0.0.1:1/db', 'postgres://127.0.0.1:1/db?crawl=mannerly'],
    ['postgresql://127.0.0.1:1/db?sslmode=disable&crawl=a-b', 'postgresql://127.0.0.1:1/db?crawl=a-b'],
  ] as const;
  it.each(names)('names %s without its password', async (url, name) => {
    const opened = await openStore(url, 'crew');
    expect(opened.name).toBe(name);
    expect(opened.make(() => undefined).capabilities.shared).toBe(true);
    await opened.close();
  });

  const contradictions = [
    ['a reset of a server', { store: 'redis://h', reset: true }, /--reset/],
    ['one CSV file of several processes', { workers: 2, csv: 'items.csv' }, /--csv/],
    ['a live view of several processes', { workers: 2, dashboard: true }, /--dashboard/],
  ] as const;
  it.each(contradictions)('refuses %s', (_, flags, says) => {
    expect(() => checkProcesses(flags)).toThrow(says);
  });

  it('stands in the place of a directory, not next to it', () => {
    expect(whereOf('dir', {})).toEqual({ directory: 'dir' });
    expect(whereOf(undefined, { store: 'redis://h' })).toEqual({ store: 'redis://h' });
    expect(() => whereOf('dir', { store: 'redis://h' })).toThrow(/crawl directory, or the store/);
    expect(() => whereOf(undefined, {})).toThrow(/crawl directory, or the store/);
  });
});
