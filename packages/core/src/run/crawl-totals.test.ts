// The totals of processes that ended long ago. If they are wrong, so is the report of a crawl on many machines.

import { createManualClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { encodeJson } from '../json-record.js';
import type { UrlDecision } from '../report/decision.js';
import { OutcomeCounts } from '../report/outcome-counts.js';
import { PolitenessLedger } from '../report/politeness.js';
import { CrawlTotals, mergeTotals, readTotals } from './crawl-totals.js';

it('are added up, and name no process', () => {
  const one = { runs: 2, requests: 3, bytes: 4, items: 5, outcomes: { fetched: { ok: 1 }, failed: { dns: 2 } } };
  const process = { machine: 'a', pid: 1, atMs: 2, isOver: false, early: null };
  const other = {
    ...one,
    signed: 6,
    requisiteRequests: 7,
    requisiteBytes: 8,
    outcomes: { fetched: { ok: 9 } },
    process,
  };
  const merged = mergeTotals([encodeJson(one), encodeJson(other)]);
  expect(readTotals(new Map([['merged 1', merged]])).get('merged 1')).toEqual({
    ...{ runs: 4, requests: 6, bytes: 8, items: 10, rejected: 0, signed: 6, requisiteRequests: 7, requisiteBytes: 8 },
    outcomes: { fetched: { ok: 10 }, failed: { dns: 2 } },
  });
});

it('continue in the next run, with what is decided, and without what the last one left open', async () => {
  const outcomes = { failed: { dns: 2 }, held: { 'bound-pages': 3, license: 4 } };
  const kept = encodeJson({ runs: 1, requests: 2, bytes: 3, items: 4, outcomes });
  const counts = new OutcomeCounts();
  const totals = new CrawlTotals(createManualClock(), counts, new PolitenessLedger());
  await totals.open(
    { readParts: async () => new Map([['main', kept]]), writePart: async () => undefined, partName: () => 'main' },
    nothing(),
    () => ({ phase: 'running', underway: 0 }),
  );
  await totals.close();
  expect(counts.outcomes()).toEqual({ failed: { dns: 2 }, held: { license: 4 } });
});

it('count no URL less than none if a killed run has not saved what a later visit subtracts', () => {
  const counts = new OutcomeCounts();
  const url = { url: 'http://a.test/', layer: 'page', atMs: 0 } as UrlDecision;
  counts.decision({ ...url, status: 'fetched', reason: 'fetched', replaces: { status: 'failed', reason: 'dns' } });
  counts.decision({ ...url, status: 'failed', reason: 'timeout' });
  expect([counts.count('fetched'), counts.count('failed')]).toEqual([1, 1]);
  // In the sum of all processes, what another one has saved is subtracted.
  expect(counts.outcomes()).toMatchObject({ failed: { dns: -1, timeout: 1 } });
});

it('end with the record that the process has ended, whatever writes are pending', async () => {
  const clock = createManualClock();
  const totals = new CrawlTotals(clock, new OutcomeCounts(), new PolitenessLedger());
  const written: boolean[] = [];
  let arrive = (): void => undefined;
  let isSlow = false;
  const writePart = async (_key: string, bytes: Uint8Array): Promise<void> => {
    if (isSlow) await new Promise<void>((resolve) => (arrive = resolve));
    isSlow = false;
    for (const { process } of readTotals(new Map([['main', bytes]])).values()) written.push(process?.isOver ?? false);
  };
  let underway = 0;
  const store = { readParts: async () => new Map<string, Uint8Array>(), writePart, partName: () => 'main' };
  await totals.open(store, nothing(), () => {
    underway += 1;
    return { phase: 'running', underway };
  });
  isSlow = true;
  clock.advance(60_000);
  const closed = totals.close();
  await new Promise(setImmediate);
  arrive();
  await closed;
  expect(written).toEqual([false, false, true]);
});

async function* nothing(): AsyncGenerator<never> {
  // There is no log yet.
}
