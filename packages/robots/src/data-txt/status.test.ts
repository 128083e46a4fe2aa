// An offer that cannot be read does not count, and must not be requested for ever.
import { describe, expect, it } from 'vitest';
import { dataTxtLifetimeMs, dataTxtOutcome, dataTxtUrl } from './selection.js';

describe('requesting data.txt (data-txt §1, §2, §6)', () => {
  const cases: [number, string][] = [
    [200, 'parsed'],
    [204, 'parsed'],
    [206, 'retry'],
    [299, 'parsed'],
    [300, 'retry'],
    [304, 'retry'],
    [302, 'retry'],
    [400, 'none'],
    [401, 'none'],
    [404, 'none'],
    [408, 'retry'],
    [421, 'retry'],
    [425, 'retry'],
    [451, 'none'],
    [499, 'none'],
    [599, 'retry'],
    [600, 'retry'],
  ];
  it.each(cases)('%i → %s', (status, outcome) => {
    expect(dataTxtOutcome({ kind: 'response', status })).toBe(outcome);
  });

  it('distinguishes the other ends of a chain', () => {
    expect(dataTxtOutcome({ kind: 'failure' })).toBe('retry');
    expect(dataTxtOutcome({ kind: 'redirect-limit' })).toBe('none');
    expect(dataTxtOutcome({ kind: 'response', status: 304 }, true)).toBe('not-modified');
    expect(dataTxtOutcome({ kind: 'response', status: 404 }, true)).toBe('none');
  });

  it('is fresh for at most a week, and has a URL only for http(s)', () => {
    expect(dataTxtLifetimeMs({ 'cache-control': 'max-age=999999999' }, 0)).toBe(604_800_000);
    expect(dataTxtUrl('ftp://example.com/')).toBeNull();
  });
});
