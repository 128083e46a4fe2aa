// At stake: an operator who unparks a host must not be told that it was not parked if the store cannot know.

import { expect, it, onTestFinished, vi } from 'vitest';
import type { CrawlReport } from '../report/crawl-report.js';
import { CrawlLog } from './crawl-log.js';
import { createCrawlEmitter } from './events.js';
import type { LogEntry } from './log-entry.js';

it('a host is not reported as not parked if the store does not know', () => {
  const entries: LogEntry[] = [];
  const write = (entry: LogEntry): void => void entries.push(entry);
  const log = new CrawlLog(
    write,
    createCrawlEmitter(() => undefined),
    () => 0,
  );
  log.notParked({ host: 'a.test', isKnown: false, isParked: null, wait: null });
  log.notParked({ host: 'a.test', isKnown: false, isParked: false, wait: null });
  expect(entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'info: Whether a.test is parked this store cannot say; it is released if it is',
    'warn: a.test is not parked: this crawl knows no such host',
  ]);
});

it('what is told of an outage of the store is also told when it is over', () => {
  const entries: LogEntry[] = [];
  const emitter = createCrawlEmitter(() => undefined);
  new CrawlLog(
    (entry) => void entries.push(entry),
    emitter,
    () => 0,
  );
  emitter.emit('store', { kind: 'holding', message: 'Redis cannot be reached' });
  emitter.emit('store', { kind: 'resumed', message: 'Redis answers again' });
  expect(entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: Redis cannot be reached',
    'warn: Redis answers again',
  ]);
});

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('full'))],
])('a log that %s is a warning, once, and ends no process', async (_what, write) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const log = new CrawlLog(
    write as () => void,
    createCrawlEmitter(() => undefined),
    () => 0,
  );
  log.started('test-bot', ['https://a.test/'], 1);
  log.started('test-bot', ['https://a.test/'], 1);
  await new Promise(setImmediate);
  const expected = [expect.stringMatching(/^the log of the crawl threw: Error: full \(/), 'MannerlyWarning'];
  expect(warned.mock.calls).toEqual([expected]);
});

it.each<[string, Pick<CrawlReport, 'state' | 'bound' | 'bounds'> & Partial<CrawlReport>, string, string?]>([
  ['finished', { state: 'finished', bound: null, bounds: [] }, 'Start over'],
  [
    'finished with failures',
    { state: 'finished', bound: null, bounds: [], outcomes: { fetched: { fetched: 1 }, failed: { dns: 2 } } },
    'Start over',
    '. `run({ retry: {} })` requests 2 failed URLs again',
  ],
  [
    'ended by its bound on pages',
    { state: 'bounded', bound: 'pages', bounds: [{ bound: 'bounds.pages', dropped: 0, left: 3 }] },
    'Raise `bounds`, or start over',
  ],
  [
    'finished without the URLs below its depth',
    { state: 'bounded', bound: null, bounds: [{ bound: 'bounds.depth', dropped: 3, left: 0 }] },
    'Change `bounds.depth` and start over',
  ],
])('a crawl that had %s says how to continue', (_how, ended, todo, retry = '') => {
  const entries: LogEntry[] = [];
  const write = (entry: LogEntry): void => void entries.push(entry);
  const log = new CrawlLog(
    write,
    createCrawlEmitter(() => undefined),
    () => 0,
  );
  const outcomes = { fetched: { fetched: 3 } };
  log.ended({ outcomes, ...ended, alreadyFinished: true, resumed: true, pages: 3 } as never);
  expect(entries.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    `nothing-fetched: This crawl had ended before: nothing was requested. ${todo} with \`reset: true\` of \`run\`${retry}`,
    expect.stringMatching(/^run-ended: /),
  ]);
});
