// The command checks what the operator of a signed crawler publishes, and verifies what arrives at a site.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { runWith } from '../../test-support/run-command.js';
import { COVERED_COMPONENTS } from '../signatures/profile.js';
import { requestSigner } from '../signatures/sign-request.js';
import { loadSigningKey } from '../signatures/signing-key.js';
import { runCommand } from './program.js';

const AGENT = 'https://bot.example/';
const NOW = Date.UTC(2026, 10, 24);

let base: string;
let config: string;
let directory: string;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-verify-'));
  const key = join(base, 'keys', 'bot.key');
  config = join(base, 'mannerly.config.json');
  directory = join(base, 'folder', '.well-known', 'http-message-signatures-directory');
  const identity = { name: 'tidepool', contact: 'https://a.example/', signature: { key: `file:${key}`, agent: AGENT } };
  writeFileSync(config, JSON.stringify({ identity }));
  await run('init', '--key', key);
  await run('publish', '--config', config, '--to', join(base, 'folder'));
});
afterAll(() => rmSync(base, { recursive: true }));

const run = (...args: readonly string[]) => runWith({ ...fakeIo(), nowMs: () => NOW }, 'identity', ...args);

async function signed(url: string, nowMs = NOW) {
  const signer = loadSigningKey(`file:${join(base, 'keys', 'bot.key')}`);
  const terms = {
    form: 'url',
    agent: AGENT,
    components: COVERED_COMPONENTS.path,
    lifetimeSeconds: 60,
    nonce: true,
  } as const;
  return Object.entries(await requestSigner(signer, terms)(new URL(url), nowMs));
}

const textOf = (target: string, host: string, fields: readonly (readonly [string, string])[]) =>
  [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...fields.map(([name, value]) => `${name}: ${value}`)].join('\r\n');

describe('mannerly identity check', () => {
  const check = (...more: readonly string[]) => run('check', '--config', config, ...more);

  it('finds nothing wrong with a folder that was just written', async () => {
    expect(await check('--to', join(base, 'folder'))).toMatchObject({
      code: 0,
      out: `${join(base, 'folder')}: nothing is wrong.`,
    });
  });

  it('says what is wrong, where, as text and as JSON', async () => {
    const card = join(base, 'folder', 'card.json');
    const whole = readFileSync(card, 'utf8');
    writeFileSync(card, whole.replace('"tidepool"', '"another"'));
    const result = await check('--to', join(base, 'folder'));
    expect(result.code).toBe(5);
    expect(result.out).toMatch(/^card-mismatch {2}https:\/\/bot\.example\/card\.json: `client_name` is "another"/);
    const { faults } = JSON.parse((await check('--to', join(base, 'folder'), '--json')).out) as { faults: object[] };
    expect(faults).toMatchObject([{ code: 'card-mismatch' }]);
    writeFileSync(card, whole);
  });

  it('requests a host only if it may: a private address is a fault, and gets no request', async () => {
    const { code, out } = await check('https://127.0.0.1:1/');
    expect(code).toBe(5);
    expect(out).toContain('directory-absent  https://127.0.0.1:1/.well-known');
    expect(out).toContain('its address is refused');
  });

  it('refuses what is not an https URL', async () => {
    expect(await check('http://bot.example/')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not an https URL'),
    });
  });
});

describe('mannerly identity verify', () => {
  const file = (text: string): string => {
    const path = join(base, 'requests');
    writeFileSync(path, text);
    return path;
  };
  const verify = (path: string, ...more: readonly string[]) => run('verify', path, '--keys', directory, ...more);

  it('verifies requests in a text, and gives reasons for failures', async () => {
    const good = await signed('https://site.example/a');
    const texts = [
      textOf('/a', 'site.example', good),
      textOf('/b', 'site.example', good),
      textOf('/a', 'other.example', good),
      textOf('/a', 'site.example', []),
      textOf('/a', 'site.example', await signed('https://site.example/a', NOW - 3_600_000)),
    ];
    const { code, out, err } = await verify(file(texts.join('\r\n\r\n')));
    expect([code, err]).toEqual([5, '1 of 5 verified.']);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      expect.stringMatching(/^verified https:\/\/site\.example\/a by https:\/\/bot\.example\/, key [\w-]{43}$/),
      'invalid https://site.example/b signature-wrong',
      'invalid https://other.example/a signature-wrong',
      'unverified https://site.example/a unsigned',
      'invalid https://site.example/a expired',
    ]);
  });

  it('verifies a HAR at the time of each request', async () => {
    const beforeMs = NOW - 30 * 86_400_000;
    const fields = await signed('https://site.example/a', beforeMs);
    const request = {
      method: 'GET',
      url: 'https://site.example/a',
      headers: fields.map(([name, value]) => ({ name, value })),
    };
    const entries = [{ startedDateTime: new Date(beforeMs).toISOString(), request }];
    expect(await verify(file(JSON.stringify({ log: { entries } })))).toMatchObject({
      code: 0,
      err: '1 of 1 verified.',
    });
  });

  it.each(['', 'no request', '{"log":', '{"log":{"entries":[{}]}}', 'GET /a HTTP/1.1'])(
    'refuses a file without requests: %j',
    async (text) => {
      const result = await verify(file(text));
      expect(result).toMatchObject({ code: 2, err: expect.stringContaining('holds no requests') });
    },
  );

  it('refuses a folder without WARC files, such as the crawl directory around them', async () => {
    const result = await verify(base);
    expect(result).toMatchObject({ code: 2, err: expect.stringMatching(/holds no requests\n.*`archive`/) });
  });

  it('refuses to guess', async () => {
    expect(await run('verify')).toMatchObject({ code: 2, err: expect.stringContaining('missing what to verify') });
    const two = await run('verify', directory, '--listen', '0');
    expect(two).toMatchObject({ code: 2, err: expect.stringContaining('one of these at a time') });
  });

  it('answers what arrives at a port with its verdict, until Ctrl-C', async () => {
    const io = { ...fakeIo(), nowMs: () => NOW };
    const ended = runCommand(['identity', 'verify', '--listen', '0', '--keys', directory], io);
    let port = '';
    while (port === '') {
      await new Promise((resolve) => setTimeout(resolve, 5));
      port = /127\.0\.0\.1:(\d+)/.exec(io.errLines.join())?.[1] ?? '';
    }
    const taken = await run('verify', '--listen', port, '--keys', directory);
    expect(taken).toMatchObject({ code: 1, err: expect.stringMatching(/EADDRINUSE[\s\S]*name another port/) });
    expect(taken.err).not.toContain('This is a bug');
    const origin = `http://127.0.0.1:${port}`;
    const good = await signed(`https://127.0.0.1:${port}/a`);
    const statuses = [
      (await fetch(`${origin}/a`, { headers: good })).status,
      (await fetch(`${origin}/a`)).status,
      (await fetch(`${origin}/b`, { headers: good })).status,
    ];
    io.interrupt();
    expect(await ended).toBe(0);
    expect(statuses).toEqual([200, 401, 400]);
    expect(io.outLines.map((line) => line.split(' ')[0])).toEqual(['verified', 'unverified', 'invalid']);
  });

  it('tries each form of the signature at a site', { timeout: 60_000 }, async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const result = await run('verify', '--live', url, '--config', config, '--allow-address', '127.0.0.0/8');
    await new Promise((resolve) => server.close(resolve));
    // A server without a certificate gets no request.
    expect(result.out.split('\n').map((line) => line.split(':')[0])).toEqual([
      'form url',
      'form origin',
      'form string',
    ]);
    expect([result.code, paths]).toEqual([5, []]);
  });
});
