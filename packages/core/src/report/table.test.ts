// People who did not run the crawl read the report: it must name the host, the line and whose line it is, and nothing
// that a site writes may reach the terminal as a command.

import { describe, expect, it } from 'vitest';
import type { HostPoliteness } from './crawl-report.js';
import { durationText, politenessText, printable, seconds, statusText } from './table.js';

const row = (host: string, more: Partial<HostPoliteness> = {}): HostPoliteness => ({
  host,
  requests: 3,
  pages: 2,
  robotsRequests: 1,
  smallestGapMs: 1_004,
  requiredMs: null,
  requiredGapMs: null,
  requiredStartToStartMs: null,
  smallestStartToStartMs: null,
  highestConcurrency: 1,
  longestPauseMs: 0,
  early: 0,
  statuses: { '200': 3 },
  bytes: 100,
  excluded: 0,
  dropped: 0,
  failed: 0,
  held: 0,
  exclusions: [],
  comments: [],
  warnings: [],
  ...more,
});

describe('the politeness table', () => {
  it('names the host, the gap, the line and whose robots.txt has it', () => {
    const exclusion = {
      url: 'http://quarry.test/x',
      reason: 'robots-rule',
      line: 4,
      pattern: '/x',
      authority: 'http://quarry.test',
    };
    const text = politenessText([row('quarry.test', { excluded: 1, exclusions: [exclusion] })]);
    expect(text).toMatch(/quarry\.test .*1\.00 s/);
    expect(text).toMatch(/http:\/\/quarry\.test\/x .*robots-rule .*4 .*http:\/\/quarry\.test\/robots\.txt: \/x/);
    expect(text).toContain('A rule in robots.txt disallows this URL.');
  });

  it.each([
    [{ requiredGapMs: 2_000 }, 'delay 2.00 s'],
    [{ requiredStartToStartMs: 500 }, 'rate 0.50 s'],
    [{ requiredGapMs: 1_000, requiredStartToStartMs: 500 }, 'delay 1.00 s, rate 0.50 s'],
  ])('says what the host asked for: %j', (requirements, text) => {
    expect(politenessText([row('a.test', requirements)])).toContain(text);
  });

  it('shows the busiest hosts if there are too many, and says how many more', () => {
    const rows = [row('small.test', { requests: 1 }), row('big.test', { requests: 9 })];
    const text = politenessText(rows, 1);
    expect(text).toContain('big.test');
    expect(text).not.toContain('small.test');
    expect(text).toMatch(/… and 1 more host\.$/m);
  });

  it('fits a terminal of 80 columns: its columns go into several tables, each with the hosts', () => {
    const { columns } = process.stdout;
    const row1 = row('127.0.0.1', { statuses: { '200': 4, '404': 1, '500': 4 }, requiredGapMs: 1_000 });
    try {
      process.stdout.columns = 80;
      const lines = politenessText([row1]).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(lines.filter((line) => line.startsWith('127.0.0.1'))).toHaveLength(2);
      expect(lines.at(-1)).toMatch(/^127\.0\.0\.1 .* 200 ×4, 404, 500 ×4 +0 +0 +0$/);
    } finally {
      process.stdout.columns = columns;
    }
    expect(politenessText([row1]).match(/127/g)).toHaveLength(1);
  });

  it('removes escape sequences and direction marks from texts of sites', () => {
    const text = politenessText([row('a.test', { comments: ['be \u001b[2Jkind\u202e\u0007\nand slow'] })]);
    expect(text).toContain('a.test says: be [2Jkindand slow');
  });

  it.each([
    [null, '–'],
    [0, '0.00 s'],
    [1_005.4, '1.01 s'],
    [61_000, '61.00 s'],
  ])('%s ms is shown as %s', (ms, text) => expect(seconds(ms)).toBe(text));

  it('cuts long text and counts statuses', () => {
    expect(printable('x'.repeat(300), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(statusText({ '200': 2, reset: 1 })).toBe('200 ×2, reset');
    expect([durationText(93_600_000), durationText(180_000_000)]).toEqual(['1 day 2 h', '2 days 2 h']);
  });
});
