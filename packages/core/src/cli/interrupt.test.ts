// Ctrl-C twice ends the command at once, whatever a handler is doing, and nothing is lost.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';

const LINKS = ['/a', '/b', '/c'];
let site: TestSite;
let folder: string;

beforeAll(async () => {
  site = await testSite(LINKS);
  folder = mkdtempSync(join(tmpdir(), 'mannerly-interrupt-'));
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command with a handler. @param onBusy - Called when the user's code prints that it is busy. */
async function crawl(
  handler: string,
  onBusy: (pid: number) => void = () => undefined,
  name = 'out',
  ...more: readonly string[]
) {
  writeFileSync(join(folder, 'handlers.mjs'), `export const handlers = { html: async (page) => { ${handler} } };\n`);
  writeFileSync(join(folder, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  const argv = [COMMAND, 'crawl', `${site.url}/`, ...who, '--interval', '0', '--out', name, '--json', ...more];
  const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err, endedMs] = ['', '', 0];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    const wasBusy = err.includes('busy');
    err += piece;
    if (wasBusy || !err.includes('busy')) return;
    endedMs = performance.now();
    onBusy(child.pid!);
  });
  const [code, signal] = await once(child, 'close');
  return { out, err, code, signal, tookMs: performance.now() - endedMs };
}

describe.skipIf(process.platform === 'win32')('Ctrl-C', { timeout: 60_000 }, () => {
  const SPIN = "console.error('busy'); for (const end = Date.now() + 60_000; Date.now() < end; );";
  /** Presses Ctrl-C until the crawl has ended. */
  async function pressed(handler: string, name = 'out', ...more: readonly string[]) {
    let presses: NodeJS.Timeout | undefined;
    const press = (pid: number): void => {
      process.kill(pid, 'SIGINT');
      // The thread that listens for it may not have started yet.
      presses = setTimeout(press, 1_000, pid);
    };
    return crawl(handler, press, name, ...more).finally(() => clearTimeout(presses));
  }

  it('twice ends a crawl whose handler never ends, and the same command continues it', async () => {
    const ended = await pressed(SPIN);
    expect(ended.tookMs).toBeLessThan(30_000);
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.err).toMatch(/ended at once, in the middle of a page\. The same command continues the crawl/);
    const rest = await crawl('await page.follow()');
    expect(rest.code, rest.err).toBe(0);
    expect(JSON.parse(rest.out)).toMatchObject({ state: 'finished', pages: 1 + LINKS.length });
  });

  it('twice ends a crawl whose hook never ends before the first request of a run', async () => {
    // The next run then knows robots.txt.
    await crawl('await page.follow()', undefined, 'hook', '--pages', '1');
    writeFileSync(join(folder, 'hook.mjs'), `export default { hooks: { beforeFetch: () => { ${SPIN} } } };\n`);
    const ended = await pressed('', 'hook', '--config', 'hook.mjs');
    expect(ended.tookMs).toBeLessThan(30_000);
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.err).toMatch(/ended at once/);
  });

  it('once lets a handler finish', async () => {
    const wait =
      "console.error('busy'); await new Promise((done) => setTimeout(done, 700)); await page.emit({ at: 1 });";
    const interrupt = (pid: number) => void process.kill(pid, 'SIGINT');
    const { code, out, err } = await crawl(`${wait} await page.follow();`, interrupt, 'once');
    expect([code, err.includes('Stopping: requests in flight are completed')]).toEqual([130, true]);
    expect(err).not.toMatch(/in the middle of a page/);
    expect(JSON.parse(out)).toMatchObject({ state: 'stopped', pages: 1, items: 1 });
  });
});
