// Progress output must never slow the crawl, wrap a line of the terminal, or fill a log.

import type { CrawlProgress } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { progressText } from '../report/progress-line.js';
import { defaultDirectory } from './crawl-directories.js';
import { startProgressLine, withProgress } from './progress.js';

const progress: CrawlProgress = {
  pages: 12,
  requests: 20,
  inFlight: 0,
  hosts: 3,
  queued: 40,
  excluded: 2,
  dropped: 5,
  failed: 0,
  items: 12,
  bytes: 1,
  runningMs: 6_000,
  waitingFor: { host: 'mill.test', reason: 'crawl-delay', untilMs: 1_001_500, queued: 4 },
  waitingHosts: 2,
};

describe('the progress line', () => {
  it('shows pages, hosts, queue, exclusions, pace and what it waits for', () => {
    expect(progressText(progress, 1_000_000, 200)).toBe(
      '12 pages · 3 hosts · 40 queued · 2 excluded · 2.0/s · waiting for mill.test (crawl-delay) 1.50 s, 1 more',
    );
    expect(progressText({ ...progress, inFlight: 2, failed: 1, pages: 1 }, 0, 200)).toBe(
      '1 page · 3 hosts · 40 queued · 2 excluded · 1 failed · 0.2/s · 2 in flight',
    );
    expect(progressText({ ...progress, waitingFor: null, waitingHosts: 0 }, 0, 200)).toMatch(/2\.0\/s$/);
  });

  it.each([10, 40, 79])('is never longer than %i columns', (width) => {
    expect(progressText(progress, 1_000_000, width).length).toBeLessThanOrEqual(width);
  });
});

describe('showing progress', () => {
  const lineOf = (width: number): string => progressText(progress, 1_000_000, width);

  it('redraws itself at most five times a second on a terminal, within its width', () => {
    const io = fakeIo({ isTerminal: true, columns: 40 });
    const display = startProgressLine(io, lineOf);
    io.advance(10_000);
    expect(io.drawn.length).toBeGreaterThan(10);
    expect(io.drawn.length).toBeLessThanOrEqual(50);
    for (const drawn of io.drawn) {
      expect(drawn.startsWith('\r\u001b[2K')).toBe(true);
      expect(drawn.slice(5).length).toBeLessThan(40);
    }
    display.stop();
    const count = io.drawn.length;
    io.advance(10_000);
    display.stop();
    expect(io.drawn.length).toBe(count);
    expect(io.errLines).toEqual([]);
  });

  it('removes the line before it prints another', () => {
    const io = fakeIo({ isTerminal: true });
    const display = startProgressLine(io, lineOf);
    io.advance(250);
    display.line('mill.test: comment');
    expect(io.drawn.at(-1)).toBe('\r\u001b[2K');
    expect(io.errLines).toEqual(['mill.test: comment']);
  });

  it('is silent if output is piped, or progress is not requested', () => {
    for (const [isTerminal, mode] of [
      [false, 'auto'],
      [true, 'none'],
    ] as const) {
      const io = fakeIo({ isTerminal });
      const display = startProgressLine(io, lineOf, mode);
      io.advance(60_000);
      display.stop();
      expect([...io.drawn, ...io.errLines]).toEqual([]);
    }
  });

  it('writes a plain line every few seconds if requested, without control characters', () => {
    const io = fakeIo();
    startProgressLine(io, lineOf, 'lines');
    io.advance(21_000);
    expect(io.drawn).toEqual([]);
    expect(io.errLines).toHaveLength(4);
    expect(io.errLines.join('')).not.toMatch(/\p{Cc}/u);
  });
});

describe('the default directory', () => {
  it.each([
    ['https://docs.example.org/a', [], 'crawls/docs.example.org-2026-11-20'],
    ['https://docs.example.org/a', ['crawls/docs.example.org-2026-11-20'], 'crawls/docs.example.org-2026-11-20-2'],
    ['http://127.0.0.1:8080/', [], 'crawls/127.0.0.1_8080-2026-11-20'],
    ['http://[::1]:8080/', [], 'crawls/_1_8080-2026-11-20'],
    ['nonsense', [], 'crawls/crawl-2026-11-20'],
  ])('for %s next to %j is %s', (seed, taken, expected) => {
    const path = defaultDirectory(seed, Date.UTC(2026, 10, 20), (each) => taken.includes(each.replaceAll('\\', '/')));
    expect(path.replaceAll('\\', '/')).toBe(expected);
  });
});

describe('showing a piece of work', () => {
  it('says how far it is, and of how much if that is known, within the width', async () => {
    const io = fakeIo({ isTerminal: true, columns: 60 });
    const done = await withProgress(io, 'Judging', 'requests', 31_494, async (report) => {
      report(12_000);
      io.advance(1_000);
      report(40_000);
      io.advance(1_000);
      return 'done';
    });
    expect(done).toBe('done');
    expect(io.drawn).toContain('\r\u001b[2KJudging: 12,000 of 31,494 requests');
    // More than were recorded, because another process wrote meanwhile.
    expect(io.drawn).toContain('\r\u001b[2KJudging: 40,000 requests');
    const count = io.drawn.length;
    io.advance(10_000);
    expect(io.drawn.length).toBe(count);
  });

  it('removes its line when the work fails, and is silent without a terminal', async () => {
    const failed = fakeIo({ isTerminal: true, columns: 20 });
    const working = withProgress(failed, 'Packaging', 'bytes', null, async () => {
      failed.advance(1_000);
      throw new Error('full');
    });
    await expect(working).rejects.toThrow('full');
    expect(failed.drawn.every((drawn) => drawn.slice(5).length < 20)).toBe(true);
    expect(failed.drawn.at(-1)).toBe('\r\u001b[2K');
    const piped = fakeIo({ isTerminal: false });
    await withProgress(piped, 'Judging', 'requests', 5, async () => piped.advance(60_000));
    expect([...piped.drawn, ...piped.errLines, ...piped.outLines]).toEqual([]);
  });
});
