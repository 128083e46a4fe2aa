// Sites choose these strings. The time for the longest value of a line, or for a long header, must not grow
// quadratically with its length.
import { describe, expect, it } from 'vitest';
import { parseLooseDate } from './access/http-date.js';
import { mayStore, parseRetryAfter } from './access/timing.js';
import { MAX_LINE_BYTES, MAX_PAGE_TAG_CHARS } from './limits.js';
import { readNamedLinks } from './page/signals.js';
import { parseRobotsMeta, parseRobotsTag, parseRobotsTagLists } from './page/tags.js';
import { parseCrawlDelay, parseRequestRate, parseVisitTimes } from './politeness-fields.js';
import { parseContentSignal, parseContentUsage, parseDictionary } from './preferences/preferences.js';

const URL_A = 'https://example.com/';
const READERS: readonly (readonly [string, (value: string) => unknown])[] = [
  ['Crawl-delay', (value) => parseCrawlDelay(value)],
  ['Request-rate', parseRequestRate],
  ['Visit-time', parseVisitTimes],
  ['Content-Signal', parseContentSignal],
  ['Content-Usage', parseContentUsage],
  ['dictionary', parseDictionary],
  ['X-Robots-Tag', (value) => parseRobotsTag([value], ['examplebot'])],
  ['Robots-Tag', (value) => parseRobotsTagLists([value], ['examplebot'])],
  ['Link', (value) => readNamedLinks([], [], [value], URL_A, URL_A)],
  ['Cache-Control', (value) => mayStore({ 'cache-control': value })],
  ['Retry-After', (value) => parseRetryAfter(value, 0)],
  ['date', parseLooseDate],
];

const PIECES = [
  ' ',
  '\t',
  '0',
  '-',
  ',',
  ';',
  ':',
  '=',
  '(',
  '"',
  '\\',
  '<',
  '<a>;',
  '0600 ',
  '0600-0700',
  '0600-',
  'UTC ',
  'a=(',
  'a=1.',
  'unavailable_after:',
  ': ',
  'max-age=',
];
const PREFIXES = ['', 'a', '1', '1/1 ', 'a=y', '/', '0600', 'unavailable_after: ', '1 Jan 2026 '];

const MAX_COST_MS = 1_000;

describe('repeated pieces of any kind', () => {
  it.each(READERS)('%s takes linear time', { timeout: 300_000 }, (_, read) => {
    // About 400 values of 16 KB take 0.01 to 0.2 s; quadratic cost adds a second or more. The machine may be busy, so
    // the measure is CPU time, the minimum of a few rounds.
    let minMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 4 && minMs >= MAX_COST_MS; round += 1) minMs = Math.min(minMs, costMs(read));
    expect(minMs).toBeLessThan(MAX_COST_MS);
  });
});

/** CPU time of reading all of them, milliseconds. */
function costMs(read: (value: string) => unknown): number {
  const before = process.cpuUsage();
  for (const prefix of PREFIXES) {
    for (const piece of PIECES) {
      const run = piece.repeat(MAX_LINE_BYTES / piece.length);
      read(`${prefix}${run}`);
      read(`${prefix}${run}x`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it('robots metas past their limit are not read, and count as the strictest', () => {
  const metas = (chars: number) => [
    { name: 'robots', content: 'a,'.repeat(chars / 4) },
    { name: 'description', content: 'a'.repeat(MAX_PAGE_TAG_CHARS) },
    { name: 'examplebot', content: 'noarchive,'.padEnd(chars / 2, ',') },
  ];
  expect(parseRobotsMeta(metas(MAX_PAGE_TAG_CHARS), ['examplebot']).restrictions).toEqual(['noarchive']);
  const over = parseRobotsMeta(metas(MAX_PAGE_TAG_CHARS + 4), ['examplebot']);
  expect(over.restrictions).toEqual(['nofollow', 'noindex']);
});
