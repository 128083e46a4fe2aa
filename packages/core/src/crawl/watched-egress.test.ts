// The live view shows what has left, and nothing else: a request that waits for its turn is not being fetched.

import type { StartAnswer } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import type { Egress, EgressRequest } from '../fetch/egress.js';
import { WatchedEgress } from './watched-egress.js';

const requestOf = (url: string, mayStart: () => StartAnswer): EgressRequest => ({
  url,
  purpose: 'page',
  host: new URL(url).hostname,
  requirements: { crawlDelayMs: null, requestIntervalMs: null } as EgressRequest['requirements'],
  mayStart,
  signal: new AbortController().signal,
});

/** An egress whose exchanges end when the test says so. */
function heldEgress() {
  const ends: ((error?: Error) => void)[] = [];
  const inner: Egress = {
    send: (request) =>
      new Promise((resolve, reject) => {
        const said = request.mayStart();
        const outcome = { kind: 'not-sent', url: request.url, reason: 'wait', untilMs: null } as const;
        if (said.kind !== 'go') resolve(outcome);
        else ends.push((error) => (error === undefined ? resolve(outcome) : reject(error)));
      }),
    close: async () => undefined,
  };
  return { inner, ends };
}

describe('requests under way', () => {
  it('are listed from their start to their end, the oldest first, within the limit', async () => {
    const { inner, ends } = heldEgress();
    let now = 100;
    const egress = new WatchedEgress(inner, () => now);
    const first = egress.send(requestOf('http://a.test/1', () => ({ kind: 'go' })));
    now = 200;
    const second = egress.send(requestOf('http://b.test/2', () => ({ kind: 'go' })));
    expect(egress.list(10)).toEqual([
      { url: 'http://a.test/1', host: 'a.test', purpose: 'page', sinceMs: 100 },
      { url: 'http://b.test/2', host: 'b.test', purpose: 'page', sinceMs: 200 },
    ]);
    expect(egress.list(1)).toHaveLength(1);
    ends[0]!();
    await first;
    expect(egress.list(10).map(({ url }) => url)).toEqual(['http://b.test/2']);
    ends[1]!(new Error('broken machinery'));
    await expect(second).rejects.toThrow('broken machinery');
    expect(egress.count()).toBe(0);
  });

  it('leave out those that have to wait', async () => {
    const { inner } = heldEgress();
    const egress = new WatchedEgress(inner, () => 0);
    await egress.send(requestOf('http://a.test/', () => ({ kind: 'wait', untilMs: 5 })));
    expect(egress.count()).toBe(0);
  });
});
