// The page about outcomes is the only table of the results of a request and of retries. It must agree with the code,
// word for word and second for second.

import { readFileSync } from 'node:fs';
import { retryUrl } from '@mannerly/frontier';
import { type FailureCode, REASONS } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { rootPath } from './source-tree.js';

const page = readFileSync(`${rootPath}docs/outcomes.md`, 'utf8');

/** Every code: if a code of the type is missing here, this does not compile. */
const WORDS: Readonly<Record<FailureCode, true>> = {
  dns: true,
  refused: true,
  'unreachable-network': true,
  reset: true,
  'closed-early': true,
  tls: true,
  framing: true,
  'headers-too-large': true,
  'timeout-connect': true,
  'timeout-headers': true,
  'timeout-exchange': true,
  encoding: true,
  aborted: true,
  'address-forbidden': true,
  'port-forbidden': true,
  'scheme-unsupported': true,
  proxy: true,
  'proxy-refused': true,
  internal: true,
};

/** The expected cell for an exchange: the waits of its retries in seconds, or that there are none. */
function triedAgain(status: number | null, failure: string | null): string {
  const waits: number[] = [];
  for (let attempts = 0; ; attempts += 1) {
    const exchange = { startedAtMs: 0, endedAtMs: 1_000, status, failure, retryAfter: null, bytes: 0 };
    const retry = retryUrl(exchange, attempts);
    if (retry.kind !== 'again') break;
    waits.push((retry.notBeforeMs - 1_000) / 1_000);
    if (attempts > 100) throw new Error('tried again without end');
  }
  return waits.length === 0 ? 'no' : `${waits.length} times: after ${waits.join(', ')} s`;
}

describe('docs/outcomes.md', () => {
  it('has every failure code, what it means, and when it is retried', () => {
    const rows = tableUnder('## Failures');
    expect(rows.map(([word, means, again]) => [word, means, again])).toEqual(
      Object.keys(WORDS).map((word) => [
        `\`${word}\``,
        REASONS[word as FailureCode].meaning,
        // A stop of the crawl cut it off, which is not a try; the row says what happens to it.
        word === 'aborted' ? rows.find(([name]) => name === '`aborted`')?.[2] : triedAgain(null, word),
      ]),
    );
  });

  it('says when statuses and cut bodies are retried', () => {
    for (const [what = '', again] of tableUnder('## Responses')) {
      const examples = [...what.matchAll(/\b(\d{3})\b/g)].map(([, status]) => Number(status));
      expect(examples.length, what).toBeGreaterThan(0);
      const failure = what.includes('cut short') ? 'closed-early' : null;
      for (const status of examples) expect(`${what}: ${again}`).toBe(`${what}: ${triedAgain(status, failure)}`);
    }
  });

  it('names every 4xx that is tried again, and every 5xx whose waits are not those of a 500', () => {
    const named = new Set(tableUnder('## Responses').flatMap(([what = '']) => what.match(/\b\d{3}\b/g) ?? []));
    const differs = (status: number) => triedAgain(status, null) !== triedAgain(status < 500 ? 404 : 500, null);
    const statuses = Array.from({ length: 200 }, (_, at) => 400 + at);
    expect(statuses.filter((status) => differs(status) && !named.has(String(status)))).toEqual([]);
  });
});

/** The cells of the table below a heading, without its first two lines. */
function tableUnder(heading: string): string[][] {
  const section = page.split(`${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  expect(lines.length, heading).toBeGreaterThan(3);
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
