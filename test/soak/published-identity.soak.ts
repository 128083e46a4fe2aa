// The files of `mannerly identity publish`, served by nginx and Caddy with the configuration that it writes for them.
// If this breaks, an operator who follows the guide publishes keys that strict verifiers refuse.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { freePort } from '../support/free-port.mjs';

const START_MS = 30_000;

let base: string;
let folder: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-served-'));
  folder = join(base, 'folder');
  const key = join(base, 'keys', 'bot.key');
  const config = join(base, 'mannerly.config.json');
  const signature = { key: `file:${key}`, agent: 'https://bot.example/' };
  const identity = { name: 'tidepool', contact: 'https://a.example/', egress: ['198.51.100.0/28'], signature };
  writeFileSync(config, JSON.stringify({ identity }));
  for (const args of [
    ['init', '--key', key],
    ['publish', '--config', config, '--to', folder],
  ]) {
    expect(spawnSync(process.execPath, [COMMAND, 'identity', ...args], { encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
  }
});
afterAll(() => rmSync(base, { recursive: true }));

/** The fields of each path in `_headers`, lower case. */
function expectedFields(): readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] {
  const blocks = readFileSync(join(folder, '_headers'), 'utf8').trim().split('\n\n');
  return blocks.map((block) => {
    const [path = '', ...lines] = block.split('\n');
    const fields = lines.map((line) => [line.trim().split(': ', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: /, '')]);
    return [path, Object.fromEntries(fields) as Record<string, string>];
  });
}

/** Each program, and the configuration that includes the generated part. */
const HOSTS = {
  nginx: (port: number) => {
    const file = join(base, 'nginx.conf');
    const own = `pid ${join(base, 'nginx.pid')}; error_log stderr; events {}`;
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${base};`);
    const server = `listen 127.0.0.1:${port}; root ${folder}; include ${join(folder, 'nginx.conf.part')};`;
    writeFileSync(file, `daemon off; ${own} http { access_log off; ${paths.join(' ')} server { ${server} } }`);
    return ['-c', file];
  },
  caddy: (port: number) => {
    const file = join(base, 'Caddyfile');
    const site = `root * ${folder}\nimport ${join(folder, 'Caddyfile.part')}\nfile_server`;
    writeFileSync(file, `{\nadmin off\nauto_https off\n}\nhttp://127.0.0.1:${port} {\n${site}\n}\n`);
    return ['run', '--adapter', 'caddyfile', '--config', file];
  },
} as const;
const VERSION = { nginx: '-v', caddy: 'version' } as const;

describe.each(['nginx', 'caddy'] as const)('%s', (program) => {
  const isThere = spawnSync(program, [VERSION[program]]).status === 0;
  it.skipIf(!isThere)('serves every file with the fields that it should have', { timeout: 60_000 }, async () => {
    const port = await freePort();
    const host = spawn(program, HOSTS[program](port), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: base },
    });
    let stderr = '';
    host.stderr.on('data', (text) => {
      stderr = `${stderr}${text}`.slice(-2_000);
    });
    const ended = new Promise<void>((resolve) => host.once('exit', () => resolve()));
    onTestFinished(async () => {
      host.kill('SIGTERM');
      await ended;
    });
    const overMs = Date.now() + START_MS;
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    while ((await get('/').catch(() => null)) === null) {
      expect([host.exitCode, Date.now() < overMs], stderr).toEqual([null, true]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const [path, fields] of expectedFields()) {
      const answer = await get(path);
      const file = path === '/' ? 'index.json' : path.slice(1);
      expect([answer.status, Object.fromEntries(answer.headers)], `${path}\n${stderr}`).toEqual([
        200,
        expect.objectContaining(fields),
      ]);
      expect(await answer.text(), path).toBe(readFileSync(join(folder, file), 'utf8'));
    }
    expect(expectedFields().length).toBe(4);
    const page = await get('/about.html');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });
});
