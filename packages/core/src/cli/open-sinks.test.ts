// Sinks that flags open: what is refused before any request, where credentials may be, and a crawl that posts its
// items. Every user of the machine can see a password on a command line in the process list.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { who } from '../../test-support/test-site.js';
import { createNamedSinks } from './open-sinks.js';
import { runCommand } from './program.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's3cret' };
const BUCKET = 'https://s3.test/bucket';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('sinks by name', () => {
  it.each([
    ['nothing', {}, []],
    ['a file', { sqlite: 'items.sqlite' }, ['sqlite items.sqlite']],
    ['a server', { postgres: 'postgres://me@db.test/crawls?table=pages' }, ['postgres db.test/crawls pages']],
    ['a place', { postgres: 'env:DB' }, ['postgres db.test/crawls items']],
    ['a webhook', { webhook: 'https://hook.test/T0/B0' }, ['webhook https://hook.test']],
    ['a secret webhook', { webhook: 'env:HOOK' }, ['webhook https://hook.test']],
    ['a bucket', { s3: BUCKET }, [`s3 ${BUCKET}/`]],
    ['a part of a bucket', { s3: `${BUCKET}/tide%20pools/a/` }, [`s3 ${BUCKET}/tide pools/a/`]],
  ])('%s', async (_what, named, names) => {
    const env = { ...KEYS, DB: 'postgres://me:s3cret@db.test/crawls', HOOK: 'https://hook.test/s3cret' };
    expect((await createNamedSinks(named, env)).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    [{ postgres: 'postgres://me:s3cret@db.test/crawls' }, '--postgres has a password'],
    [{ postgres: 'mysql://db.test' }, '--postgres is not a URL of that kind'],
    [{ postgres: 'env:NONE' }, '--postgres env:NONE: no such variable is set'],
    [{ webhook: 'hook.test' }, '--webhook is not a URL of that kind'],
    [{ webhook: 'env:NOT_A_URL' }, '--webhook env:NOT_A_URL is not a URL of that kind'],
    [{ webhook: 'https://me:s3cret@hook.test' }, '--webhook has a password'],
    [{ s3: 'https://s3.test/' }, '--s3 names no bucket'],
    [{ s3: BUCKET }, '--s3 needs AWS_ACCESS_KEY_ID'],
  ])('%j is refused: %s', async (named, says) => {
    await expect(createNamedSinks(named, { NOT_A_URL: 's3cret' })).rejects.toThrow(
      new RegExp(`^(?!.*s3cret)${says.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
    );
  });
});

it('a crawl posts its items through the stages of its handlers, and writes the secret nowhere', async () => {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let body = '';
      for await (const piece of request) body += String(piece);
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    } else if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Tides</title>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const base = mkdtempSync(join(tmpdir(), 'mannerly-sinks-'));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(base, { recursive: true, force: true });
  });
  const handlers = join(base, 'handlers.mjs');
  writeFileSync(
    handlers,
    `export const handlers = { html: (page) => page.emit({ title: page.title }) };
     export const items = [function loud(item) { return { title: item.title.toUpperCase() } }];`,
  );
  writeFileSync(join(base, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  vi.stubEnv('HOOK', `${origin}/hook/s3cret`);
  vi.stubEnv('MANNERLY_WEBHOOK_AUTHORIZATION', 'Bearer s3cret');
  const argv = [
    'crawl',
    `${origin}/`,
    ...who,
    '--interval',
    '0',
    '--out',
    join(base, 'out'),
    '--webhook',
    'env:HOOK',
    '--warc',
  ];
  const io = fakeIo();
  const code = await runCommand([...argv, '--config', join(base, 'mannerly.config.json')], io);
  expect(code, io.errLines.join('\n')).toBe(0);
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer s3cret']);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ items: [{ url: `${origin}/`, title: 'TIDES' }] });
  expect(io.outLines.join('\n')).toContain('Stages of this run:\n  loud: 1 in, 1 out');
  const written = readdirSync(join(base, 'out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect([...written, ...io.outLines, ...io.errLines].join('\n')).not.toContain('s3cret');
  const again = fakeIo();
  const replayed = ['replay', join(base, 'out'), '--handlers', handlers];
  expect(await runCommand(replayed, again), again.errLines.join('\n')).toBe(0);
  expect(again.outLines.join('\n')).toContain('loud: 1 in, 1 out');
  expect(readFileSync(join(base, 'out', 'replayed.jsonl'), 'utf8')).toContain('"title":"TIDES"');
});

it('a bucket without its library is refused before anything is sent', async () => {
  vi.resetModules();
  vi.doMock('../optional-peer.js', () => ({
    loadPeer: async (name: string, what: string) => {
      throw new Error(`${what} needs ${name}`);
    },
  }));
  try {
    const { createNamedSinks: named } = await import('./open-sinks.js');
    await expect(named({ s3: BUCKET }, KEYS)).rejects.toThrow('--s3 needs aws4fetch');
  } finally {
    vi.doUnmock('../optional-peer.js');
    vi.resetModules();
  }
});
