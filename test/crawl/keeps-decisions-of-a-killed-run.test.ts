// Decisions that a run makes only at its end, such as those about nofollow links and URLs that are too deep, are not
// lost if the process is killed: the next run reports them, and the crawl still says how many URLs its bound dropped.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const HANDLERS = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
const says = (name, path) => readFileSync('crawl/' + name, 'utf8').includes(path);
export const handlers = {
  html: async (page) => {
    if (page.url.endsWith('/last') && !existsSync('killed')) {
      writeFileSync('killed', '');
      // The last turn of the event loop before the kill may be lost, so the page before is settled first.
      while (!says('decisions.jsonl', '/one"') || !says('pending.jsonl', '/deep"')) await setTimeout(5);
      process.kill(process.pid, 'SIGKILL');
    }
    await page.follow();
  },
};
`;

const html = (body: string) => ({ headers: { 'Content-Type': 'text/html' }, body });

it('reports what a killed run left pending, and a URL that was fetched meanwhile only once', {
  timeout: 60_000,
}, async () => {
  const linked = '<a rel="nofollow" href="/left">x</a><a rel="nofollow" href="/lifted">x</a><a href="/deep">x</a>';
  const web = await webForTest({
    hosts: {
      '127.0.0.1': {
        '/robots.txt': { status: 404 },
        '/': page('Start', ['/one', '/last']),
        '/one': html(linked),
        // A link to the next page does not add to the depth.
        '/last': html('<a rel="next" href="/lifted">x</a>'),
        '/lifted': page('Lifted', []),
      },
    },
  });
  const cwd = mkdtempSync(join(tmpdir(), 'mannerly-pending-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'handlers.mjs'), HANDLERS);
  writeFileSync(join(cwd, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  const mannerly = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'], cwd });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    return new Promise<{ code: number | null; printed: string }>((done) =>
      child.once('close', (code) => done({ code, printed })),
    );
  };
  const crawl = () =>
    mannerly(
      ...['crawl', web.url('127.0.0.1'), '--out', 'crawl', '--name', 'crew', '--contact', 'https://example.org/us'],
      ...['--allow-address', '127.0.0.0/8', '--interval', '0.01', '--depth', '1', '--json'],
    );

  expect((await crawl()).code).toBeNull();
  expect(existsSync(join(cwd, 'crawl', 'pending.jsonl'))).toBe(true);
  const { code, printed } = await crawl();
  expect(JSON.parse(printed).outcomes).toEqual({
    fetched: { fetched: 4 },
    excluded: { 'link-nofollow': 1 },
    dropped: { 'bound-depth': 1 },
  });
  expect(code).toBe(7);
  expect(existsSync(join(cwd, 'crawl', 'pending.jsonl'))).toBe(false);
  const report = JSON.parse((await mannerly('report', 'crawl', '--json')).printed);
  expect(report.outcomes).toEqual(JSON.parse(printed).outcomes);
  expect((await mannerly('explain', 'crawl', web.url('127.0.0.1', '/left'))).printed).toContain('link-nofollow');
});
