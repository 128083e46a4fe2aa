// Several logs are read as one: every value once, in order of time, in the order of each log.

import { describe, expect, it } from 'vitest';
import { mergeByTime } from './read-logs.js';

async function* source(...times: number[]): AsyncGenerator<number> {
  yield* times;
}

const rows = [
  ['none', [], []],
  ['one, as it is', [[3, 1, 2]], [3, 1, 2]],
  [
    'two that alternate',
    [
      [1, 3, 5],
      [2, 4, 6],
    ],
    [1, 2, 3, 4, 5, 6],
  ],
  ['one is empty', [[], [1, 2]], [1, 2]],
  [
    'of one time the earlier source comes first',
    [
      [2, 2],
      [1, 2, 3],
    ],
    [1, 2, 2, 2, 3],
  ],
  [
    'a clock that was set back keeps its log in order',
    [
      [5, 1, 6],
      [4, 7],
    ],
    [4, 5, 1, 6, 7],
  ],
] as const;

describe('logs of several processes', () => {
  it.each(rows)('%s', async (_, logs, expected) => {
    const read: number[] = [];
    for await (const value of mergeByTime(
      logs.map((log) => source(...log)),
      (time) => time,
    ))
      read.push(value);
    expect(read).toEqual(expected);
  });
});
