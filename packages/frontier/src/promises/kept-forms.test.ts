// What is written to a store is read back unchanged, and damaged values are never read as permission or as no delay.

import { initialAccess, nextAccess, resolveAccessOptions } from '@mannerly/robots/access';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHostState, encodeHostState, newHostState } from '../hosts/host-state.js';
import { LeasedHost } from '../hosts/leased-host.js';
import { resolveOptions } from '../options/options.js';
import { newHostClock } from '../politeness/host-clock.js';
import { decodeItem, encodeItem } from '../records/record.js';
import { type Chain, decodeAuthority, encodeAuthority, newAuthorityRecord } from '../robots/authority-cache.js';
import { robotsHash } from '../robots/packed-record.js';
import { memoryStore } from '../stores/memory.js';

const options = resolveAccessOptions();
const answered = nextAccess(
  initialAccess(),
  {
    kind: 'answer',
    answer: {
      kind: 'response',
      status: 200,
      headers: {},
      body: new Uint8Array(1_048_400).fill(0x23),
      robotsUrl: 'http://a.test/robots.txt',
      finalUrl: 'http://a.test/robots.txt',
    },
  },
  1_000,
  options,
);

describe('queue entries', () => {
  it('come back as they were', () => {
    const record = {
      url: 'http://a.test/%C3%BC',
      depth: 2,
      via: 'link',
      from: null,
      hops: 0,
      label: null,
      userData: { ü: [1] },
      tries: 3,
    } as const;
    const page = { kind: 'page', record, addedAtMs: 5 } as const;
    const hop = { kind: 'hop', authority: 'http://a.test', chain: '7', url: 'http://b.test/r' } as const;
    expect(decodeItem(encodeItem(page))).toEqual(page);
    expect(decodeItem(encodeItem(hop))).toEqual(hop);
  });

  it.each([
    ...['', 'null', '[]', '{"u":1}', '{"u":"http://a.test/","d":"1","v":"link","t":0}', '{"k":"h"}'],
    ...['file:///etc/passwd', 'javascript:1', 'http://me:secret@a.test/', 'HTTP://a.test/', 'http://a.test/b/../c'].map(
      (url) => `{"u":"${url}","d":1,"v":"link","t":0}`,
    ),
    ...['"d":-1', '"v":"leap"', '"t":1e308', '"r":-1', '"l":7', '"n":0.5'].map(
      (field) => `{"u":"http://a.test/","d":1,"v":"link","t":0,${field}}`,
    ),
  ])('%j is refused', (text) => {
    expect(() => decodeItem(new TextEncoder().encode(text))).toThrow(
      expect.objectContaining({ code: 'record-unreadable' }),
    );
  });
});

