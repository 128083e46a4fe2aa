// The cost of a recrawl of an unchanged site compared with its first crawl, by the real command: bytes that the site
// sends, seconds, and CPU time; with and without an archive. The site is Debian's python3-doc, served from loopback by
// this process; without it there are no rows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveSite } from '../real-site/server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ROOT = process.env.MANNERLY_DOC_SITE ?? '/usr/share/doc/python3-doc/html';
const COMMAND = here('../../../packages/core/dist/cli/main.js');
const WHO = ['--name', 'again', '--contact', 'https://example.org/our-crawler', '--allow-address', '127.0.0.0/8'];
const BOUNDS = ['--interval', '0', '--pages', '100000', '--depth', '50', '--minutes', '60', '--no-config', '--json'];

/** @returns Rows of the table of all benchmarks. */
export async function againRows() {
  if (!existsSync(ROOT)) return [];
  const { server, origin } = await serveSite(ROOT);
  let sentBytes = 0;
  server.on('connection', (socket) => socket.once('close', () => (sentBytes += socket.bytesWritten)));
  try {
    const table = [];
    for (const more of [[], ['--warc']]) {
      const folder = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
      const runs = [];
      for (const again of [[], ['--again'], ['--again']]) {
        const before = { sentBytes, archived: bytesIn(join(folder, 'crawl', 'archive')) };
        const measured = await run(folder, [`${origin}/`, '--recrawl', ...more, ...again]);
        // The last connection may close after the process has ended.
        await new Promise((done) => setTimeout(done, 200));
        runs.push({
          ...measured,
          sentBytes: sentBytes - before.sentBytes,
          archivedBytes: bytesIn(join(folder, 'crawl', 'archive')) - before.archived,
        });
      }
      rmSync(folder, { recursive: true, force: true });
      table.push(...rowsOf(runs, more.length > 0));
    }
    return table;
  } finally {
    server.close();
  }
}

function rowsOf([first, ...others], isArchived) {
  const site = `python3-doc unchanged${isArchived ? ', with an archive' : ''}`;
  const figures = [
    ['MB that the site sends', ({ sentBytes }) => sentBytes / 1e6, 2],
    ['seconds', ({ seconds }) => seconds, 1],
    ['CPU-s for 1,000 pages', ({ cpuSeconds, pages }) => (1_000 * cpuSeconds) / pages, 2],
    ['pages', ({ pages }) => pages, 0],
    ...(isArchived ? [['MB of WARC files', ({ archivedBytes }) => archivedBytes / 1e6, 2]] : []),
  ];
  return figures.flatMap(([what, of, digits]) =>
    others.map((run, at) => ({
      row: `recrawl: ${what}; ${site}, run ${at + 2}`,
      value: of(run),
      reference: 'the first run',
      referenceValue: of(first),
      digits,
    })),
  );
}

/** One run of the command. */
async function run(folder, args) {
  const measured = join(folder, 'measured.json');
  const argv = ['crawl', ...args, '--out', join(folder, 'crawl'), ...WHO, ...BOUNDS];
  const child = spawn(process.execPath, ['--import', here('../real-site/measured.mjs'), COMMAND, ...argv], {
    env: { ...process.env, MEASURED: measured },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  child.stdout.on('data', (bytes) => (told += bytes));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`mannerly ${argv.join(' ')} ended with ${code}`);
  const { pages, recrawl } = JSON.parse(told);
  return { ...JSON.parse(readFileSync(measured, 'utf8')), pages: recrawl?.visits ?? pages };
}

function bytesIn(folder) {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
