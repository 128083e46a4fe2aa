// The judge is tested too: if it never found a fault, every politeness test would pass.

import { describe, expect, it } from 'vitest';
import { judge, POLITE, smallestGapMs } from './politeness.js';
import type { WebExchange } from './web.js';

const CONTACT = 'mailto:us@example.org';

function exchange(path: string, startMs: number, endMs: number, more: Partial<WebExchange> = {}): WebExchange {
  return {
    host: 'a.test',
    authority: 'a.test:80',
    path,
    method: 'GET',
    userAgent: `bot/1 (+${CONTACT})`,
    headers: {},
    startMs,
    endMs,
    status: 200,
    ...more,
  };
}

const POLITE_LOG = [exchange('/robots.txt', 0, 10), exchange('/', 110, 120), exchange('/a', 220, 230)];
const BY = { contact: CONTACT, rules: { 'a.test': { gapMs: 100, startToStartMs: 105, closed: ['/no'] } } };

describe('the judge', () => {
  it('finds nothing wrong with a polite log', () => {
    expect(judge(POLITE_LOG, BY)).toEqual(POLITE);
    expect(smallestGapMs(POLITE_LOG, 'a.test')).toBe(100);
  });

  it.each<[keyof typeof POLITE, WebExchange[]]>([
    ['early', [exchange('/robots.txt', 0, 10), exchange('/', 109.9, 120)]],
    ['early', [exchange('/robots.txt', 0, 1), exchange('/', 104, 120)]],
    ['overlapping', [exchange('/robots.txt', 0, 10), exchange('/', 120, 500), exchange('/a', 499, 600)]],
    ['beforeRobots', [exchange('/', 0, 10), exchange('/robots.txt', 120, 130)]],
    ['beforeRobots', [exchange('/', 0, 10)]],
    ['beforeRobots', [...POLITE_LOG, exchange('/', 400, 500, { authority: 'a.test:8080' })]],
    ['disallowed', [...POLITE_LOG, exchange('/no/entry', 400, 500)]],
    ['anonymous', [...POLITE_LOG, exchange('/b', 400, 500, { userAgent: 'Mozilla/5.0' })]],
    ['anonymous', [exchange('/robots.txt', 400, 500, { userAgent: 'undici' })]],
  ])('finds %s (case %#)', (fault, log) => {
    expect(judge(log, BY)[fault]).toHaveLength(1);
  });

  it('does not mistake two hosts for one', () => {
    const other = POLITE_LOG.map((each) => ({ ...each, host: 'b.test', authority: 'b.test:80' }));
    expect(judge([...POLITE_LOG, ...other], BY)).toEqual(POLITE);
  });
});
