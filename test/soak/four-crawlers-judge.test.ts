// The judge of the soak test with four crawlers decides what is a fault: it must find each kind, and accept only what a
// kill, a stop or a dead server explains.

import { expect, it } from 'vitest';
import { type CrewExchange, type Fault, judgeCrew } from './four-crawlers-judge.js';

const DELAY_MS = 1_000;
const UNTOLD_MS = 500;
const ask = (life: string, path: string, startMs: number, endMs = startMs + 10): CrewExchange => ({
  host: 'h',
  path,
  life,
  startMs,
  endMs,
});
const kill = (life: string, atMs: number): Fault => ({ kind: 'kill', life, atMs, untilMs: Number.POSITIVE_INFINITY });
const stop = (life: string, atMs: number, untilMs: number): Fault => ({ kind: 'stop', life, atMs, untilMs });
const server = (atMs: number, untilMs: number): Fault => ({ kind: 'server', life: null, atMs, untilMs });

/** Requests every three seconds, so that there is no standstill. */
const busy = (fromMs: number, toMs: number): CrewExchange[] =>
  Array.from({ length: (toMs - fromMs) / 3_000 + 1 }, (_, at) => ask('a', '/robots.txt', fromMs + 3_000 * at));

/** The findings for a log of one host with two pages, each fault by its number. */
function found(log: readonly CrewExchange[], faults: readonly Fault[] = []) {
  const { early, overlapping, missing, unexcusedRepeats } = judgeCrew(
    { pagesPerHost: 2, delayMs: DELAY_MS, untoldMs: UNTOLD_MS },
    log,
    faults,
    ['h'],
  );
  const counts = {
    early: early.length,
    overlapping: overlapping.length,
    missing: missing.length,
    repeated: unexcusedRepeats.length,
  };
  return Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [name] : []))
    .join(' ');
}

it.each<[string, string, readonly CrewExchange[], readonly Fault[]]>([
  ['nothing', '', [ask('a', '/', 0), ask('b', '/1', 1_010)], []],
  [
    'nothing: who read robots.txt was killed before it could tell',
    '',
    [ask('a', '/robots.txt', 0), ask('b', '/robots.txt', 500), ask('b', '/', 1_510), ask('b', '/1', 2_520)],
    [kill('a', 5)],
  ],
  [
    'a request that is too soon even where nothing is known',
    'early',
    [ask('a', '/robots.txt', 0), ask('b', '/robots.txt', 499), ask('b', '/', 1_510), ask('b', '/1', 2_520)],
    [kill('a', 5)],
  ],
  [
    'a request too soon after robots.txt that was read and told before',
    'early',
    [ask('b', '/robots.txt', 0), ask('a', '/robots.txt', 6_000), ask('b', '/', 6_900), ask('b', '/1', 8_000)],
    [kill('a', 6_005)],
  ],
  ['a page that was never asked for', 'missing', [ask('a', '/', 0)], []],
  ['a request too soon after the end of the last', 'early', [ask('a', '/', 0), ask('b', '/1', 1_009)], []],
  ['two at a time', 'early overlapping', [ask('a', '/', 0, 50), ask('b', '/1', 49)], []],
  ['a page twice', 'repeated', [ask('a', '/', 0), ask('a', '/1', 2_000), ask('b', '/1', 4_000)], []],
  [
    'nothing: its process was killed',
    '',
    [ask('a', '/', 0), ask('a', '/', 2_000), ask('b', '/1', 4_000)],
    [kill('a', 5)],
  ],
  [
    'a page twice, though another was killed',
    'repeated',
    [ask('a', '/', 0), ask('a', '/', 2_000), ask('b', '/1', 4_000)],
    [kill('b', 5)],
  ],
  [
    'a page twice, long before its process was killed',
    'repeated',
    [ask('a', '/', 0), ask('b', '/', 2_000), ask('b', '/1', 4_000)],
    [kill('a', 60_000)],
  ],
  [
    'nothing: anyone who asked was killed, and its end says nothing',
    '',
    [ask('a', '/', 0, 500), ask('b', '/1', 1_001)],
    [kill('a', 1)],
  ],
  [
    'a request too soon after the start of one that was killed',
    'early',
    [ask('a', '/', 0), ask('b', '/1', 999)],
    [kill('a', 1)],
  ],
  [
    'nothing: the server was away',
    '',
    [ask('a', '/', 0), ask('b', '/', 4_000), ask('b', '/1', 6_000)],
    [server(100, 2_000)],
  ],
  [
    'a page twice, a minute after the server was back',
    'repeated',
    [ask('a', '/1', 0), ...busy(2_000, 57_000), ask('a', '/', 60_000), ask('b', '/', 64_000)],
    [server(100, 2_000)],
  ],
  [
    'nothing: stopped over the system call',
    '',
    [ask('a', '/', 0), ask('b', '/', 50_000), ask('a', '/1', 50_100)],
    [stop('a', 1, 50_050)],
  ],
  [
    'what a woken process asks after its first request',
    'early',
    [ask('a', '/', 0), ask('b', '/', 50_000), ask('a', '/1', 50_100), ask('a', '/1', 50_300)],
    [stop('a', 1, 50_050)],
  ],
])('finds %s', (_what, expected, log, faults) => {
  expect(found(log, faults)).toBe(expected);
});

it('accepts a page that is requested again after a time without any server', () => {
  const log = [ask('a', '/', 0), ask('a', '/1', 1_500), ask('b', '/1', 40_000)];
  expect(found(log)).toBe('');
});
