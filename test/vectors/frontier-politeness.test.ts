// The specification's vectors on spacing (access §9) and on hosts that refuse (access §10), row by row.

import { readFileSync } from 'node:fs';
import type { PolitenessProfileName } from '@mannerly/frontier';
import { afterExchange, newHostClock, requestInterval, resolvePoliteness } from '@mannerly/frontier/internal';
import { parseRequestRate, rateInForce } from '@mannerly/robots/politeness';
import { describe, expect, it } from 'vitest';

interface IntervalVector {
  readonly id: string;
  readonly kind: 'interval';
  readonly profile: PolitenessProfileName;
  readonly lastRetrievalMs: number;
  readonly crawlDelayMs: number | null;
  readonly requestRate: readonly string[];
  readonly utc: string;
  readonly expect: { readonly intervalMs: number };
}

interface BackoffVector {
  readonly id: string;
  readonly kind: 'host-backoff';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: number;
  readonly expect: { readonly pauseSeconds: number };
}

function vectors<T extends { readonly kind: string }>(file: string, kind: T['kind']): T[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as T).filter((vector) => vector.kind === kind);
}

describe('interval vectors', () => {
  const rows = vectors<IntervalVector>('politeness.jsonl', 'interval');

  it('are all here', () => expect(rows).toHaveLength(24));

  it.each(rows)('$id', (vector) => {
    const rates = vector.requestRate.flatMap((line) => parseRequestRate(line) ?? []);
    const rate = rateInForce(rates, Date.parse(`2026-11-20T${vector.utc}Z`));
    const requestIntervalMs = rate.kind === 'rate' ? rate.intervalMs : null;
    const { fromEndMs, fromStartMs } = requestInterval(
      { lastRetrievalMs: vector.lastRetrievalMs, adaptiveMs: 0 },
      { crawlDelayMs: vector.crawlDelayMs, requestIntervalMs },
      resolvePoliteness({ profile: vector.profile }),
    );
    expect(Math.max(fromEndMs, fromStartMs)).toBe(vector.expect.intervalMs);
  });
});

describe('host-backoff vectors', () => {
  const rows = vectors<BackoffVector>('access.jsonl', 'host-backoff');

  it('are all here', () => expect(rows).toHaveLength(8));

  it.each(rows)('$id', (vector) => {
    const endedAtMs = Date.UTC(2026, 10, 20, 12);
    let clock = newHostClock();
    for (let n = 1; n <= vector.attempt; n += 1) {
      // Only the last answer has the vector's headers.
      const retryAfter = n === vector.attempt ? (vector.headers['retry-after'] ?? null) : null;
      const exchange = {
        startedAtMs: endedAtMs,
        endedAtMs,
        status: vector.status,
        retryAfter,
        failure: null,
        bytes: 0,
      };
      clock = afterExchange(clock, exchange, 1_000).clock;
    }
    expect(clock.pausedUntilMs).toBe(endedAtMs + vector.expect.pauseSeconds * 1_000);
  });
});
