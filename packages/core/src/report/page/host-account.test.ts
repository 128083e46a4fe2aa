// A timeline that shows only the beginning and the end of a crawl looks as if it had been idle in between.

import { expect, it } from 'vitest';
import type { AuditedRequest } from '../audit/auditor.js';
import { HostAccount } from './host-account.js';

/** A request each second that is `marginMs` later than required. */
function request(second: number, marginMs: number, violations: readonly unknown[] = []): AuditedRequest {
  const gapMs = 1_000 + marginMs;
  const record = { startedAtMs: second * 1_000, purpose: 'page', status: 200, encodedBytes: 1, failure: null };
  const judged = { gapMs, requiredGapMs: 1_000, requiredBy: 'interval', required: null, pause: null, violations };
  return { record, ...judged } as unknown as AuditedRequest;
}

function timesOf(account: HostAccount): number[] {
  return account.points(0).map(([atMs]) => atMs / 1_000);
}

it('the points of a punctual host are spread over the whole crawl', () => {
  const account = new HostAccount();
  for (let second = 0; second < 10_000; second += 1) account.request(request(second, 1 + (second % 3)));
  const tenths = Array.from({ length: 10 }, (_, tenth) =>
    timesOf(account).filter((second) => Math.floor(second / 1_000) === tenth),
  );
  expect(Math.min(...tenths.map((each) => each.length))).toBeGreaterThanOrEqual(5);
  expect(timesOf(account).length + account.leftOut).toBe(10_000);
});

it('the tightest request and a violation are among them', () => {
  const account = new HostAccount();
  for (let second = 0; second < 10_000; second += 1)
    account.request(request(second, second === 1_111 ? 0 : 5, second === 2_223 ? ['too-early'] : []));
  expect(timesOf(account)).toEqual(expect.arrayContaining([1_111, 2_223]));
});
