// The files in `deploy` are what people copy to run a crawl elsewhere. No container is built here: their words are
// checked, and systemd reads its unit where there is a systemd.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const deployed = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const COMMAND = join(ROOT, 'packages/core/bin/mannerly.js');

interface Service {
  readonly hostname?: string;
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly stop_grace_period?: string;
}

/** Flags of `mannerly crawl` that it does not have. */
function unknownFlags(words: readonly string[]): string[] {
  const help = execFileSync(process.execPath, [COMMAND, 'crawl', '--help'], { encoding: 'utf8' });
  const known = new Set(help.match(/--[a-z][a-z-]*/g));
  return words.filter((word) => word.startsWith('--') && !known.has(word.replace(/=.*/s, '')));
}

it('the Dockerfile pins its base, runs as no root, and calls the command', () => {
  const lines = deployed('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const steps = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/\s+/));
  const of = (name: string) => steps.filter(([first]) => first === name).map(([, ...rest]) => rest.join(' '));
  expect(new Set(steps.map(([name]) => name))).toEqual(
    new Set(['FROM', 'ARG', 'ENV', 'RUN', 'USER', 'WORKDIR', 'VOLUME', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD']),
  );
  expect(of('FROM')).toEqual([expect.stringMatching(/^node:2[2-9]-slim$/)]);
  expect([of('USER'), of('STOPSIGNAL'), of('VOLUME')]).toEqual([['node'], ['SIGTERM'], ['/data']]);
  expect(JSON.parse(of('ENTRYPOINT')[0] ?? '')).toEqual(['mannerly']);
  const peers = JSON.parse(readFileSync(join(ROOT, 'packages/core/package.json'), 'utf8')).peerDependencies as object;
  for (const peer of ['ioredis', 'pg']) {
    expect(Object.keys(peers)).toContain(peer);
    expect(of('RUN')[0]).toContain(`"${peer}@`);
  }
});

it('the compose file gives each crawler a name and a volume, and Redis forgets nothing', () => {
  const file = parse(deployed('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };
  const { redis, ...crawlers } = file.services;
  expect(Object.keys(crawlers)).toHaveLength(2);
  for (const [name, { hostname, command, volumes, stop_grace_period: grace }] of Object.entries(crawlers)) {
    expect([hostname, volumes, grace]).toEqual([name, [`${name}:/data`], '30s']);
    expect(unknownFlags(command)).toEqual([]);
    expect(command).toContain('--store=redis://redis:6379');
  }
  expect(redis?.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  expect(Object.keys(file.volumes).sort()).toEqual(['crawler-a', 'crawler-b', 'redis']);
});

it('the service runs flags that exist, ends softly, and takes waiting for no failure', () => {
  const unit = deployed('mannerly@.service');
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  expect(unknownFlags(value('ExecStart').split(' '))).toEqual([]);
  expect([value('KillSignal'), value('SuccessExitStatus'), value('User')]).toEqual(['SIGTERM', '3 4 7', 'mannerly']);
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(10);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)(`systemd understands its units${hasSystemd ? '' : ' (not run: no systemd-analyze)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const kind of ['service', 'timer']) {
    copyFileSync(join(ROOT, 'deploy', `mannerly@.${kind}`), join(folder, `mannerly@x.${kind}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, `mannerly@x.${kind}`)]);
    expect([status, String(stderr)]).toEqual([0, '']);
  }
});
