// A crawl with an archive, killed at random times and started again with the same command: in the end every WARC file
// is complete, every digest is correct, every finished page is there, and a replay yields the items that were written.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memorySink, readDecisions, replay } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { readRecords, recordFaults, warcNames } from '../support/warc.js';
import { page, type Route, startWeb, text } from '../support/web.js';
import { seeded } from './frontier-kill.js';

const PAGES = 600;
const KILLS = 12;
const SEED = 20_261_120;

it(`has only complete records after ${KILLS} kills`, { timeout: 1_200_000 }, async () => {
  const random = seeded(SEED);
  const out = await mkdtemp(join(tmpdir(), 'mannerly-archive-kill-'));
  onTestFinished(() => rm(out, { recursive: true, force: true, maxRetries: 10 }));
  const routes: Record<string, Route> = { '/robots.txt': text('') };
  for (let at = 0; at < PAGES; at += 1) {
    const links = [1, 2, 3].map((step) => `/${(at * 3 + step) % PAGES}`);
    routes[at === 0 ? '/' : `/${at}`] = page(
      `page ${at}`,
      links,
      `<!-- ${'filler '.repeat(at % 50 === 0 ? 60_000 : 300)} -->`,
    );
  }
  const web = await startWeb({ hosts: { '127.0.0.1': routes } });
  onTestFinished(() => web.close());
  const argv = ['crawl', `http://127.0.0.1:${web.port}/`, '--out', out, '--warc', '--warc-bytes', '1048576'];
  const who = ['--name', 'archivist', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
  const rest = ['--interval', '0', '--pages', '100000', '--depth', '1000', '--minutes', '60'];
  let kills = 0;
  for (let start = 0; kills < KILLS && start < KILLS * 3; start += 1) {
    const requestsBefore = web.log.length;
    const child = spawn(process.execPath, [COMMAND, ...argv, ...who, ...rest], { stdio: 'ignore' });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    // Killed while it writes: some exchanges after its first, at a different moment each time.
    const after = requestsBefore + 5 + Math.floor(random() * 40);
    while (child.exitCode === null && web.log.length < after) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, random() * 8));
    if (child.exitCode === null) kills += child.kill('SIGKILL') ? 1 : 0;
    await exited;
  }
  expect(kills).toBe(KILLS);
  const run = (...more: readonly string[]) =>
    new Promise<number | null>((resolve) => {
      spawn(process.execPath, [COMMAND, ...argv, ...who, ...rest, ...more], { stdio: 'ignore' }).once('exit', resolve);
    });
  expect(await run()).toBe(0);
  // A page that was being read at two kills counts as their cause until it is retried explicitly.
  expect(await run('--retry', 'poison')).toBe(0);

  const folder = join(out, 'archive');
  expect(readdirSync(folder).filter((name) => !/\.(warc\.gz|cdxj|pages\.jsonl)$/.test(name))).toEqual([]);
  const records = await readRecords(folder);
  expect(recordFaults(records)).toEqual([]);
  const kept = new Set(records.filter(({ type }) => type === 'response' || type === 'revisit').map(({ url }) => url));
  for await (const { url, status } of readDecisions(join(out, 'decisions.jsonl'))) {
    if (status === 'fetched') expect(kept).toContain(url);
  }
  const lines = readFileSync(join(out, 'items.jsonl'), 'utf8').trimEnd().split('\n');
  const written = lines.map((line) => JSON.parse(line) as { id: string; title: string });
  expect(written).toHaveLength(PAGES);
  const replayed = memorySink();
  await replay({
    from: out,
    handlers: (to) => to.on('html', ({ emit, title }) => emit({ title })),
    sinks: [replayed],
  });
  const titlesOf = (items: readonly { id: string; title: string }[]) =>
    items.map(({ id, title }) => `${id} ${title}`).sort();
  const titles = replayed.items.map(({ id, data }) => ({ id, title: (data as { title: string }).title }));
  expect(titlesOf(titles)).toEqual(titlesOf(written));
  console.info(
    `${kills} kills, ${(await warcNames(folder)).length} WARC files, ${records.length} records (seed ${SEED})`,
  );
});
