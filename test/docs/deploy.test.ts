// People copy the files in `deploy` to run a crawl elsewhere. No container is built here: their content is checked, and
// systemd reads its unit if it is installed.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { rootPath } from '../house/source-tree.js';
import { deployed, deployFolder, unknownFlags } from './deployed-files.js';

interface Service {
  readonly hostname?: string;
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly stop_grace_period?: string;
}

interface Panel {
  readonly id: number;
  readonly datasource: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

it('the Dockerfile pins its base image, does not run as root, and calls the command', () => {
  const lines = deployed('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const steps = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/\s+/));
  const of = (name: string) => steps.filter(([first]) => first === name).map(([, ...rest]) => rest.join(' '));
  expect(new Set(steps.map(([name]) => name))).toEqual(
    new Set(['FROM', 'ARG', 'ENV', 'RUN', 'USER', 'WORKDIR', 'VOLUME', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD']),
  );
  expect(of('FROM')).toEqual([expect.stringMatching(/^node:2[2-9]-slim$/)]);
  expect([of('USER'), of('STOPSIGNAL'), of('VOLUME')]).toEqual([['node'], ['SIGTERM'], ['/data']]);
  expect(JSON.parse(of('ENTRYPOINT')[0] ?? '')).toEqual(['mannerly']);
  const peers = JSON.parse(readFileSync(join(rootPath, 'packages/core/package.json'), 'utf8'))
    .peerDependencies as object;
  for (const peer of ['ioredis', 'pg', 'prom-client']) {
    expect(Object.keys(peers)).toContain(peer);
    expect(of('RUN')[0]).toContain(`"${peer}@`);
  }
});

it('the compose file gives each crawler a name and a volume, and Redis is durable', () => {
  const file = parse(deployed('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };
  const { redis, prometheus, grafana, ...crawlers } = file.services;
  expect(Object.keys(crawlers)).toEqual(['crawler-a', 'crawler-b', 'crawler-c']);
  for (const [name, { hostname, command, volumes, stop_grace_period: grace }] of Object.entries(crawlers)) {
    expect([hostname, volumes, grace]).toEqual([name, [`${name}:/data`], '30s']);
    expect(unknownFlags(command)).toEqual([]);
    expect(command).toContain('--store=redis://redis:6379');
  }
  expect(redis?.command).toEqual(expect.arrayContaining(['--appendonly yes', '--maxmemory-policy noeviction']));
  expect(Object.keys(file.volumes)).toEqual(['redis', ...Object.keys(crawlers), 'prometheus', 'grafana']);
  const mounted = [prometheus, grafana].flatMap((one) => one?.volumes ?? []).filter((path) => path.startsWith('.'));
  expect(mounted.map((path) => existsSync(join(deployFolder, path.replace(/:.*/, ''))))).toEqual(Array(4).fill(true));
});

it('the board uses Grafana’s configured data source, and its panels do not overlap', () => {
  const board = JSON.parse(deployed('monitoring/board.json')) as { readonly panels: readonly Panel[] };
  const { datasources } = parse(deployed('monitoring/datasource.yaml')) as { datasources: { readonly uid: string }[] };
  expect(new Set(board.panels.map(({ datasource }) => datasource.uid))).toEqual(new Set([datasources[0]?.uid]));
  expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...board.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
});

it('the service uses existing flags, stops gracefully, and does not treat waiting as a failure', () => {
  const unit = deployed('mannerly@.service');
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  expect(unknownFlags(value('ExecStart').split(' ').slice(2))).toEqual([]);
  expect([value('KillSignal'), value('SuccessExitStatus'), value('User')]).toEqual(['SIGTERM', '3 4 7', 'mannerly']);
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(10);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)(`systemd understands its units${hasSystemd ? '' : ' (not run: no systemd-analyze)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const kind of ['service', 'timer']) {
    copyFileSync(join(deployFolder, `mannerly@.${kind}`), join(folder, `mannerly@x.${kind}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, `mannerly@x.${kind}`)]);
    expect([status, String(stderr)]).toEqual([0, '']);
  }
});
