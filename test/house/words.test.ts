// The project uses the terms of its field (docs/glossary.md). If this breaks, a reader who knows RFC 9309 or Scrapy has
// to learn a dialect before the code.

import { describe, expect, it } from 'vitest';
import { faultLines, listFiles, readFiles } from './source-tree.js';
import { UNFINISHED } from './unfinished-areas.js';
import { wordFaults } from './word-rules.js';

const LINES: readonly (readonly [line: string, faults: number])[] = [
  ['const octets = 1;', 1],
  ['const bodyOctets = 1;', 1],
  ["const type = 'application/octet-stream';", 0],
  ['// The instant from which it may be tried.', 1],
  ['instance of instantly instantiated', 0],
  ['It is reckoned, and foretold.', 2],
  ['whoever asks', 1],
  ['the road to the door', 1],
  ['Math.floor(x)', 0],
  ['the floor below', 1],
  ['test/house holds the house rules', 0],
  ['a room of this house', 1],
  ['const isInHand = true;', 1],
  ['entries in_hand', 1],
  ['in handler', 0],
  ['broadcast, roadmap, doorbell', 0],
  ['besides, bedside', 0],
  ['beside the queue', 1],
  ['recommended, amended', 0],
];

describe('the word rules', () => {
  it.each(LINES)('%j: %d faults', (text, faults) => {
    expect(wordFaults([{ path: 'a.ts', text }])).toHaveLength(faults);
  });

  it('name file, line, word and replacement', () => {
    expect(faultLines(wordFaults([{ path: 'a.md', text: 'one\ntwo octets' }]))).toEqual([
      'a.md:2: "octets": write byte',
    ]);
  });

  it('allow the words where they are quoted', () => {
    expect(wordFaults([{ path: 'docs/glossary.md', text: 'octet → byte' }])).toEqual([]);
  });
});

describe('this project', () => {
  const paths = listFiles().filter(
    (path) => /\.(ts|mts|mjs|js|md|json|css|html|ya?ml)$|^\.ci\//.test(path) && path !== 'pnpm-lock.yaml',
  );

  it('uses the words of the glossary', () => {
    expect(paths.length).toBeGreaterThan(500);
    expect(
      faultLines(wordFaults(readFiles(paths.filter((path) => !UNFINISHED.some((area) => path.startsWith(area)))))),
    ).toEqual([]);
  });
});
