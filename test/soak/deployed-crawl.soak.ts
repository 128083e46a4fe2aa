// What `deploy` describes, without containers: its Redis, its three crawlers and its Prometheus as processes of this
// machine, crawling a web that fails, refuses and excludes. If this breaks, operators look at empty panels.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { deployed } from '../docs/deployed-files.js';
import { COMMAND } from '../support/command.js';
import { freePort } from '../support/free-port.mjs';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';

const HAS_PROMETHEUS = spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).status === 0;
const TOKEN = 'a-token-of-this-test-with-forty-characters';
/** One address per host. */
const HOSTS = Array.from({ length: 6 }, (_, at) => `127.0.2.${at + 1}`);
const POLL_MS = 500;
/** Every query must have data within this many milliseconds: only a hang takes longer. */
const LONGEST_MS = 240_000;

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const isHere = HAS_REDIS && HAS_PROMETHEUS && process.platform === 'linux';
const IS_CI = process.env['CI'] === 'true';

it.skipIf(!isHere && !IS_CI)(
  'every query of the board returns data of three crawlers',
  { timeout: 2 * LONGEST_MS },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mannerly-deployed-'));
    const { services } = parse(deployed('compose.yaml'), { merge: true });
    const redis = await startRedis(...services.redis.command.slice(1));
    const children: ChildProcess[] = [];
    const port = await freePort();
    const servers = HOSTS.map((host) => createServer(answer).listen(port, host));
    let output = '';
    const start = (program: string, args: readonly string[]) => {
      const child = spawn(program, args, {
        cwd: folder,
        env: { ...process.env, MANNERLY_DASHBOARD_TOKEN: TOKEN },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output = `${output}${chunk}`.slice(-4_000);
        });
      children.push(child);
    };
    onTestFinished(async () => {
      await Promise.all(children.map(async (child) => child.kill('SIGKILL') && (await once(child, 'close'))));
      for (const server of servers) server.close().closeAllConnections();
      await redis.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });

    const crawlers = Object.keys(services).filter((name) => name.startsWith('crawler-'));
    const listening = await Promise.all(crawlers.map(freePort));
    for (const [at, name] of crawlers.entries()) {
      const [verb, ...flags] = services[name].command as string[];
      const own = {
        '--store': redis.url,
        '--out': join(folder, name),
        '--listen': `127.0.0.1:${listening[at]}`,
        // It runs for as long as the test needs.
        '--pages': '1000000',
      };
      const args = flags.filter((arg) => arg.startsWith('--')).map((arg) => changed(arg, own));
      const seeds = HOSTS.map((host) => `http://${host}:${port}/`);
      start(process.execPath, [
        COMMAND,
        verb ?? '',
        ...seeds,
        ...args,
        '--allow-address=127.0.0.0/8',
        `--port=${port}`,
      ]);
    }

    const settings = parse(deployed('monitoring/prometheus.yml'));
    const [{ dns_sd_configs: _names, ...scraped }] = settings.scrape_configs;
    writeFileSync(join(folder, 'token'), TOKEN);
    scraped.authorization.credentials_file = join(folder, 'token');
    scraped.static_configs = [{ targets: listening.map((one) => `127.0.0.1:${one}`) }];
    const global = { scrape_interval: '1s', scrape_timeout: '1s' };
    writeFileSync(join(folder, 'prometheus.yml'), stringify({ ...settings, global, scrape_configs: [scraped] }));
    const address = `127.0.0.1:${await freePort()}`;
    start('prometheus', [
      `--web.listen-address=${address}`,
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
    ]);

    const queries = (JSON.parse(deployed('monitoring/board.json')) as Board).panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '10s').replaceAll('$job', 'mannerly')]),
    ) as [title: string, query: string][];
    queries.push(['all crawlers at work', `sum(mannerly_running) == ${crawlers.length}`]);
    const without = new Map(queries.map(([title, query]) => [query, title]));
    const series = new Map<string, number>();
    for (const untilMs = performance.now() + LONGEST_MS; without.size > 0 && performance.now() < untilMs; ) {
      await new Promise((done) => setTimeout(done, POLL_MS));
      for (const [query, title] of without) {
        const found = await ask(address, query);
        if (found === 0) continue;
        without.delete(query);
        series.set(title, found);
      }
    }
    console.log([...series].map(([title, found]) => `${title}: ${found}`).join(', '));
    expect([...without.values()], output).toEqual([]);
    // Every metric is shown on the board.
    const names = await fetch(`http://${address}/api/v1/label/__name__/values`);
    const { data } = (await names.json()) as { readonly data: readonly string[] };
    const measured = data.filter((name) => /^mannerly_/.test(name) && !/_(sum|count)$/.test(name));
    expect(measured.length).toBeGreaterThan(10);
    expect(measured.filter((name) => !queries.some(([, query]) => query.includes(name)))).toEqual([]);
  },
);

/** How many series with a finite value a query returns; 0 while Prometheus does not answer. */
async function ask(address: string, query: string): Promise<number> {
  try {
    const response = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await response.json()) as { data?: { result: { value: [number, string] }[] } };
    return (data?.result ?? []).filter(({ value: [, value] }) => Number.isFinite(Number(value))).length;
  } catch {
    // Not yet.
    return 0;
  }
}

/** A flag with this test's own value, if it has one. */
function changed(arg: string, own: Readonly<Record<string, string>>): string {
  const name = arg.replace(/=.*/s, '');
  return own[name] === undefined ? arg : `${name}=${own[name]}`;
}

/** Pages with three links each; some are excluded, fail, or ask for a pause. */
const answer: RequestListener = ({ url = '/' }, response) => {
  const number = Number(url.slice(1));
  if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /no\n');
  else if (number === 7) response.writeHead(500).end();
  else if (number === 11) response.writeHead(429, { 'retry-after': '2' }).end();
  else {
    const links = [1, 2, 3].map((child) => `<a href="/${3 * number + child}">x</a>`);
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${number}</title><a href="/no">no</a>${links.join('')}`);
  }
};
