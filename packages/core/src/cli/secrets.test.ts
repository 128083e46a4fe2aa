// A password in a command line or a link must not appear where others can read it: on the terminal, in a log, in a
// manifest, in the queue, in the arguments of another process.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { who } from '../../test-support/test-site.js';
import { redacted } from '../redacted.js';
import { createProgram, runCommand } from './program.js';

const SECRET = 's3cr3t';
let origin: string;
let folder: string;
let out: string;
/** A file of the user's. */
let seeds: string;
let close: () => void;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mannerly-secrets-'));
  out = join(folder, 'crawl');
  // Every way in which a site may name a URL with a password.
  const server = createServer((request, response) => {
    const withPassword = (path: string) => `http://user:${SECRET}@${request.headers.host}${path}`;
    const { url } = request;
    if (url === '/robots.txt') return void response.end('User-agent: *\nAllow: /\n');
    if (url === '/sitemap.xml') {
      const urls = `<url><loc>${withPassword('/listed')}</loc></url>`;
      return void response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`);
    }
    response.setHeader('content-type', 'text/html');
    if (url === '/moved') return void response.writeHead(302, { location: withPassword('/target') }).end();
    if (url === '/linked') response.setHeader('link', `<${withPassword('/canonical')}>; rel="canonical"`);
    response.end(`<title>page</title><a href="${withPassword('/linked')}">a</a><a href="/moved">b</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => void server.close();
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  seeds = join(mkdtempSync(join(tmpdir(), 'mannerly-secrets-')), 'seeds');
  writeFileSync(seeds, `${secretUrl()}\n`);
  const config = join(folder, 'mannerly.config.json');
  writeFileSync(config, JSON.stringify({ canonical: 'dedupe' }));
  const io = fakeIo();
  const code = await runCommand(
    [
      'crawl',
      `http://${origin}/`,
      ...fast(),
      '--config',
      config,
      '--warc',
      '--sitemap',
      `http://${origin}/sitemap.xml`,
      '--out',
      out,
    ],
    io,
  );
  expect(code, io.errLines.join('\n')).toBe(0);
});
afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
  rmSync(dirname(seeds), { recursive: true });
});

const fast = (): string[] => [...who, '--interval', '0'];
const none = (): string[] => ['--out', join(folder, 'none')];
const secretUrl = (): string => `http://user:${SECRET}@${origin}/`;

/** The files below a folder that contain the secret. A site's own content is stored unchanged, and left out. */
const filesWithSecret = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[/\\](archive|robots)$/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(SECRET));

it('a link with a password is kept without it', () => {
  const decided = readFileSync(join(out, 'decisions.jsonl'), 'utf8');
  for (const path of ['/listed', '/target', '/canonical']) expect(decided).toContain(`http://${origin}${path}"`);
  expect(filesWithSecret()).toEqual([]);
});

/** Arguments of every command, with a secret wherever a user could write one. */
const calls: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  crawl: () => [
    [secretUrl(), ...fast(), '--out', join(folder, 'one')],
    ['--seeds', seeds, ...fast(), '--out', join(folder, 'two')],
    [`http://${origin}/`, ...fast(), ...none(), '--store', `postgres://u:x/${SECRET}@127.0.0.1:1/db`],
    [`http://${origin}/`, ...fast(), ...none(), '--store', `redis://:${SECRET}@127.0.0.1:1`],
    [`http://${origin}/`, ...fast(), '--sitemap', secretUrl(), '--out', join(folder, 'three')],
  ],
  plan: () => [[secretUrl(), ...who]],
  serve: () => [
    [secretUrl(), ...fast(), '--out', join(folder, 'four')],
    [`http://${origin}/`, ...fast(), '--listen', secretUrl(), '--out', join(folder, 'five')],
  ],
  report: () => [['--store', `postgres://u:${SECRET}@127.0.0.1:1/db`]],
  audit: () => [[out], [secretUrl()]],
  explain: () => [[out, secretUrl()]],
  queue: () => [['--store', `redis://:${SECRET}@127.0.0.1:1`]],
  pause: () => [['--store', `postgres://u:${SECRET}@127.0.0.1:1/db`], [secretUrl()]],
  resume: () => [['--store', secretUrl()]],
  stop: () => [['--store', secretUrl()]],
  move: () => [
    [out, `redis://:${SECRET}@127.0.0.1:1`],
    [secretUrl(), `postgres://u:${SECRET}@127.0.0.1:1/db`],
  ],
  dashboard: () => [['--store', `redis://:${SECRET}@127.0.0.1:1`]],
  delete: () => [
    ['--yes', '--store', `postgres://u:${SECRET}@127.0.0.1:1/db`],
    ['--store', secretUrl()],
  ],
  add: () => [
    [out, secretUrl()],
    [out, `mailto:${secretUrl()}`],
  ],
  export: () => [[out, '--to', secretUrl()]],
  replay: () => [[out, '--handlers', secretUrl()]],
  wacz: () => [[out, '--to', join(folder, 'a.wacz')]],
  robots: () => [[secretUrl(), ...who]],
  datasets: () => [[secretUrl(), ...who]],
  licence: () => [[secretUrl(), ...who]],
  init: () => [[join(folder, 'made'), '--seed', secretUrl()]],
  identity: () => [
    ['init', '--name', secretUrl()],
    ['publish', '--config', secretUrl()],
  ],
  worker: () => [[]],
};

/** These wait for a server that does not answer and touch no crawl directory, so they run concurrently. */
const WAITING = ['report', 'queue', 'pause', 'dashboard', 'delete'];
const others = createProgram(fakeIo(), () => undefined)
  .commands.map((command) => command.name())
  .filter((name) => !WAITING.includes(name));

it.concurrent.each(WAITING)('mannerly %s neither prints nor keeps a password', keepsSecret);
it.each(others)('mannerly %s neither prints nor keeps a password', keepsSecret);

async function keepsSecret(name: string): Promise<void> {
  const own = calls[name]?.();
  expect(own, `calls of mannerly ${name}`).toBeDefined();
  for (const argv of own ?? []) {
    const io = fakeIo();
    await runCommand([name, ...argv], io);
    // Redacted, as the process does when it prints.
    const output = [...io.outLines, ...io.errLines, ...io.drawn].map(redacted).join('\n');
    expect(output).not.toContain(SECRET);
    expect(filesWithSecret()).toEqual([]);
  }
}

it.each([
  ['http://u:p@a.test/x@y', 'http://***@a.test/x@y'],
  ['https://a.test/@user and https://b.test/?q=a@b', 'https://a.test/@user and https://b.test/?q=a@b'],
  ['"postgres://u:p/w@h/db" failed', '"postgres://***@h/db" failed'],
  ['redis://:p@h:6379', 'redis://***@h:6379'],
  ['postgres://user@host/database?table=items', 'postgres://user@host/database?table=items'],
  ['mail me@example.org', 'mail me@example.org'],
  ['at run (file:///a/p-queue@9.3.5/x.js:1:2)', 'at run (file:///a/p-queue@9.3.5/x.js:1:2)'],
])('%s is shown as %s', (text, shown) => {
  expect(redacted(text)).toBe(shown);
});
