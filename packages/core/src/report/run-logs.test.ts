// The latest decision about a URL is found whether or not the log has a line for it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCrawlDirectory } from '../directory/crawl-directory.js';
import type { RunDeclaration, UrlDecision } from './decision.js';
import { type DecisionSample, RunLogs } from './run-logs.js';

const PROMISE = { startedAtMs: 0, tokens: ['bot'] } as unknown as RunDeclaration;

function decision(url: string, status: UrlDecision['status'], atMs: number): UrlDecision {
  const unsaid = { httpStatus: null, line: null, pattern: null, dialect: null, robots: null, from: null, detail: null };
  return { ...unsaid, url, host: null, status, reason: status, layer: 'page', depth: 0, atMs };
}

async function logsIn(options: DecisionSample) {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-logs-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const seeds = ['http://a.test/'];
  const directory = await openCrawlDirectory(path, { name: 'bot', tokens: ['bot'], seeds }, 0, false);
  const logs = new RunLogs(directory, PROMISE, options);
  onTestFinished(async () => {
    await logs.close();
    await directory.release();
  });
  return logs;
}

it.each<[string, DecisionSample]>([
  ['every decision', {}],
  ['exclusions and failures', { sample: 0 }],
  ['one', { maxLines: 1 }],
])('in a log of %s', async (_name, options) => {
  const logs = await logsIn(options);
  logs.decision(decision('http://a.test/1', 'excluded', 1));
  logs.decision(decision('http://a.test/2', 'fetched', 2));
  logs.decision(decision('http://a.test/1', 'fetched', 3));
  expect((await logs.find('http://a.test/1'))?.atMs).toBe(3);
  expect((await logs.find('http://a.test/2'))?.atMs).toBe(2);
  logs.decision(decision('http://a.test/2', 'failed', 4));
  expect((await logs.find('http://a.test/2'))?.status).toBe('failed');
  expect(await logs.find('http://a.test/3')).toBeNull();
});