describe('host state', () => {
  const clock = {
    ...newHostClock(),
    lastStartMs: 90_000,
    lastEndMs: 95_000,
    lastRetrievalMs: 5_000,
    pausedUntilMs: 160_000,
    adaptiveMs: 2_000,
    ...{ goodInARow: 1, throttledInARow: 2, failedInARow: 3, refusedInARow: 4 },
  };

  it('keeps the gap and the pause at any later time, never shorter', () => {
    const used = { pages: 7, bytes: 8, firstRequestRunningMs: 9, sinceMs: 11 };
    // Due at 100,000 by the writer's clock; the reader's clock must be at least as late.
    const others = {
      used,
      spacingAuthorities: ['http://a.test'],
      minDelayMs: 10,
      lastRobotsAuthority: 'http://a.test',
    };
    const state = decodeHostState(encodeHostState({ clock, ...others }, 100_000), 5_000_000)!;
    expect(state).toMatchObject(others);
    expect(state.clock).toEqual({ ...clock, lastStartMs: 4_990_000, lastEndMs: 4_995_000, pausedUntilMs: 5_060_000 });
  });

  it('fits into 1 KiB whatever the names of its authorities', () => {
    const authorities = Array.from({ length: 6 }, (_, at) => `https://${'x'.repeat(240)}${at}.test:8443`);
    const bytes = encodeHostState({ ...newHostState(), spacingAuthorities: authorities }, 0);
    expect(bytes.length).toBeLessThanOrEqual(1_024);
    expect(decodeHostState(bytes, 0)!.spacingAuthorities).toEqual(authorities.slice(0, 3));
  });

  it('that cannot be read counts as a request just now', () => {
    const lease = {
      host: 'a.test',
      fencingToken: '1',
      state: new Uint8Array([1, 2, 3]),
      entries: [],
      queued: 0,
    };
    const { settingsOf } = resolveOptions({ store: memoryStore(), robots: { tokens: ['testbot'] } });
    const host = new LeasedHost(lease, settingsOf('a.test'), 50, 60);
    expect(host.clock).toMatchObject({ lastStartMs: 60, lastEndMs: 60 });
  });

  it.each([
    ['an interval', { a: 1e300 }, { adaptiveMs: 600_000 }],
    ['a pause', { p: 1e300 }, { pausedUntilMs: 86_400_060 }],
    ['an exchange that is yet to come', { s: -1e300, e: -5 }, { lastStartMs: 60, lastEndMs: 60 }],
    ['a count', { t: -7 }, { throttledInARow: 0 }],
  ])('%s beyond its bounds is the nearest within them', (_what, fields, expected) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, ...fields }));
    expect(decodeHostState(bytes, 60)?.clock).toMatchObject(expected);
  });

  it.each([{ e: '5' }, { a: [] }, { l: 'http://a.test' }, { l: [7] }, { o: 'x'.repeat(1_024) }])(
    'with %j is not read',
    (fields) => {
      expect(decodeHostState(new TextEncoder().encode(JSON.stringify({ v: 1, ...fields })), 60)).toBeNull();
    },
  );

  it('random bytes never throw', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => decodeHostState(bytes, 0) === null));
  });
});

describe('authority records', () => {
  it('come back as they were', () => {
    const chain = { id: '9', urls: ['http://a.test/robots.txt', 'http://b.test/r'], untilMs: 77 };
    const record = { ...newAuthorityRecord(), chain, hasAnswered: true };
    expect(decodeAuthority('http://a.test', encodeAuthority(record))).toEqual(record);
  });

  it('with a body that does not fit are read as unknown, not as no rules', () => {
    const bytes = encodeAuthority({ ...newAuthorityRecord(), access: answered, hash: 'ab' });
    expect(bytes.length).toBeLessThanOrEqual(1_048_576);
    expect(decodeAuthority('http://a.test', bytes)?.access.phase).toBe('none-yet');
  });

  it('of another body or authority are unknown, so that the file is fetched', () => {
    const copy = { ...answered.copy!, body: new TextEncoder().encode('User-agent: *\nDisallow: /') };
    const kept = { ...newAuthorityRecord(), access: { ...answered, copy }, hash: robotsHash(copy.body) };
    expect(decodeAuthority('http://a.test', encodeAuthority(kept))?.hash).toBe(kept.hash);
    expect(decodeAuthority('http://b.test', encodeAuthority(kept))).toBeNull();
    const open = { ...copy, body: new TextEncoder().encode('User-agent: *\nDisallow:!/') };
    expect(
      decodeAuthority('http://a.test', encodeAuthority({ ...kept, access: { ...answered, copy: open } })),
    ).toBeNull();
    const chain = { id: '9', urls: 'http://a.test/robots.txt', untilMs: 77 } as unknown as Chain;
    expect(decodeAuthority('http://a.test', encodeAuthority({ ...kept, chain }))).toBeNull();
  });

  it('are rejected if damaged, and nothing throws', () => {
    const bytes = encodeAuthority({
      ...newAuthorityRecord(),
      access: { ...answered, copy: { ...answered.copy!, body: new Uint8Array(20) } },
    });
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeAuthority('http://a.test', bytes.subarray(0, length))?.access.phase ?? 'none-yet').toBe('none-yet');
    }
    fc.assert(fc.property(fc.uint8Array(), (random) => decodeAuthority('http://a.test', random) === null));
  });
});
