// What the fetcher is given for one request: the lesser time limits for robots.txt, and at most one other address. If
// this breaks, a slow robots.txt holds a slot for long, or a site that is down gets every attempt many times.

import type { Work } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { ROBOTS_BODY_BYTES } from '../limits.js';
import { createAddressGuard } from './address-guard.js';
import { Egress } from './egress.js';
import type { EgressRequest } from './egress-request.js';
import { ALL_CAPABILITIES, type FetchRequest } from './fetcher.js';
import { ROBOTS_CONNECT_MS, ROBOTS_EXCHANGE_MS } from './limits.js';
import { type FailureCode, unsentFailure } from './outcome.js';

const URL_A = 'http://a.example/';
const BOTH = ['93.184.215.14', '93.184.215.15'];

/** Sends one request with a fetcher that cannot connect. @returns Its outcome, and what the fetcher was given. */
async function attempt(
  failures: readonly FailureCode[],
  { addresses = BOTH as readonly string[], timeoutMs = 60_000, ...request }: Given = {},
) {
  const given: FetchRequest[] = [];
  const egress = new Egress({
    fetcher: {
      capabilities: ALL_CAPABILITIES,
      async fetch(asked) {
        given.push(asked);
        return unsentFailure(asked.url, 1, failures[given.length - 1] ?? 'internal', '');
      },
      close: async () => undefined,
    },
    frontier: { mayConnect: async () => ({ kind: 'go' }), mayStart: () => ({ kind: 'go' }) },
    identity: { userAgent: 'tide', from: null },
    guard: createAddressGuard({ allowAddresses: [], ports: [], resolve: async () => addresses, nowMs: () => 1 }),
    limiter: { ask: async () => ({ kind: 'go', done: () => undefined }) },
    network: {
      connectTimeoutMs: timeoutMs,
      headersTimeoutMs: timeoutMs,
      requestTimeoutMs: timeoutMs,
      maxBodyBytes: 50_000,
    },
    nowMs: () => 1,
    journal: { request: () => undefined, hookError: () => undefined, warning: () => undefined },
  });
  const requirements = { crawlDelayMs: null, requestIntervalMs: null, bucket: null };
  const lease = { host: 'a.example', requirements };
  const work = { kind: 'page', url: URL_A, record: { url: URL_A, from: null }, lease } as unknown as Work;
  const outcome = await egress.send({ work, purpose: 'page', signal: new AbortController().signal, ...request });
  return { outcome, given };
}

type Given = Partial<EgressRequest> & { readonly addresses?: readonly string[]; readonly timeoutMs?: number };

describe('limits', () => {
  it.each([
    ['page', 60_000, {}, [60_000, 60_000, 60_000, 50_000]],
    ['page', 60_000, { maxBodyBytes: 10 }, [60_000, 60_000, 60_000, 10]],
    ['robots', 60_000, {}, [ROBOTS_CONNECT_MS, ROBOTS_EXCHANGE_MS, ROBOTS_EXCHANGE_MS, ROBOTS_BODY_BYTES]],
    ['robots', 7, {}, [7, 7, 7, ROBOTS_BODY_BYTES]],
  ] as const)('of a %s with time-outs of %i ms and %j: the lesser ones', async (purpose, timeoutMs, more, expected) => {
    const { given } = await attempt(['tls'], { purpose, timeoutMs, ...more });
    const limits = given.map(({ limits: each }) => [
      each.connectTimeoutMs,
      each.headersTimeoutMs,
      each.requestTimeoutMs,
      each.maxBodyBytes,
    ]);
    expect(limits).toEqual([expected]);
  });
});

describe('another address', () => {
  it.each([
    ['is tried if no connection can be made', BOTH, ['refused', 'reset'], BOTH, 'reset'],
    ['does not hide why the first failed', BOTH, ['refused', 'unreachable-network'], BOTH, 'refused'],
    ['is not tried for another failure', BOTH, ['tls', 'tls'], BOTH.slice(0, 1), 'tls'],
    ['is not there', BOTH.slice(0, 1), ['refused', 'reset'], BOTH.slice(0, 1), 'refused'],
    ['is one', [...BOTH, '93.184.215.16'], ['refused', 'refused', 'reset'], BOTH, 'refused'],
  ] as const)('%s', async (_what, addresses, failures, expected, failure) => {
    const { outcome, given } = await attempt(failures, { addresses });
    expect(outcome).toMatchObject({ kind: 'failed', failure });
    expect(given.map(({ address }) => address.address)).toEqual(expected);
  });
});
