// The option `log` decides what a crawl prints, and where. The log files always have the same form.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCrawler, type LogEntry, type Logger } from 'mannerly';
import { type FakeHost, fakePage } from 'mannerly/testing';
import { describe, expect, it, vi } from 'vitest';
import { captureStderr, PAGES } from '../support/throwing-crawl.js';

const captured = captureStderr();

describe('the option log', () => {
  const failing: FakeHost = { pages: { '/': fakePage('Start', ['/p']), '/p': fakePage('P') } };

  it.each([['silent'], [false]] as const)('%j switches it off', async (log) => {
    await captured.crawl({ log }, failing);
    expect(captured.printed).toEqual([]);
  });

  it.each([
    ['error', ['error']],
    ['info', ['info', 'error', 'info']],
  ] as const)('%s prints what matters at least so much', async (log, levels) => {
    await captured.crawl({ log }, failing);
    expect(captured.printed).toHaveLength(levels.length);
  });

  it('passes every entry to a function, and survives one that throws', async () => {
    const entries: LogEntry[] = [];
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { report } = await captured.crawl({
      log: (entry) => {
        entries.push(entry);
        throw new Error('full');
      },
    });
    expect(report.pages).toBe(9);
    expect(entries.filter(({ code }) => code === 'handler-error')).toHaveLength(PAGES.length);
    expect(entries.filter(({ code }) => code === 'request')).toHaveLength(10);
    expect(entries.find(({ level }) => level === 'error')?.error).toBeInstanceOf(TypeError);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it.each([[true], [false]])('writes to a logger, structured: %s', async (isStructured) => {
    const calls: unknown[][] = [];
    const method = (...args: unknown[]): void => void calls.push(args);
    const logger = { debug: () => undefined, info: () => undefined, warn: method, error: method };
    const structured = { ...logger, bindings: () => ({}) };
    await captured.crawl({ log: isStructured ? structured : logger }, failing);
    expect(calls).toHaveLength(1);
    if (isStructured)
      expect(calls[0]).toEqual([
        expect.objectContaining({ code: 'handler-error', url: 'https://a.test/p', err: expect.any(TypeError) }),
        expect.stringContaining('the handler failed: TypeError: no price'),
      ]);
    else expect(calls[0]).toEqual([expect.stringMatching(/the handler failed: .*\n {4}at .*throwing-crawl/)]);
  });

  it('asks a logger for its level, and builds no entry below it', async () => {
    const calls: string[] = [];
    const method = (text: string): void => void calls.push(text);
    await captured.crawl(
      { log: { level: 'info', debug: method, info: method, warn: method, error: method } as Logger },
      failing,
    );
    expect(calls.map((text) => text.replace(/:? .*/s, ''))).toEqual(['Crawling', 'https://a.test/p', 'The']);
  });

  it('is validated', () => {
    const scope = { seeds: ['https://a.test/'] };
    const base = { identity: { name: 'a', contact: 'https://a.test/' }, scope, bounds: { pages: 1 } };
    expect(() => createCrawler({ ...base, log: 'loud' as never })).toThrow(/expected `log` to be one of silent, debug/);
    expect(() => createCrawler({ ...base, log: { warn: () => 1 } as never })).toThrow(/expected `log`/);
  });
});

it('every line of a log has the same fields, so that tables can be made of them', async () => {
  await captured.crawl({ bounds: { pages: 3, minutes: 9 } });
  await captured.crawl({ bounds: { pages: 9, minutes: 9 } });
  const lines = async (name: string) =>
    (await readFile(join(captured.out, name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = await lines('requests.jsonl');
  expect(new Set(requests.map((line) => Object.keys(line).join()))).toHaveLength(1);
  expect(await lines('runs.jsonl')).toHaveLength(2);
  expect(new Set((await lines('decisions.jsonl')).map(({ host }) => host))).toEqual(new Set(['a.test']));
});
