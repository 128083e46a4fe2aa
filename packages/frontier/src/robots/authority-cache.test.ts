// At stake: memory in crawls of many hosts. Entries that left it must come back unchanged.

import { initialAccess, nextAccess, resolveAccessOptions } from '@mannerly/robots/access';
import { describe, expect, it } from 'vitest';
import { type Authority, AuthorityCache, authorityKey, encodeAuthority } from './authority-cache.js';
import type { AuthorityRules } from './authority-rules.js';
import { robotsHash } from './packed-record.js';

const RULES = { comments: ['read'] } as unknown as AuthorityRules;
const BODY = new Uint8Array([1]);

function cacheOf(bounds: { maxAuthorities: number; maxRules: number }, kept = new Map<string, Uint8Array>()) {
  const records = {
    readRecord: async (key: string) => kept.get(key) ?? null,
    writeRecord: async (key: string, bytes: Uint8Array) => {
      kept.set(key, bytes);
    },
  };
  return new AuthorityCache(records as never, (record) => record, { ...bounds, maxBytes: 1_000_000 });
}

async function loadAll(cache: ReturnType<typeof cacheOf>, names: readonly string[]): Promise<Authority[]> {
  const all: Authority[] = [];
  for (const name of names) {
    const authority = await cache.load(name);
    cache.keepRules(authority, RULES, BODY);
    all.push(authority);
  }
  return all;
}

describe('compiled rules', () => {
  it('are kept for the authorities that were read last, and only their state for the others', async () => {
    const cache = cacheOf({ maxAuthorities: 10, maxRules: 2 });
    const all = await loadAll(cache, ['http://a.test', 'http://b.test', 'http://c.test']);
    expect(all.map(({ rules }) => rules !== null)).toEqual([false, true, true]);
    expect(all[0]?.rulesBody).toBeNull();
    expect(cache.peek('http://a.test')).toBe(all[0]);
    cache.keepRules(all[0] as Authority, RULES, BODY);
    expect(all.map(({ rules }) => rules !== null)).toEqual([true, false, true]);
  });

  it('read again count once', async () => {
    const cache = cacheOf({ maxAuthorities: 10, maxRules: 2 });
    const [a, b] = await loadAll(cache, ['http://a.test', 'http://b.test', 'http://b.test', 'http://b.test']);
    expect([a?.rules, b?.rules]).toEqual([RULES, RULES]);
  });

  it('of authorities that left memory are not counted, and those that came back keep theirs', async () => {
    const cache = cacheOf({ maxAuthorities: 2, maxRules: 2 });
    const [a, b] = await loadAll(cache, ['http://a.test', 'http://b.test', 'http://c.test']);
    expect(cache.peek('http://a.test')).toBeNull();
    // The evicted authority keeps its rules for those who still use it; b keeps its own.
    expect(a?.rules).toBe(RULES);
    expect(b?.rules).toBe(RULES);
    cache.keepRules(a as Authority, RULES, BODY);
    expect(b?.rules).toBe(RULES);
  });
});

describe('an authority that is read again', () => {
  const options = resolveAccessOptions();
  const state = (text: string) =>
    nextAccess(
      initialAccess(),
      {
        kind: 'answer',
        answer: {
          kind: 'response',
          status: 200,
          headers: {},
          body: new TextEncoder().encode(text),
          robotsUrl: 'http://a.test/robots.txt',
          finalUrl: 'http://a.test/robots.txt',
        },
      },
      1_000,
      options,
    );

  it.each([
    ['keeps the rules of the same file', 'Disallow: /a', RULES],
    ['has none where another process kept another file', 'Disallow: /b', null],
  ])('%s', async (_, text, rules) => {
    const kept = new Map<string, Uint8Array>();
    const cache = cacheOf({ maxAuthorities: 2, maxRules: 2 }, kept);
    const before = await cache.load('http://a.test');
    const access = state('Disallow: /a');
    Object.assign(before, { access, hash: robotsHash(access.copy!.body) });
    cache.keepRules(before, RULES, access.copy!.body);
    kept.set(
      authorityKey('http://a.test'),
      encodeAuthority({ ...before, access: state(text), hash: robotsHash(new TextEncoder().encode(text)) }),
    );
    const after = await cache.refresh('http://a.test');
    expect(after).not.toBe(before);
    expect(after.rules).toBe(rules);
  });

  it('is not changed while a request for it is in flight', async () => {
    const cache = cacheOf({ maxAuthorities: 2, maxRules: 2 });
    const before = await cache.load('http://a.test');
    before.access = { ...before.access, fetching: true };
    expect(await cache.refresh('http://a.test')).toBe(before);
  });
});
