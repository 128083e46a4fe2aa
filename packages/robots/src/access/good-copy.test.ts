// Validators sent to the wrong URL could confirm another site's file.
import { describe, expect, it } from 'vitest';
import { copyAfter, copyValidators, type GoodCopy, type RobotsAnswer } from './answer.js';

const START = 'https://example.com/robots.txt';
const FINAL = 'https://cdn.example.org/robots.txt';
const answer = (headers: Record<string, string>): RobotsAnswer => ({
  kind: 'response',
  status: 200,
  headers,
  body: new Uint8Array(),
  robotsUrl: START,
  finalUrl: FINAL,
});
const copyOf = (headers: Record<string, string>): GoodCopy | null => copyAfter(null, 'parse', answer(headers), 5);

describe('the good copy (access §2, §8)', () => {
  it('sends its validators to its own final URL and to no other', () => {
    const copy = copyOf({ etag: '"1"', 'last-modified': 'Thu, 21 Nov 1996 12:00:00 GMT' });
    expect(copyValidators(copy, FINAL)).toEqual({
      'if-none-match': '"1"',
      'if-modified-since': 'Thu, 21 Nov 1996 12:00:00 GMT',
    });
    expect(copyValidators(copyOf({ etag: '"1"' }), FINAL)).toEqual({ 'if-none-match': '"1"' });
    expect(copyValidators(copyOf({ 'last-modified': 'then' }), FINAL)).toEqual({ 'if-modified-since': 'then' });
    expect(copyValidators(copy, START)).toBeNull();
    expect(copyValidators(copyOf({}), FINAL)).toBeNull();
    expect(copyValidators(copyOf({ etag: 'x'.repeat(2000) }), FINAL)).toBeNull();
    expect(copyValidators(null, FINAL)).toBeNull();
  });

  it('is confirmed by a 304, whose new validators it takes and which may forbid storing', () => {
    const copy = copyOf({ etag: '"1"', 'last-modified': 'then' });
    const confirmed = copyAfter(copy, 'not-modified', answer({ etag: '"2"', 'cache-control': 'no-store' }), 9);
    expect(confirmed).toEqual({ ...copy, etag: '"2"', receivedAtMs: 9, mayStore: false });
    const again = copyAfter(confirmed, 'not-modified', answer({ 'last-modified': 'now' }), 10);
    expect(again).toMatchObject({ etag: '"2"', lastModified: 'now', mayStore: false });
  });

  it('is dropped only when the file is gone', () => {
    const copy = copyOf({});
    expect(copyAfter(copy, 'gone', answer({}), 9)).toBeNull();
    expect(copyAfter(copy, 'unavailable', answer({}), 9)).toBe(copy);
    expect(copyAfter(copy, 'restricted', { kind: 'redirect-limit' }, 9)).toBe(copy);
  });
});
