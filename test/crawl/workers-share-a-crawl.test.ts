// Several processes share one crawl directory, started by the command: every page is fetched once, there is one report,
// and a killed worker loses only its own time.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND } from '../support/command.js';

const HOSTS = 8;
const PAGES = 12;
const requested: string[] = [];
const servers: Server[] = [];
let seeds: string[] = [];
let out = '';

beforeAll(async () => {
  out = join(await mkdtemp(join(tmpdir(), 'mannerly-workers-')), 'crawl');
  let port = 0;
  for (let at = 0; at < HOSTS; at += 1) {
    const name = `127.0.3.${at + 1}`;
    const server = createServer((request, response) => {
      requested.push(`${name}${request.url}`);
      if (request.url === '/robots.txt') {
        response.end('User-agent: *\nDisallow:\n');
        return;
      }
      const number = request.url === '/' ? 0 : Number(request.url?.slice(1));
      const links = [2 * number + 1, 2 * number + 2].filter((link) => link < PAGES);
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${number}</title>${links.map((link) => `<a href="/${link}">${link}</a>`).join('')}`);
    });
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(port, name, done);
    });
    port ||= (server.address() as AddressInfo).port;
    servers.push(server);
  }
  seeds = servers.map((_, at) => `http://127.0.3.${at + 1}:${port}/`);
});

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(join(out, '..'), { recursive: true, force: true, maxRetries: 5 });
});

/** Runs the command. @param meanwhile - Called now and then with the process id. */
function mannerly(args: readonly string[], meanwhile: (pid: number) => void = () => undefined) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const timer = setInterval(() => meanwhile(child.pid ?? 0), 50);
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
    child.once('close', (code) => {
      clearInterval(timer);
      done({ code, stdout, stderr });
    }),
  );
}

const crawl = (...more: readonly string[]) => [
  ...['crawl', ...seeds, '--out', out, '--name', 'crew', '--contact', 'https://example.org/us'],
  ...['--allow-address', '127.0.0.0/8', '--interval', '0.2', '--pages', '1000', '--depth', '20', ...more],
];

// Needs many loopback addresses, and processes by their parent, which Linux provides.
describe.skipIf(process.platform !== 'linux')('mannerly crawl --workers', () => {
  it('fetches every page, replaces a killed worker, and prints one report', async () => {
    let isKilled = false;
    const { code, stdout, stderr } = await mannerly(crawl('--json', '--workers', '2'), (pid) => {
      if (isKilled || requested.length < HOSTS * 4) return;
      const [worker] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      isKilled = true;
      process.kill(Number(worker), 'SIGKILL');
    });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/Worker 1 was killed \(SIGKILL\) and is restarted/);
    const pages = new Set(requested.filter((each) => !each.endsWith('/robots.txt')));
    expect(pages.size).toBe(HOSTS * PAGES);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'finished', pages: HOSTS * PAGES, items: HOSTS * PAGES });
    const items = readdirSync(out).filter((name) => /^items-\d+\.jsonl$/.test(name));
    expect(items.length).toBeGreaterThan(0);
  });

  it('exports all items, each once, and leaves nothing to do for a single process', async () => {
    const before = requested.length;
    const exported = await mannerly(['export', out]);
    const ids = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toHaveLength(HOSTS * PAGES);
    expect(new Set(ids).size).toBe(HOSTS * PAGES);
    const again = await mannerly(crawl('--json'));
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'finished', alreadyFinished: true, pages: HOSTS * PAGES });
    expect(requested).toHaveLength(before);
  });
});
