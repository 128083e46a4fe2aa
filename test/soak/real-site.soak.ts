// A real documentation site with everything on, through the command as a user types it: crawl, report, audit, replay,
// export, package; and once more with the same seed, which takes the same pages in the same order. It uses Debian's
// rust-doc if that is installed, else python3-doc; without either it is skipped by name. test/bench/real-site measures
// the same in seconds and bytes.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { DOCUMENTATION_SITES, serveFolder } from '../support/documentation-sites.js';

const RUST_DOC = '/usr/share/doc/rust-doc/html';
const SITE = existsSync(join(RUST_DOC, 'index.html'))
  ? { name: 'rust-doc', root: RUST_DOC }
  : (DOCUMENTATION_SITES.find(({ root }) => root !== null) ?? { name: 'rust-doc or python3-doc', root: null });
const PAGES = 400;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(...args: string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

async function lines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).trimEnd().split('\n');
}

it.skipIf(SITE.root === null)(`${SITE.name}, with everything on`, { timeout: 900_000 }, async () => {
  const port = await serveFolder(SITE.root ?? '');
  const base = await mkdtemp(join(tmpdir(), 'mannerly-real-site-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const flags = ['--name', 'soak-bot', '--contact', 'https://example.org/soak', '--allow-address', '127.0.0.0/8'];
  const crawl = (name: string) =>
    run(
      'crawl',
      `http://127.0.0.1:${port}/`,
      ...[
        ...flags,
        '--interval',
        '0',
        '--pages',
        String(PAGES),
        '--depth',
        '40',
        '--order-seed',
        'soak',
        '--no-config',
      ],
      ...['--warc', '--wacz', '--csv', join(base, `${name}.csv`), '--out', join(base, name), '--json'],
    );
  const first = await crawl('first');
  expect(first, first.err).toMatchObject({ code: 0 });
  const report = JSON.parse(first.out) as { state: string; pages: number; items: number };
  expect(report).toMatchObject({ state: 'bounded', pages: PAGES });

  const out = join(base, 'first');
  const reported = await run('report', out);
  expect(reported, reported.err).toMatchObject({ code: 0 });
  expect((await stat(join(out, 'report.html'))).size).toBeLessThan(2_000_000);
  const audited = await run('audit', out);
  expect(audited, audited.out).toMatchObject({ code: 0, out: expect.stringContaining('no violation found') });
  const replayed = await run('replay', out);
  expect(replayed, replayed.err).toMatchObject({ code: 0 });
  const items = (await lines(join(out, 'items.jsonl'))).sort();
  expect(items).toHaveLength(report.items);
  expect((await lines(join(out, 'replayed.jsonl'))).sort()).toEqual(items);
  const exported = await run('export', out, '--to', join(base, 'items.parquet'), '--json');
  expect(exported, exported.err).toMatchObject({ code: 0 });
  expect(JSON.parse(exported.out)).toMatchObject({ format: 'parquet', items: report.items });

  expect(await crawl('second')).toMatchObject({ code: 0 });
  const order = async (name: string) =>
    (await lines(join(base, name, 'requests.jsonl'))).flatMap(
      (line) => (JSON.parse(line) as { url?: string }).url ?? [],
    );
  expect(await order('second')).toEqual(await order('first'));
});
