// Feeds every reader of foreign bytes hostile units repeated N, 2N and 4N times: its time grows no faster than its
// input. The readers are listed in test-support/readers.ts. The measure is CPU time, the minimum of many rounds.

import { parseRobots } from '@mannerly/robots';
import { parseDataTxt } from '@mannerly/robots/data-txt';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { describe, expect, it } from 'vitest';
import { READERS, signalsOfMetas, UNITS } from '../test-support/readers.js';
import { Cookies, createJarFactory } from './fetch/cookies.js';

const URL_A = 'https://a.example/';
/** Bytes at N: enough to show quadratic growth at 4N, and few enough for all readers. */
const BYTES = 8_192;
/** The most by which work may grow when the input doubles. */
const MAX_GROWTH = 2.3;
/** Differences below this are noise: the engine's own work. */
const MIN_DIFFERENCE_MS = 5;
/**
 * The most that 4N may cost, as a multiple of the time in which the platform splits it into characters. Work that is
 * quadratic up to a limit and constant beyond it does not grow either.
 */
const MAX_COST_RATIO = 100;
/** The engine's own work at 4N on a slow machine, such as a collection, as a multiple of the same time. */
const NOISE_RATIO = 16;
const ROUNDS = 24;

/** The minimum CPU time of a call over some rounds, milliseconds. */
function costMs(
  read: (bytes: Buffer) => unknown,
  bytes: Buffer,
  rounds: number,
  known = Number.POSITIVE_INFINITY,
): number {
  let minMs = known;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    read(bytes);
    const { user, system } = process.cpuUsage(before);
    minMs = Math.min(minMs, (user + system) / 1_000);
  }
  return minMs;
}

/** Splits bytes as the platform does, for comparison. */
const cutAt = (end: string) => (bytes: Buffer) =>
  bytes
    .toString('latin1')
    .split(end)
    .map((each) => each.trim()).length;

/** Why a reader's work for a unit is more than linear, or `null`. */
function faultOf(read: (bytes: Buffer) => unknown, unit: string): string | null {
  const input = (times: number) => {
    const count = Math.floor((times * BYTES) / unit.length);
    return Buffer.from(`a${unit.repeat(count)}x`, 'latin1');
  };
  const inputs = [input(1), input(2), input(4)] as const;
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [
    number,
    number,
    number,
  ];
  let fault: string | null = null;
  let cutMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    costs[2] = costMs(read, inputs[2], 1, costs[2]);
    if (costs[2] < MIN_DIFFERENCE_MS) return null;
    cutMs = costMs(cutAt(''), inputs[2], 2, cutMs);
    if (costs[2] > 10 * MAX_COST_RATIO * cutMs) return `${JSON.stringify(unit)}: ${costs[2].toFixed(0)} ms`;
    costs[0] = costMs(read, inputs[0], 3, costs[0]);
    costs[1] = costMs(read, inputs[1], 2, costs[1]);
    const noiseMs = Math.max(MIN_DIFFERENCE_MS, NOISE_RATIO * cutMs);
    if (costs[2] <= Math.min(MAX_GROWTH ** 2 * costs[0] + noiseMs, MAX_COST_RATIO * cutMs)) return null;
    fault = `${JSON.stringify(unit)}: ${costs.map((ms) => ms.toFixed(1)).join(', ')} ms`;
  }
  return fault;
}

describe('work grows no faster than the input', () => {
  it.each(READERS.map(([name, read, own = []]) => ({ name, read, fed: [...UNITS, ...own] })))(
    '$name',
    { timeout: 120_000 },
    ({ read, fed }) => {
      // The first fault is enough: each may take long.
      for (const unit of fed) expect(faultOf(read, unit)).toBeNull();
    },
  );

  it('cookies', async () => {
    const makeJar = (await createJarFactory('usual', null))!;
    const keep = async (lines: number): Promise<number> => {
      const cookies = new Cookies(makeJar);
      const headers = Array.from({ length: lines }, (_, at) => ['set-cookie', `a${at}=${'b;'.repeat(500)}`] as const);
      const before = process.cpuUsage();
      await cookies.storeFrom(new URL(URL_A), 'page', headers);
      await cookies.valueFor(new URL(URL_A), 'page');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const costs = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    const growth = () => Math.sqrt(costs.many / Math.max(costs.few, MIN_DIFFERENCE_MS));
    for (let round = 0; round < ROUNDS && !(growth() < MAX_GROWTH); round += 1) {
      costs.few = Math.min(costs.few, await keep(500));
      costs.many = Math.min(costs.many, await keep(2_000));
    }
    expect(growth()).toBeLessThan(MAX_GROWTH);
  });
});

/** Linear but costly readers, compared with the platform's time to split the same bytes, with a wide margin. */
const COSTLY: readonly (readonly [string, read: (bytes: Buffer) => unknown, piece: string, most: number])[] = [
  ['robots metas', signalsOfMetas, 'a,', 10],
  ['lines of robots.txt that are no UTF-8', parseRobots, '\xff\n', 75],
  ['misspelt lines of robots.txt', parseRobots, 'Disalow: /a\n', 25],
  ['lines of robots.txt without a colon', parseRobots, 'Disallow /a\n', 25],
  ['lines of data.txt that are no UTF-8', parseDataTxt, '\xff\n', 75],
  ['Clean-param lines', (bytes) => dedupeKey(parseRobots(bytes), LONG_LINK), 'Clean-param: a /a\n', 300],
];
const LONG_LINK = `${URL_A}${'%C3%A4'.repeat(300)}?b=1`;

describe('a byte takes little more time than necessary', () => {
  it.each(COSTLY)('%s', (_, read, piece, maxFactor) => {
    const bytes = Buffer.from(piece.repeat(200_000 / piece.length), 'latin1');
    const cut = cutAt(piece.at(-1)!);
    const cutMs = costMs(cut, bytes, 2 * ROUNDS);
    let readMs = Number.POSITIVE_INFINITY;
    // The minimum can only fall: once it is low enough, further rounds are useless.
    for (let round = 0; round < ROUNDS && readMs >= maxFactor * cutMs; round += 1)
      readMs = costMs(read, bytes, 1, readMs);
    expect(readMs / cutMs).toBeLessThan(maxFactor);
  });
});

describe('the measure', () => {
  it('detects quadratic time', () => {
    const square = (bytes: Buffer) => {
      let sum = 0;
      for (let at = 0; at < bytes.length; at += 1) for (let to = 0; to < at; to += 8) sum += bytes[to]!;
      return sum;
    };
    expect(faultOf(square, 'a')).toMatch(/ ms$/);
  });
});
