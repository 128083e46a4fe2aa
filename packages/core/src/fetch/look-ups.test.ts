// A domain whose name server is silent occupies one lookup at a time, however many hosts it has. If this breaks, a page
// of links to such names makes all other lookups of the crawl fail.

import { describe, expect, it, vi } from 'vitest';
import { limitLookUps } from './address-guard.js';
import { DNS_DEADLINE_MS, MAX_SYSTEM_LOOKUPS } from './limits.js';

/** A resolver whose lookups end when a test ends them. */
function makeResolver() {
  const underway = new Map<string, (addresses: readonly string[]) => void>();
  const lookups: string[] = [];
  const resolve = limitLookUps((hostname) => {
    lookups.push(hostname);
    return new Promise((done) => underway.set(hostname, done));
  });
  const answer = async (hostname: string): Promise<void> => {
    underway.get(hostname)?.(['192.0.2.1']);
    await new Promise(setImmediate);
  };
  return { resolve, lookups, answer };
}

describe('look-ups', () => {
  it('of one domain are made one at a time, and others do not wait for them', async () => {
    const { resolve, lookups, answer } = makeResolver();
    const all = ['a.evil.example', 'b.evil.example', 'c.evil.example', 'good.example', 'www.fine.example'].map(resolve);
    await new Promise(setImmediate);
    expect(lookups).toEqual(['a.evil.example', 'good.example', 'www.fine.example']);
    await answer('good.example');
    await answer('www.fine.example');
    expect(lookups).toHaveLength(3);
    await answer('a.evil.example');
    expect(lookups.at(-1)).toBe('b.evil.example');
    await answer('b.evil.example');
    await answer('c.evil.example');
    expect(await Promise.all(all)).toEqual(all.map(() => ['192.0.2.1']));
  });

  it('of one domain wait for the last one, although an earlier one is over', async () => {
    const { resolve, lookups, answer } = makeResolver();
    const first = ['a.evil.example', 'b.evil.example'].map(resolve);
    await new Promise(setImmediate);
    await answer('a.evil.example');
    const last = resolve('c.evil.example');
    await new Promise(setImmediate);
    expect(lookups).toEqual(['a.evil.example', 'b.evil.example']);
    await answer('b.evil.example');
    await answer('c.evil.example');
    expect(await Promise.all([...first, last])).toHaveLength(3);
  });

  it('are not made once their callers have given up', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { resolve, lookups, answer } = makeResolver();
      const [first, late] = ['a.evil.example', 'b.evil.example'].map(resolve);
      const refused = expect(late).rejects.toThrow('take too long');
      await new Promise(setImmediate);
      vi.advanceTimersByTime(DNS_DEADLINE_MS);
      await answer('a.evil.example');
      await first;
      await refused;
      expect(lookups).toEqual(['a.evil.example']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are few at once, and made in the order in which they were requested', async () => {
    const { resolve, lookups, answer } = makeResolver();
    const names = Array.from({ length: MAX_SYSTEM_LOOKUPS + 2 }, (_, index) => `site-${index}.example`);
    const all = names.map(resolve);
    await new Promise(setImmediate);
    expect(lookups).toEqual(names.slice(0, MAX_SYSTEM_LOOKUPS));
    for (const name of names) await answer(name);
    expect(lookups).toEqual(names);
    await Promise.all(all);
  });

  it('that fail free their place too', async () => {
    let lookups = 0;
    const resolve = limitLookUps(() => {
      lookups += 1;
      return Promise.reject(new Error('ENOTFOUND'));
    });
    const all = Array.from({ length: 10 }, (_, index) => resolve(`n${index}.example`));
    expect(await Promise.all(all.map((one) => one.catch(() => 'failed')))).toEqual(all.map(() => 'failed'));
    expect(lookups).toBe(10);
  });
});
