// If a lifetime is too long, rules stay that the site has withdrawn; if it is too short, robots.txt is requested before
// every page.
import { describe, expect, it } from 'vitest';
import { mayStore, robotsLifetimeMs } from './timing.js';

const NOW = Date.UTC(2026, 10, 20);
const seconds = (headers: Record<string, string>) => robotsLifetimeMs(headers, NOW, 'rfc9309') / 1000;

describe('lifetime (access §6)', () => {
  const cases: [Record<string, string>, number][] = [
    [{ 'cache-control': 'public, MAX-AGE="3600"' }, 3600],
    [{ 'cache-control': 'max-age=7200, max-age=3600' }, 3600],
    [{ 'cache-control': 'max-age=3600, max-age=7200' }, 3600],
    [{ 'cache-control': 's-maxage=3600' }, 86_400],
    [{ 'cache-control': 'max-age=3600, no-cache' }, 600],
    [{ 'cache-control': 'private="x, no-store"' }, 86_400],
    [{ 'cache-control': `max-age=${'9'.repeat(400)}` }, 86_400],
    [{ 'cache-control': 'max-age=7200', age: 'old' }, 7200],
    [{ 'cache-control': 'max-age=7200', age: '999999' }, 600],
    [{ expires: 'Fri, 20 Nov 2026 02:00:00 GMT' }, 7200],
    [{ expires: 'Fri, 20 Nov 2026 02:00:00 GMT', date: 'rubbish' }, 7200],
    [{ expires: '2026-11-20T02:00:00Z' }, 600],
    [{ 'cache-control': 'max-age=-1', expires: 'Fri, 20 Nov 2026 02:00:00 GMT' }, 7200],
  ];
  it.each(cases)('%j', (headers, expected) => {
    expect(seconds(headers)).toBe(expected);
  });

  it('a copy with no-store is not written to disk', () => {
    expect(mayStore({ 'cache-control': 'No-Store' })).toBe(false);
    expect(mayStore({ 'cache-control': 'no-cache' })).toBe(true);
  });
});
