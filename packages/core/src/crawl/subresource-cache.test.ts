// At stake: the one script of a site with a thousand pages is requested a thousand times; or a page gets an answer that
// was meant for another, or an outdated one.

import { describe, expect, it } from 'vitest';
import type { ResponseOutcome } from '../fetch/outcome.js';
import { SubresourceCache } from './subresource-cache.js';

const MINUTE = 60_000;
const MIB = 1024 * 1024;
const SCRIPT = { url: 'https://a.test/x.js', type: 'script', maxBodyBytes: 20 * MIB };

function answer(more: Partial<ResponseOutcome> = {}, bytes = 3): ResponseOutcome {
  return {
    kind: 'response',
    url: SCRIPT.url,
    status: 200,
    statusText: 'OK',
    headers: [],
    body: new Uint8Array(bytes),
    truncated: null,
    encodedBytes: bytes,
    remoteAddress: null,
    timing: { startedAtMs: 0, headersAtMs: 0, endedAtMs: 0 },
    ...more,
  };
}

function memory() {
  let now = 0;
  const cache = new SubresourceCache(() => now);
  const at = (ms: number): void => {
    now = ms;
  };
  const find = (wanted: Parameters<SubresourceCache['find']>[0], page = 'https://a.example/') =>
    cache.find(wanted, page);
  return { find, keep: cache.store.bind(cache), at };
}

describe('the cache of subresources', () => {
  it.each<[string, ResponseOutcome['headers'], number]>([
    ['nothing', [], 24 * 60],
    ['an hour', [['Cache-Control', 'public, max-age=3600']], 60],
    ['a year', [['cache-control', 'max-age=31536000, immutable']], 24 * 60],
    ['no time at all', [['Cache-Control', 'no-store']], 10],
  ])('is used for as long as a robots.txt that asks for %s', (_what, headers, minutes) => {
    const { keep, find, at } = memory();
    keep(SCRIPT, answer({ headers }));
    at(minutes * MINUTE - 1);
    expect(find(SCRIPT)?.body.length).toBe(3);
    at(minutes * MINUTE);
    expect(find(SCRIPT)).toBeNull();
  });

  it.each<[string, string, ResponseOutcome]>([
    ['data', 'fetch', answer()],
    ['a frame', 'frame', answer()],
    ['what is not there', 'script', answer({ status: 404 })],
    ['half a script', 'script', answer({ truncated: 'connection' })],
    ['what varies', 'script', answer({ headers: [['Vary', 'Accept-Encoding, Origin']] })],
    ['what is too large', 'script', answer({}, 33 * MIB)],
  ])('is not %s', (_what, type, received) => {
    const { keep, find } = memory();
    keep({ ...SCRIPT, type }, received);
    expect(find({ ...SCRIPT, type })).toBeNull();
  });

  it('returns a copy of the same kind, within the limits of the page', () => {
    const { keep, find } = memory();
    const received = answer({ headers: [['vary', 'accept-encoding']] });
    keep(SCRIPT, received);
    received.body.fill(1);
    expect(find(SCRIPT)?.body).toEqual(new Uint8Array(3));
    expect(find({ ...SCRIPT, type: 'image' })).toBeNull();
    expect(find({ ...SCRIPT, maxBodyBytes: 2 })).toBeNull();
  });

  it('is bounded in bytes and number, and drops what was used longest ago', () => {
    const { keep, find } = memory();
    const named = (at: number) => ({ ...SCRIPT, url: `https://a.test/${at}` });
    for (let at = 0; at < 3; at += 1) keep(named(at), answer({}, 10 * MIB));
    find(named(0));
    keep(named(3), answer({}, 10 * MIB));
    expect([0, 1, 2, 3].map((at) => find(named(at)) !== null)).toEqual([true, false, true, true]);
    for (let at = 10; at < 1_009; at += 1) keep(named(at), answer());
    expect([2, 3].map((at) => find(named(at)) !== null)).toEqual([false, true]);
  });
});
