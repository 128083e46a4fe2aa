// A page that kills the process while it is handled comes again at the next start. At the fourth start it is left out,
// with its reason, and the crawl continues.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { page, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PAGES = ['/', '/1', '/2', '/poison', '/3', '/4'];

/** Each page links to the next, so those after the poison page remain for the fourth start. */
function site(): Promise<Web> {
  const pages = PAGES.map((path, at) => [path, page(path, PAGES.slice(at + 1, at + 3))] as const);
  return webForTest({
    hosts: { '127.0.0.1': { '/robots.txt': { status: 404 }, ...Object.fromEntries(pages) } },
  });
}

function place(): string {
  const path = mkdtempSync(join(tmpdir(), 'mannerly-poison-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(
    join(path, 'handlers.mjs'),
    `import { existsSync } from 'node:fs';
export const handlers = {
  html: async (page) => {
    if (page.url.endsWith('/poison') && !existsSync('harmless')) process.kill(process.pid, 'SIGKILL');
    await page.emit({ url: page.url });
    await page.follow();
  },
};
`,
  );
  writeFileSync(join(path, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  return path;
}

function mannerly(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.resume();
  return new Promise<{ code: number | null; signal: string | null; printed: string }>((done) =>
    child.once('close', (code, signal) => done({ code, signal, printed })),
  );
}

const crawl = (cwd: string, web: Web, ...more: readonly string[]) =>
  mannerly(
    cwd,
    ...['crawl', web.url('127.0.0.1'), '--out', 'crawl', '--name', 'crew', '--contact', 'https://example.org/us'],
    ...['--allow-address', '127.0.0.0/8', '--interval', '0.01', '--json', ...more],
  );

describe('a page that kills the process', () => {
  it('does so three times, the fourth start leaves it out, and a retry reads it again', {
    timeout: 60_000,
  }, async () => {
    const web = await site();
    const cwd = place();
    const poisonRequests = (): number => web.log.filter(({ path }) => path === '/poison').length;
    for (const times of [1, 2, 3]) {
      expect((await crawl(cwd, web)).signal).toBe('SIGKILL');
      expect(poisonRequests()).toBe(times);
    }
    const { code, printed } = await crawl(cwd, web);
    expect(code).toBe(0);
    expect(poisonRequests()).toBe(3);
    expect(JSON.parse(printed)).toMatchObject({ state: 'finished', items: PAGES.length - 1 });
    const explained = (await mannerly(cwd, 'explain', 'crawl', web.url('127.0.0.1', '/poison'))).printed;
    expect(explained).toContain('poison');
    expect(explained).toContain('the process ended three times while this page was read or handled');

    writeFileSync(join(cwd, 'harmless'), '');
    const retried = await crawl(cwd, web, '--retry', 'poison');
    expect(retried.code).toBe(0);
    expect(JSON.parse(retried.printed)).toMatchObject({ items: PAGES.length });
    expect(poisonRequests()).toBe(4);
    expect(existsSync(join(cwd, 'crawl', 'reading.jsonl'))).toBe(false);
  });

  it('is not one whose handler waits while the crawl is ended by a second Ctrl-C', { timeout: 60_000 }, async () => {
    const web = await site();
    const cwd = place();
    writeFileSync(
      join(cwd, 'handlers.mjs'),
      `import { existsSync } from 'node:fs';
export const handlers = {
  html: async (page) => {
    if (page.url.endsWith('/poison') && !existsSync('quick')) {
      process.kill(process.pid, 'SIGINT');
      setTimeout(() => process.kill(process.pid, 'SIGINT'), 50);
      await new Promise(() => setTimeout(() => {}, 60_000));
    }
    await page.emit({ url: page.url });
    await page.follow();
  },
};
`,
    );
    for (let times = 0; times < 4; times += 1) expect((await crawl(cwd, web)).code).toBe(130);
    writeFileSync(join(cwd, 'quick'), '');
    expect(JSON.parse((await crawl(cwd, web)).printed)).toMatchObject({ state: 'finished', items: PAGES.length });
  });

  it('is not one whose items a sink was writing: those items are written in the end', {
    timeout: 60_000,
  }, async () => {
    const web = await site();
    const cwd = place();
    writeFileSync(join(cwd, 'harmless'), '');
    rmSync(join(cwd, 'mannerly.config.json'));
    writeFileSync(
      join(cwd, 'mannerly.config.mjs'),
      `import { existsSync } from 'node:fs';
const waiting = {
  name: 'waiting',
  async open() {},
  async write([item]) { if (item?.url.endsWith('/2') && !existsSync('answers')) process.kill(process.pid, 'SIGKILL'); },
  async close() {},
};
export default { handlers: './handlers.mjs', sinks: [waiting] };
`,
    );
    for (let times = 0; times < 4; times += 1) expect((await crawl(cwd, web)).signal).toBe('SIGKILL');
    writeFileSync(join(cwd, 'answers'), '');
    expect(JSON.parse((await crawl(cwd, web)).printed)).toMatchObject({ state: 'finished', items: PAGES.length });
  });
});
