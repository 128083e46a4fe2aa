// A crawl of days prints for days. Whatever goes wrong, and however often, a terminal gets a bounded number of lines,
// and counts of the rest.

import { describe, expect, it } from 'vitest';
import { type LogEntry, terminalLog } from './log-entry.js';

const entry = (more: Partial<LogEntry>): LogEntry => ({
  level: 'warn',
  code: 'host-paused',
  message: 'm',
  atMs: 0,
  ...more,
});
const END = entry({ level: 'info', code: 'run-ended', message: 'over' });

function printing(level: LogEntry['level'], entries: readonly LogEntry[]): string[] {
  const lines: string[] = [];
  const log = terminalLog((text) => lines.push(text), level);
  for (const each of [...entries, END]) log(each);
  return lines;
}

describe('a terminal', () => {
  it('gets five of each kind, and at the end how many more there were', () => {
    const paused = Array.from({ length: 9 }, () => entry({ host: 'a.test' }));
    const failed = Array.from({ length: 6 }, () =>
      entry({ level: 'error', code: 'handler-error', source: 'a.js:1:2' }),
    );
    expect(printing('warn', [...paused, ...failed])).toEqual([
      ...Array.from({ length: 10 }, () => 'm'),
      '4 more of the kind host-paused (a crawl directory has all of them in warnings.jsonl).',
      '1 more of the kind handler-error at a.js:1:2 (a crawl directory has all of them in errors.jsonl).',
    ]);
  });

  it('gets five of the store again after an hour: each outage in a crawl of days is shown', () => {
    const outage = (atMs: number) => Array.from({ length: 7 }, () => entry({ code: 'store', message: 'away', atMs }));
    expect(printing('warn', [...outage(0), ...outage(3_599_999), ...outage(3_600_000)])).toEqual([
      ...Array.from({ length: 5 }, () => 'away'),
      '9 more of the kind store.',
      ...Array.from({ length: 5 }, () => 'away'),
      '2 more of the kind store.',
    ]);
  });

  it('gets a bounded number of lines of any number of kinds', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => entry({ level: 'error', source: `a.js:${index}:1` }));
    const lines = printing('warn', many);
    expect(lines).toHaveLength(100 + 5 + 1);
    expect(lines.at(-1)).toBe('9895 more of other kinds.');
  });

  it('gets nothing below its level, and everything at its level', () => {
    const entries = [entry({ level: 'debug' }), entry({ level: 'info' }), entry({}), entry({ level: 'error' })];
    expect((['error', 'warn', 'info', 'debug'] as const).map((level) => printing(level, entries).length)).toEqual([
      1, 2, 4, 5,
    ]);
    expect(
      printing(
        'debug',
        Array.from({ length: 50 }, () => entry({ level: 'debug' })),
      ),
    ).toHaveLength(51);
  });

  it('gets the stack of the first of a kind, without control characters', () => {
    const stack = 'Error: m\n    at \u001b[2Ja (/app/a.js:1:2)\n    at b (/app/node_modules/b/b.js:1:1)';
    const error = entry({ level: 'error', stack, source: '/app/a.js:1:2' });
    expect(printing('warn', [error, error])).toEqual(['m\n    at [2Ja (/app/a.js:1:2)', 'm']);
  });
});
