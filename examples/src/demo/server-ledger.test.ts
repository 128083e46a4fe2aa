// The servers' own log decides whether the demo passes. If this check never found a fault, every demo would pass.

import { describe, expect, it } from 'vitest';
import { townPlan } from './plan.js';
import { differences, objections, serverRows } from './server-ledger.js';
import type { TownRequest } from './town.js';

const CONTACT = 'https://example.org/us';
const hosts = townPlan(80);

const visit = (
  host: string,
  path: string,
  startedAtMs: number,
  endedAtMs: number,
  more: Partial<TownRequest> = {},
): TownRequest => ({
  host,
  path,
  startedAtMs,
  endedAtMs,
  userAgent: `bot/1.0 (+${CONTACT})`,
  status: 200,
  ...more,
});

const polite = [
  visit('mill.test', '/robots.txt', 0, 20),
  visit('mill.test', '/', 2_020, 2_040),
  visit('mill.test', '/flour', 4_041, 4_060),
];

describe('the complaints of the hosts', () => {
  it('are empty for a polite visitor', () => expect(objections(hosts, polite, CONTACT)).toEqual([]));

  it.each([
    ['a request too early', [...polite, visit('mill.test', '/wheel', 5_000, 5_010)], 'came after 940.0 ms, not 2000'],
    ['two requests at once', [...polite, visit('mill.test', '/wheel', 4_050, 4_070)], 'overlaps'],
    [
      'a rate broken',
      [visit('ferry.test', '/robots.txt', 0, 10), visit('ferry.test', '/', 1_700, 1_710)],
      'started 1700.0 ms after',
    ],
    [
      'a closed page',
      [visit('quarry.test', '/robots.txt', 0, 10), visit('quarry.test', '/blasting/plan', 9_000, 9_010)],
      'is closed',
    ],
    [
      'a page before robots.txt',
      [visit('meadow.test', '/', 0, 10), visit('meadow.test', '/robots.txt', 5_000, 5_010)],
      'before robots.txt',
    ],
    ['a page without any robots.txt', [visit('meadow.test', '/', 0, 10)], 'before robots.txt'],
    [
      'a visitor without a contact',
      [visit('meadow.test', '/robots.txt', 0, 10, { userAgent: 'bot/1.0' })],
      'without the contact',
    ],
    [
      'a page of a host whose rules no one knows',
      [visit('castle.test', '/robots.txt', 0, 10), visit('castle.test', '/', 5_000, 5_010)],
      'is closed',
    ],
    ['a host that is not there', [visit('elsewhere.test', '/', 0, 10)], 'not in the town'],
  ])('%s', (_, log, objection) => {
    expect(objections(hosts, log, CONTACT).join('\n')).toContain(objection);
  });
});

describe('the crawl’s report and the servers’ log', () => {
  const rows = serverRows(hosts, polite);

  it('computes the row of a host from its log', () => {
    expect(rows).toEqual([
      {
        host: 'mill.test',
        requests: 3,
        robotsRequests: 1,
        smallestGapMs: 2_000,
        smallestStartToStartMs: null,
        highestConcurrency: 1,
        statuses: { '200': 3 },
      },
    ]);
  });

  it('agree if they are equal or within the tolerance', () => {
    expect(differences(rows, rows)).toEqual([]);
    expect(differences([{ ...rows[0]!, smallestGapMs: 2_200 }], rows)).toEqual([]);
  });

  it.each([
    ['requests', { requests: 4 }],
    ['robotsRequests', { robotsRequests: 0 }],
    ['highestConcurrency', { highestConcurrency: 2 }],
    ['smallestGapMs', { smallestGapMs: 2_251 }],
    ['smallestStartToStartMs', { smallestStartToStartMs: 5 }],
    ['answers', { statuses: { '200': 2, '404': 1 } }],
  ])('differ in %s', (field, change) => {
    expect(differences([{ ...rows[0]!, ...change }], rows).join()).toContain(field);
  });

  it('differ if only one of them has a host', () => {
    expect(differences([], rows)).toEqual(['mill.test is in one table only']);
  });
});
