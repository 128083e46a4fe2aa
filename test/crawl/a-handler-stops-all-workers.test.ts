// A handler that stops the crawl stops all worker processes. Otherwise the others continue to send requests while the
// operator reads that the crawl has stopped. Nothing is lost: the same command fetches the rest.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND, LIBRARY } from '../support/command.js';

const HOSTS = 6;
const PAGES = 24;
const WORKERS = 3;
/** Pages of the first crawl take time, different for each host, so some are in flight when a handler stops it. */
let stepMs = 200;
const requested: string[] = [];
const servers: Server[] = [];
let seeds: string[] = [];
let place = '';

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'mannerly-stops-all-'));
  await mkdir(join(place, 'at-work'));
  let port = 0;
  for (let at = 0; at < HOSTS; at += 1) {
    const name = `127.0.4.${at + 1}`;
    const server = createServer((request, response) => {
      if (request.url === '/robots.txt') {
        response.end('User-agent: *\nDisallow:\n');
        return;
      }
      requested.push(`http://${request.headers.host}${request.url}`);
      const number = request.url === '/' ? 0 : Number(request.url?.slice(1));
      response.setHeader('content-type', 'text/html');
      // Each page links to the next, so a host takes its interval times its pages, however fast the machine is.
      const body = `<title>${number}</title>${number + 1 < PAGES ? `<a href="/${number + 1}">on</a>` : ''}`;
      setTimeout(() => response.end(body), (at + 1) * stepMs);
    });
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(port, name, done);
    });
    port ||= (server.address() as AddressInfo).port;
    servers.push(server);
  }
  seeds = servers.map((_, at) => `http://127.0.4.${at + 1}:${port}/`);
  // Stops at the first page after every worker has handled one, but not again once the stop has been recorded.
  await writeFile(
    join(place, 'handlers.mjs'),
    `import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { StopCrawl } from ${JSON.stringify(LIBRARY)};
export const handlers = {
  html: async (page) => {
    await page.emit({ url: page.url });
    await page.follow();
    writeFileSync(new URL('at-work/' + process.pid, import.meta.url), '');
    const stopped = new URL('stopped', import.meta.url);
    if (readdirSync(new URL('at-work', import.meta.url)).length < ${WORKERS} || existsSync(stopped)) return;
    appendFileSync(stopped, page.url + '\\n');
    throw new StopCrawl('they have a new layout');
  },
};
`,
  );
  const config = { bounds: { pages: 1_000, depth: PAGES }, handlers: './handlers.mjs' };
  await writeFile(join(place, 'mannerly.config.json'), JSON.stringify(config));
});

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
});

function mannerly(...args: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd: place });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
    child.once('close', (code) => done({ code, stdout, stderr })),
  );
}

const crawl = (...more: readonly string[]) =>
  mannerly(
    ...['crawl', ...seeds, '--out', 'crawl', '--name', 'crew', '--contact', 'https://example.org/us'],
    ...['--allow-address', '127.0.0.0/8', '--workers', String(WORKERS), ...more],
  );

async function exportedUrls(): Promise<string[]> {
  const { stdout } = await mannerly('export', 'crawl');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).url);
}

const all = () => seeds.flatMap((seed) => Array.from({ length: PAGES }, (_, at) => `${seed}${at === 0 ? '' : at}`));
const stoppedAt = () => readFileSync(join(place, 'stopped'), 'utf8').trim().split('\n');

// Needs many loopback addresses, which Linux provides.
describe.skipIf(process.platform !== 'linux')('StopCrawl with --workers', () => {
  it('ends all of them, with code 130, and prints the reason once', async () => {
    const { code, stdout, stderr } = await crawl('--interval', '1');
    expect(existsSync(join(place, 'stopped')), stderr).toBe(true);
    expect(code, stderr).toBe(130);
    const text = `${stdout}\n${stderr}`;
    expect(text.match(/they have a new layout/g), text).toHaveLength(1);
    expect(stdout).toMatch(/^Stopped by a handler: "they have a new layout"\. The same command continues the crawl\./);
    expect(stderr).not.toMatch(/Worker \d/);
    // Without the stop, every host would have got requests for seconds.
    for (const seed of seeds) expect(requested, text).not.toContain(`${seed}${PAGES - 1}`);
  });

  it('keeps what waited: each host continues where it was', async () => {
    const { stdout } = await mannerly('queue', 'crawl', '--json');
    const queued = JSON.parse(stdout).items.map(({ record }: { record: { url: string } }) => record.url);
    const kept = await exportedUrls();
    expect(queued).toHaveLength(HOSTS);
    expect(queued).toEqual(expect.arrayContaining(stoppedAt()));
    const done = requested.filter((url) => !stoppedAt().includes(url));
    expect(kept.sort()).toEqual(done.sort());
  });

  it('continues with the same command, and nothing is lost or requested twice', async () => {
    stepMs = 0;
    const { code, stdout, stderr } = await crawl('--interval', '0.05', '--json');
    expect(code, stderr).toBe(0);
    const pages = HOSTS * PAGES;
    expect(JSON.parse(stdout)).toMatchObject({ state: 'finished', pages, items: pages });
    expect(JSON.parse(stdout)).not.toHaveProperty('stopReason');
    expect((await exportedUrls()).sort()).toEqual(all().sort());
    // Only the page at which the handler stopped was requested once more.
    expect(requested.sort()).toEqual([...all(), ...stoppedAt()].sort());
  });
});
