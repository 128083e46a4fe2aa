// `mannerly report` and `mannerly audit` as a person or a CI job uses them: what they print and write, and the exit
// code on which a build may depend.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import type { AuditReport } from '../report/audit/audit-report.js';
import type { RequestRecord } from '../report/decision.js';
import type { ReportData } from '../report/page/gather-report.js';

let base: string;
let out: string;
let site: TestSite;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-audit-command-'));
  out = join(base, 'crawl');
  site = await testSite(['/1', '/2', '/closed']);
  await run(
    'crawl',
    `${site.url}/`,
    ...who,
    '--interval',
    '0',
    '--out',
    out,
    '--pages',
    '10',
    '--decisions-sample',
    '0',
  );
});

afterAll(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

/**
 * Changes every line of the crawl's log while `judge` runs; `null` removes a line. The run's record of the log is
 * removed too, unless `isRecorded` is set.
 */
async function withFalsifiedLog(
  change: (line: string) => string | null,
  judge: () => Promise<void>,
  { isRecorded = false } = {},
): Promise<void> {
  const [path, recordPath] = [join(out, 'requests.jsonl'), join(out, 'run.json')];
  const [whole, record] = [readFileSync(path, 'utf8'), readFileSync(recordPath)];
  const lines = whole.split('\n').map(change);
  writeFileSync(path, lines.filter((line) => line !== null).join('\n'));
  if (!isRecorded) rmSync(recordPath);
  try {
    await judge();
  } finally {
    writeFileSync(path, whole);
    writeFileSync(recordPath, record);
  }
}

describe('the directories of several machines', () => {
  const other = (): string => join(base, 'other');
  beforeAll(async () => {
    await run('crawl', `${site.url}/`, ...who, '--interval', '0', '--out', other(), '--pages', '10');
    // This crawl stands for a second machine of the first: what tells them apart goes.
    rmSync(join(other(), 'run.json'));
  });

  it('give one report, whose figures add up, written into the first', async () => {
    const each = await Promise.all(
      [out, other()].map(async (path) => JSON.parse((await run('report', path, '--json')).out)),
    );
    const result = await run('report', other(), out);
    expect(result.out).toContain('8 requests.');
    expect(result.out).toContain('Audit:  no violation');
    const data = JSON.parse(readFileSync(join(other(), 'report.json'), 'utf8')) as ReportData;
    expect(data.totals).toMatchObject({ requests: 8, hosts: 1, bytes: each[0].bytes + each[1].bytes });
    expect(data.crawl.runs).toHaveLength(2);
    expect(data.audit).toMatchObject({ passed: true, runs: 2 });
  });

  it('are audited together for each host, since requests that are polite alone may not be so together', async () => {
    expect((await run('audit', out, other())).out).toMatch(/^Polite: 8 requests to 1 host in 2 runs/);
    const requestsOf = (path: string): RequestRecord[] =>
      readFileSync(join(path, 'requests.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const firstMs = requestsOf(out)[0]!.startedAtMs;
    const lastMs = requestsOf(out).at(-1)!.endedAtMs;
    // Makes the first request of the second machine last longer than all requests of the first.
    const moved = requestsOf(other()).map((request, at) => {
      const startedAtMs = at === 0 ? firstMs - 1_000 : lastMs + 2_000 * at;
      return { ...request, startedAtMs, endedAtMs: at === 0 ? lastMs + 1_000 : startedAtMs + 1 };
    });
    writeFileSync(join(other(), 'requests.jsonl'), moved.map((request) => `${JSON.stringify(request)}\n`).join(''));
    const runs = readFileSync(join(other(), 'runs.jsonl'), 'utf8');
    writeFileSync(join(other(), 'runs.jsonl'), runs.replace(/(?<="startedAtMs":)[\d.]+/, String(firstMs - 1_000)));
    expect((await run('audit', other())).code).toBe(0);
    const together = await run('audit', out, other());
    expect(together.code).toBe(5);
    expect(together.out).toMatch(/overlapping/);
    expect((await run('report', out, other())).out).toMatch(/violations: mannerly audit \S+ \S+/);
  });

  it.each(['report', 'audit', 'export'])(
    '%s refuses a directory that is named twice, or belongs to another crawl',
    async (name) => {
      expect(await run(name, out, `${out}/.`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('one directory'),
      });
      for (const [who, difference] of [
        ['somebody', 'crawl by "tester"'],
        ['tester', 'two crawls, which began at different times'],
      ] as const) {
        const strange = join(base, `${name}-${who}`);
        const flags = ['--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8', '--interval', '0'];
        await run('crawl', `${site.url}/`, '--name', who, ...flags, '--out', strange, '--pages', '1');
        expect(await run(name, out, strange)).toMatchObject({ code: 2, err: expect.stringContaining(difference) });
      }
    },
  );
});

describe('a crawl on a server', () => {
  it.each(['audit', 'export'])('has nothing for %s, which says where to look instead', async (name) => {
    for (const args of [[], [out]]) {
      const { code, err } = await run(name, ...args, '--store', 'redis://:secret@127.0.0.1:1');
      expect(code).toBe(2);
      expect(err).toMatch(/crawl directories of its machines.*mannerly report --store/s);
      expect(err).not.toContain('secret');
    }
    expect((await run(name, '--help')).out).not.toContain('--store');
  });
});

describe('mannerly audit', () => {
  it('says that a crawl was polite, and ends with 0', async () => {
    expect(await run('audit', out)).toEqual({
      code: 0,
      out: 'Polite: 4 requests to 1 host in 1 run, no violation found.',
      err: '',
    });
  });

  it('ends with 5 if it finds something, and names it', async () => {
    await withFalsifiedLog(
      (line) => line.replace('/1",', '/closed/1",'),
      async () => {
        const result = await run('audit', out);
        expect(result.code).toBe(5);
        expect(result.out).toMatch(/^Not polite: 4 requests to 1 host in 1 run\.\n +1 {2}excluded: .*\n\n/);
        expect(result.out).toContain(`${site.url}/closed/1: robots.txt (copy `);
        const report = JSON.parse((await run('audit', out, '--json')).out) as AuditReport;
        expect(report).toMatchObject({ format: 1, passed: false, counts: { excluded: 1, log: 0 } });
        expect((await run('audit', out, '--limit', '0')).out).toContain('… and 1 more.');
      },
    );
  });

  it('ends with 5 if lines are missing or a log was changed, since the rest does not prove politeness', async () => {
    const changes: [(line: string) => string | null, RegExp][] = [
      [(line) => (line.includes(`${site.url}/2`) ? null : line), /has \d+ bytes, and the last run left \d+$/m],
      [(line) => line.replace('"gapMs":', '"gapmS":'), /was changed since the last run left it$/m],
    ];
    for (const [change, sentence] of changes) {
      await withFalsifiedLog(
        change,
        async () => {
          const result = await run('audit', out);
          expect(result).toMatchObject({ code: 5, out: expect.stringMatching(/^Not proven polite: [34] requests/) });
          expect(result.out).toMatch(sentence);
          expect((await run('report', out)).out).toContain('Audit:  1 violation: mannerly audit');
        },
        { isRecorded: true },
      );
    }
  });

  it('ends with 5 if there is nothing to judge, since an empty log proves nothing', async () => {
    await withFalsifiedLog(
      () => '',
      async () => {
        expect(await run('audit', out)).toMatchObject({ code: 5, out: expect.stringContaining('Nothing to audit') });
        expect((await run('report', out)).out).toContain('Audit:  nothing to judge: mannerly audit');
      },
    );
  });

  it('ends with 2 if there is no crawl', async () => {
    expect((await run('audit', base)).code).toBe(2);
  });
});

describe('mannerly report', () => {
  it('writes its two files next to the logs and says where', async () => {
    const result = await run('report', out);
    expect(result.code).toBe(0);
    expect(result.out).toContain(`Audit:  no violation\nReport: ${join(out, 'report.html')}\n`);
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['report.html', 'report.json']));
    expect(readdirSync(out).filter((name) => name.includes('.part'))).toEqual([]);
    const data = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as ReportData;
    // The log has no sampled decision, but the totals are complete.
    expect(data.totals.outcomes).toEqual({ fetched: 3, excluded: 1, dropped: 0, failed: 0, held: 0 });
    expect(readFileSync(join(out, 'decisions.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('says what the audit could not judge, next to its verdict and in the paragraph for a paper', async () => {
    const path = join(out, 'run.json');
    const record = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(record), earlier: [{ endedAtMs: null }] }));
    try {
      const note = '1 run was killed, or is under way: requests whose answers had not come by then';
      expect((await run('report', out)).out).toContain(`Audit:  no violation\n        ${note}`);
      const { methods } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as { methods: string };
      expect(methods).toContain(`found no violation. ${note}`);
    } finally {
      writeFileSync(path, record);
    }
  });

  it.each([[[]], [['--json']]])('is printed if the directory cannot be written to (%j)', async (flags) => {
    rmSync(join(out, 'report.html'), { force: true, recursive: true });
    mkdirSync(join(out, 'report.html', 'in-the-way'), { recursive: true });
    const result = await run('report', out, ...flags);
    expect(result.code).toBe(1);
    expect(result.out).toContain('127.0.0.1');
    expect(result.err).toContain('could not be written');
  });
});
