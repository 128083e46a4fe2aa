// The totals of processes that are long gone. If they are wrong, the report of a crawl on many machines is.

import { expect, it } from 'vitest';
import { encodeJson } from '../json-record.js';
import { mergeTotals, readTotals } from './crawl-totals.js';

it('are added up, and name no process', () => {
  const one = { runs: 2, requests: 3, bytes: 4, items: 5, outcomes: { fetched: { ok: 1 }, failed: { dns: 2 } } };
  const process = { machine: 'a', pid: 1, atMs: 2, isOver: false, early: null };
  const other = { ...one, signed: 6, requisites: { requests: 7, bytes: 8 }, outcomes: { fetched: { ok: 9 } }, process };
  const merged = mergeTotals([encodeJson(one), encodeJson(other)]);
  expect(readTotals(new Map([['merged 1', merged]])).get('merged 1')).toEqual({
    ...{ runs: 4, requests: 6, bytes: 8, items: 10, rejected: 0, signed: 6 },
    requisites: { requests: 7, bytes: 8 },
    outcomes: { fetched: { ok: 10 }, failed: { dns: 2 } },
  });
});
