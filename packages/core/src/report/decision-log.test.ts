// A sampled decision log must not mislead: exclusions and failures are always in it, and the rest is counted.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { UrlDecision, UrlStatus } from './decision.js';
import { reportFromLogs } from './from-logs.js';
import { readDecisions } from './read-logs.js';
import { DecisionLog, type DecisionSample } from './run-logs.js';

const WORDS: readonly UrlStatus[] = ['fetched', 'excluded', 'dropped', 'failed'];

function decision(at: number): UrlDecision {
  const status = WORDS[at % WORDS.length] ?? 'fetched';
  return {
    url: `http://a.test/${at}`,
    host: 'a.test',
    status,
    reason: status,
    layer: 'page',
    httpStatus: null,
    line: null,
    pattern: null,
    dialect: null,
    robots: null,
    depth: 0,
    from: null,
    atMs: at,
    detail: null,
  };
}

/** The content of a log of four hundred decisions, written in one or more runs. */
async function logged(options: DecisionSample, runs = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-share-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = {
    requestsPath: join(folder, 'requests.jsonl'),
    decisionsPath: join(folder, 'decisions.jsonl'),
    warningsPath: join(folder, 'warnings.jsonl'),
  };
  for (let run = 0; run < runs; run += 1) {
    const log = new DecisionLog(paths.decisionsPath, options);
    for (let at = 0; at < 400 / runs; at += 1) log.append(decision(run * (400 / runs) + at));
    log.close();
    log.close();
  }
  const lines: UrlDecision[] = [];
  for await (const each of readDecisions(paths.decisionsPath)) lines.push(each);
  return { lines, words: (await reportFromLogs(paths)).outcomes };
}

const ALL = {
  fetched: { fetched: 100 },
  excluded: { excluded: 100 },
  dropped: { dropped: 100 },
  failed: { failed: 100 },
};

describe('a share of the decision log', () => {
  it('is all of it by default', async () => {
    const { lines, words } = await logged({});
    expect(lines).toHaveLength(400);
    expect(words).toEqual(ALL);
  });

  it.each([0, 0.1, 0.5])('of %d keeps every exclusion and failure, and counts what it leaves out', async (sample) => {
    const { lines, words } = await logged({ sample });
    const of = (status: UrlStatus) => lines.filter((line) => line.status === status).length;
    expect([of('excluded'), of('failed')]).toEqual([100, 100]);
    expect(of('fetched')).toBeGreaterThanOrEqual(sample * 60);
    expect(of('fetched')).toBeLessThanOrEqual(sample * 140);
    expect(words).toEqual(ALL);
  });

  it('chooses the same URLs every time', async () => {
    const urls = async () => (await logged({ sample: 0.3 })).lines.map(({ url }) => url);
    expect(await urls()).toEqual(await urls());
  });

  it('stops writing at its last line and continues to count, in each run', async () => {
    const { lines, words } = await logged({ maxLines: 30 }, 2);
    expect(lines).toHaveLength(60);
    expect(words).toEqual(ALL);
  });
});
