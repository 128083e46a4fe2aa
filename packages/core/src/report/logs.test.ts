// The logs are a researcher's evidence. A line that is lost, torn or misread makes them wrong.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CrawlManifest } from '../directory/crawl-manifest.js';
import { MAX_LOG_LINE_CHARS } from '../directory/limits.js';
import { readLines } from '../directory/read-lines.js';
import type { RequestRecord, UrlDecision } from './decision.js';
import { reportFromLogs } from './from-logs.js';
import { LOG_BUFFER_BYTES, LOG_TAIL_BYTES } from './limits.js';
import { LineLog } from './line-log.js';
import { gatherReport } from './page/gather-report.js';
import { findDecision, readDecisions, readRequests } from './read-logs.js';
import { DecisionLog } from './run-logs.js';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mannerly-logs-'));
  path = join(directory, 'log.jsonl');
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

const decision = (url: string, reason = 'fetched'): UrlDecision => ({
  url,
  host: 'a.test',
  status: 'fetched',
  reason,
  layer: 'page',
  httpStatus: 200,
  line: null,
  pattern: null,
  dialect: null,
  robots: null,
  depth: 0,
  from: null,
  atMs: 1,
  detail: null,
});

const request = (startedAtMs: number, endedAtMs: number, status = 200): RequestRecord => ({
  url: 'http://a.test/',
  host: 'a.test',
  purpose: 'page',
  startedAtMs,
  endedAtMs,
  status,
  failure: null,
  encodedBytes: 1,
  remoteAddress: null,
  userAgent: 'tester/1.0',
  crawlDelayMs: null,
  requestIntervalMs: null,
  gapMs: null,
  truncated: null,
  retryAfter: null,
  robots: null,
  robotsAnswer: null,
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

it.each<[string, () => unknown]>([
  ['a directory', () => directory],
  ['what `readCrawlDirectory` returns', () => ({ decisionsPath: path })],
])('%s in place of a log is refused, with the name of what has its path', async (_what, given) => {
  await expect(readDecisions(given() as string).next()).rejects.toMatchObject({
    code: 'option-invalid',
    message: expect.stringContaining('the path of a file, got'),
    hint: expect.stringContaining('readCrawlDirectory'),
  });
});

describe('a line log', () => {
  it('holds lines for the rest of the turn and writes them at its end', async () => {
    const log = new LineLog<number>(path);
    log.append(1);
    log.append(2);
    expect(readFileSync(path, 'utf8')).toBe('');
    await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(path, 'utf8')).toBe('1\n2\n');
    log.close();
  });

  it('writes before it holds more than its buffer', () => {
    vi.useFakeTimers();
    const log = new LineLog<string>(path);
    const line = 'x'.repeat(1_000);
    for (let i = 0; i < 1_000; i += 1) {
      log.append(line);
      expect((i + 1) * 1_000 - readFileSync(path).length).toBeLessThan(LOG_BUFFER_BYTES);
    }
    log.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1_001);
  });

  it('flushes on close, can be closed twice, and accepts nothing afterwards', () => {
    const log = new LineLog<number>(path);
    log.append(1);
    log.close();
    log.close();
    log.append(2);
    expect(readFileSync(path, 'utf8')).toBe('1\n');
  });

  it.each([
    ['nothing', '', '2\n'],
    ['whole lines', '0\n1\n', '0\n1\n2\n'],
    ['a torn line', '0\n1\n{"url":"http://a.te', '0\n1\n2\n'],
    ['a torn line alone', '{"url":"http://a.te', '2\n'],
    ['a torn line longer than one read', `0\n${'x'.repeat(2 * LOG_TAIL_BYTES)}`, '0\n2\n'],
    ['an end of line where a read begins', `0\n${'x'.repeat(LOG_TAIL_BYTES)}`, '0\n2\n'],
  ])('continues after %s, without lines that a crash left incomplete', (_, before, after) => {
    writeFileSync(path, before);
    const log = new LineLog<number>(path);
    log.append(2);
    log.close();
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  it('fails with log-failed if the file cannot be written', () => {
    expect(() => new LineLog(join(directory, 'missing', 'log.jsonl'))).toThrow(
      expect.objectContaining({ code: 'log-failed' }),
    );
  });
});

describe('reading a log', () => {
  it('returns complete lines in order, however long the file', async () => {
    const log = new LineLog<RequestRecord>(path);
    for (let i = 0; i < 2_000; i += 1) log.append(request(i * 2, i * 2 + 1));
    log.close();
    expect((await all(readRequests(path))).map((r) => r.startedAtMs)).toEqual(
      Array.from({ length: 2_000 }, (_, i) => i * 2),
    );
  });

  it('treats a missing file as an empty log', async () => {
    expect(await all(readLines(join(directory, 'absent')))).toEqual([]);
  });

  it('skips a line longer than its bound and reads the next', async () => {
    writeFileSync(path, `1\n${'x'.repeat(MAX_LOG_LINE_CHARS * 3)}\n2\n`);
    expect(await all(readLines(path))).toEqual(['1', '2']);
  });

  it('skips lines that are not decisions', async () => {
    writeFileSync(path, '[]\nnull\n7\n"x"\n{"url":1,"status":"x","reason":"y","layer":"z"}\n');
    appendFileSync(path, `${JSON.stringify(decision('http://a.test/'))}\n`);
    expect(await all(readDecisions(path))).toHaveLength(1);
  });
});

describe('finding a decision', () => {
  it('returns the latest decision about exactly that URL', async () => {
    const log = new DecisionLog(path);
    for (const [url, reason] of [
      ['http://a.test/x', 'first'],
      ['http://a.test/xy', 'longer'],
      ['http://a.test/x', 'last'],
    ]) {
      log.append(decision(url!, reason));
    }
    log.append({ ...decision('http://a.test/z'), from: 'http://a.test/x' });
    log.close();
    expect((await findDecision(path, 'http://a.test/x'))?.reason).toBe('last');
    expect(await findDecision(path, 'http://a.test/')).toBeNull();
  });
});

const MANIFEST = { name: 'tester', tokens: ['tester'], seeds: [], createdAtMs: 0 } as unknown as CrawlManifest;

describe('the report from the logs', () => {
  it('counts the pages whose body was cut at a limit, and no other answers', async () => {
    const paths = { requestsPath: path, decisionsPath: join(directory, 'd'), warningsPath: join(directory, 'n') };
    const requests = new LineLog<RequestRecord>(path);
    const cut = { ...request(0, 10, 200), truncated: 'limit' } as const;
    for (const each of [
      cut,
      { ...cut, truncated: 'connection' as const },
      { ...cut, purpose: 'robots' as const },
      { ...cut, status: 404 },
      request(0, 10, 200),
      cut,
    ])
      requests.append(each);
    requests.close();
    expect(await reportFromLogs(paths)).toMatchObject({ requests: 6, truncated: 2 });
    const { totals } = await gatherReport({ ...paths, robotsPath: directory, manifest: MANIFEST }, 0);
    expect(totals).toMatchObject({ requests: 6, truncated: 2 });
  });

  it('counts a page by its latest visit: excluded, allowed, and excluded again', async () => {
    const log = new DecisionLog(path);
    const words = ['excluded noindex', 'excluded noindex', 'fetched fetched', 'excluded noindex'].map((both) =>
      both.split(' '),
    );
    words.forEach(([status, reason], at) => {
      const [earlier, why] = words[at - 1] ?? [];
      const replaces = earlier === undefined ? {} : { replaces: { status: earlier, reason: why } };
      log.append({ ...decision('http://a.test/'), status, reason, ...replaces } as UrlDecision);
    });
    log.close();
    const absent = join(directory, 'absent');
    const paths = { requestsPath: absent, decisionsPath: path, warningsPath: absent };
    const { outcomes, politeness } = await reportFromLogs(paths);
    expect(outcomes).toEqual({ excluded: { noindex: 1 } });
    expect(politeness.map(({ excluded }) => excluded)).toEqual([1]);
    const { depths } = await gatherReport({ ...paths, robotsPath: directory, manifest: MANIFEST }, 0);
    expect(depths).toMatchObject([{ fetched: 0, excluded: 1 }]);
  });

  it('puts pauses where they were: before the requests that began after them', async () => {
    const paths = {
      requestsPath: path,
      decisionsPath: join(directory, 'd.jsonl'),
      warningsPath: join(directory, 'n.jsonl'),
    };
    const requests = new LineLog<RequestRecord>(paths.requestsPath);
    for (const [start, end, status] of [
      [0, 10, 429],
      [30_010, 30_020, 200],
      [30_120, 30_130, 200],
    ]) {
      requests.append(request(start!, end!, status));
    }
    requests.close();
    const notices = new LineLog<object>(paths.warningsPath);
    const pause = { kind: 'host', code: 'host-paused', host: 'a.test', authority: null, detail: '429' } as const;
    notices.append({ ...pause, atMs: 10, untilMs: 30_010 });
    notices.append({ ...pause, atMs: 30_130, untilMs: 90_130 });
    notices.close();
    const decisions = new DecisionLog(paths.decisionsPath);
    decisions.append(decision('http://a.test/'));
    decisions.close();
    expect(await reportFromLogs(paths)).toMatchObject({
      requests: 3,
      startedAtMs: 0,
      endedAtMs: 30_130,
      outcomes: { fetched: { fetched: 1 } },
      politeness: [{ host: 'a.test', requests: 3, longestPauseMs: 30_000, early: 0, smallestGapMs: 100 }],
    });
  });
});

it.each(['gapMs', 'crawlDelayMs', 'requestIntervalMs'] as const)(
  'a request whose %s is not a number is not read',
  async (name) => {
    const records = [{ ...request(1, 2), [name]: 'soon' }, request(3, 4)];
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const read = await all(readRequests(path));
    expect(read.map(({ startedAtMs }) => startedAtMs)).toEqual([3]);
  },
);
